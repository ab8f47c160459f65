// Addresses of shared memory have 32 bits and wrap: an index of 32 bits without a sign, one below 0, finds what lies
// before. An H200 answers the first with 36.
// RUN: %nvcc %s -o %t && %t | FileCheck %s
// RUN: env HEDDLE_JIT_TIER=best %t | FileCheck %s
// RUN: env HEDDLE_JIT_VECTORS=0 %t | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck %s
// CHECK: no error
// CHECK-NEXT: 36
// CHECK-NEXT: no error
// CHECK-NEXT: 1 8
#include <cstdio>

__global__ void before(int* out, unsigned i) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int* middle = s + 40;
  out[threadIdx.x] = middle[~i];
}

// The same in a loop that only some threads leave, with a barrier behind it.
__global__ void searched(int* out, unsigned turns) {
  __shared__ int s[64];
  __shared__ volatile unsigned turn;
  if (threadIdx.x == 0) turn = 0;
  __syncthreads();
  while (turn < turns) {
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    unsigned at = threadIdx.x / 8 + 1;
    int* middle = s + 40;
    while (middle[~at] >= 40) --at;
    out[threadIdx.x] = at;
    __syncthreads();
    if (threadIdx.x == 0) turn = turn + 1;
    __syncthreads();
  }
}

int main() {
  int *out, host[64] = {};
  cudaMalloc(&out, sizeof host);
  before<<<1, 64>>>(out, 3);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d\n", host[0]);
  searched<<<1, 64>>>(out, 2);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[0], host[63]);
}
