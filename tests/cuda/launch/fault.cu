// A child's fault is the launch's: told with the child's name, and nothing behind it runs.
// RUN: %nvcc -rdc=true -lineinfo %s -o %t && env HEDDLE_TRACE=api not %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_TRACE=api HEDDLE_EXECUTOR=interp not %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_TRACE=api not %t copy 2>&1 | FileCheck --check-prefix=COPY %s
// CHECK: illegal address: write of 4 bytes{{.*}}kernel 'child(int*)', block (2,0,0), thread (1,0,0)
// CHECK: an illegal memory access was encountered
// CHECK-NOT: behind
// COPY: illegal address{{.*}}cudaMemcpyAsync
// COPY: an illegal memory access was encountered
#include <cstdio>

__global__ void behind() { printf("behind\n"); }
__global__ void child(int* p) {
  if (blockIdx.x == 2 && threadIdx.x == 1) p[1LL << 36] = 1;
}
__global__ void parent(int* p, bool copy) {
  if (copy) cudaMemcpyAsync(p + (1LL << 36), p, 4, cudaMemcpyDeviceToDevice);
  else child<<<4, 2>>>(p);
  behind<<<1, 1>>>();
  behind<<<1, 1, 0, cudaStreamTailLaunch>>>();
}

int main(int count, char**) {
  int* p;
  cudaMalloc(&p, 64);
  parent<<<1, 1>>>(p, count > 1);
  const cudaError_t error = cudaDeviceSynchronize();
  fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
