// One access of each block of a cluster of four to the address of its variable without a rank, or with another one:
// what the block got, and what its own counter is at the end. Variables hold 1000 and the rank, counters 0.
#include <cooperative_groups.h>

#include <cstdio>
#include <cstdlib>

const char* const names[] = {"ld.shared::cta without a rank",       "ld without a rank",
                             "ld.shared::cluster without a rank",   "ld.shared::cta at the neighbour's",
                             "ld at the neighbour's",               "atom.shared::cta.add without a rank",
                             "atom.add without a rank",             "atom.shared::cluster.add without a rank",
                             "st.shared::cta without a rank",       "st.shared::cluster without a rank",
                             "ldmatrix.shared without a rank",      "ld.shared::cta at one's own",
                             "cvta.shared of one without a rank"};

__global__ void probe(unsigned* out, int access) {
  __shared__ __align__(16) unsigned mine[16];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  for (int i = 0; i < 8; ++i) mine[i] = 1000 + rank;
  mine[8] = 0;
  cluster.sync();
  const unsigned own = __cvta_generic_to_shared(mine), plain = own & 0xffffff;
  const unsigned long long generic = (unsigned long long)(void*)mine, plain_generic = generic - (own - plain);
  unsigned v = 0;
  unsigned long long back;
  switch (access) {
    case 0: asm volatile("ld.shared::cta.u32 %0, [%1];" : "=r"(v) : "r"(plain)); break;
    case 1: asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(plain_generic)); break;
    case 2: asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v) : "r"(plain)); break;
    case 3: asm volatile("ld.shared::cta.u32 %0, [%1];" : "=r"(v) : "r"(own ^ (1u << 24))); break;
    case 4: asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(generic ^ (1ull << 24))); break;
    case 5: asm volatile("atom.shared::cta.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(plain + 32)); break;
    case 6: asm volatile("atom.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(plain_generic + 32)); break;
    case 7: asm volatile("atom.shared::cluster.add.u32 %0, [%1], 1;" : "=r"(v) : "r"(plain + 32)); break;
    case 8: asm volatile("st.shared::cta.u32 [%0], %1;" ::"r"(plain + 32), "r"(50 + rank)); break;
    case 9: asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(plain + 32), "r"(50 + rank)); break;
    case 10: asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(v) : "r"(plain)); break;
    case 11: asm volatile("ld.shared::cta.u32 %0, [%1];" : "=r"(v) : "r"(own)); break;
    case 12: asm volatile("cvta.shared.u64 %0, %1;" : "=l"(back) : "l"((unsigned long long)plain)); v = (unsigned)back; break;
  }
  cluster.sync();
  if (threadIdx.x == 0) out[2 * rank] = v, out[2 * rank + 1] = mine[8];
}

int main(int, char** arguments) {
  const int access = std::atoi(arguments[1]);
  unsigned *out, host[8];
  cudaMalloc(&out, sizeof host);
  cudaLaunchConfig_t config = {};
  config.gridDim = 4;
  config.blockDim = access == 10 ? 32 : 1;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 4;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, probe, out, access);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %s:", names[access], cudaGetErrorString(error));
  if (error == cudaSuccess) {
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 4; ++b) std::printf(" %x %x", host[2 * b], host[2 * b + 1]);
  }
  std::printf("\n");
}
