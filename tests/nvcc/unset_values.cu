// A variable that only one lane sets may be handed to a shuffle by all: nothing follows from that about which lane runs.
// RUN: %nvcc -O3 %s -o %t && %t
#include <cooperative_groups.h>
#include <cstdio>

__device__ unsigned counter;
__global__ void reserve(unsigned count, unsigned* out) {
  cooperative_groups::coalesced_group active = cooperative_groups::coalesced_threads();
  unsigned first;
  if (threadIdx.x % 32 == 0 && count > 0) first = atomicAdd(&counter, count);
  first = active.shfl((int)first, 0);
  out[threadIdx.x] = first;
}

int main() {
  unsigned *out, total;
  cudaMallocManaged(&out, 64 * sizeof(unsigned));
  reserve<<<1, 64>>>(5, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpyFromSymbol(&total, counter, sizeof total);
  for (int i = 1; i < 32; ++i)
    if (out[i] != out[0] || out[32 + i] != out[32]) return 2;
  return total == 10 && out[0] + out[32] == 5 ? 0 : 3;
}
