// Memory of a size known at run time, from the thread's stack. An H200 prints 45.
// RUN: %nvcc %s -o %t && %t | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck %s
// CHECK: 45 66
// NVIDIA's driver refuses an alignment of 0, which LLVM writes.
// RUN: %nvcc -arch=sm_80 -ptx %s -o - | FileCheck %s --check-prefix=PTX
// PTX: alloca.u64 {{.*}}, 16;
// PTX-NOT: alloca.u64 {{.*}}, 0;
#include <cstdio>

__global__ void sums(int n, int* out) {
  int* numbers = static_cast<int*>(alloca(n * sizeof(int)));
  for (int i = 0; i < n; ++i) numbers[i] = i;
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += numbers[i];
  out[blockIdx.x] = sum;
}

int main() {
  int *out, host[2] = {};
  cudaMalloc(&out, sizeof host);
  sums<<<1, 32>>>(10, out);
  sums<<<1, 32>>>(12, out + 1);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d %d\n", host[0], host[1]);
}
