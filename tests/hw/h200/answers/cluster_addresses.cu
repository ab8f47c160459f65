// Where shared addresses of the blocks of a cluster lie: a block's own, its neighbour's by mapa, and what a load
// finds at its own without bit 24, and without all bits from 24 on.
#include <cooperative_groups.h>

#include <cstdio>

__device__ unsigned load(unsigned address) {
  unsigned value;
  asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address));
  return value;
}

__global__ void probe(unsigned* out) {
  __shared__ unsigned mine[4];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank();
  mine[0] = 1000 + rank;
  cluster.sync();
  const unsigned own = __cvta_generic_to_shared(mine);
  unsigned other;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(own), "r"(rank ^ 1));
  out += 4 * rank;
  out[0] = own;
  out[1] = other;
  out[2] = load(own & 0xfeffffff);
  out[3] = load(own & 0x00ffffff);
  cluster.sync();
}

int main() {
  for (const int blocks : {2, 4}) {
    unsigned* out;
    cudaMallocManaged(&out, 64);
    cudaLaunchConfig_t config = {};
    config.gridDim = blocks;
    config.blockDim = 1;
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, probe, out);
    std::printf("cluster of %d: %s\n", blocks, cudaGetErrorString(cudaDeviceSynchronize()));
    for (int b = 0; b < blocks; ++b) std::printf("%08x %08x %u %u\n", out[4 * b], out[4 * b + 1], out[4 * b + 2], out[4 * b + 3]);
    cudaFree(out);
  }
}
