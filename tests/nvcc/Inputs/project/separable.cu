#include <cuda_runtime.h>

#include "host.h"

extern __device__ int device_sum(int a, int b);

__global__ void sum(int* sums, int b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[i] = device_sum(i, b);
}

int main() {
  constexpr int count = 512;
  int* device = nullptr;
  static int sums[count];
  if (cudaMalloc(&device, sizeof sums) != cudaSuccess) return 2;
  sum<<<count / 64, 64>>>(device, 100);
  if (cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost) != cudaSuccess) return 3;
  return check(sums, count);
}
