// A kernel that native code cannot run goes to the reference executor, which is slow: that is told, once for each kernel of a process.
// RUN: %nvcc -arch=sm_80 %s -o %t
// RUN: %t 2>&1 >/dev/null | FileCheck %s --check-prefix=TOLD
// RUN: %t 2>&1 >/dev/null | count 2
// RUN: %t 2>/dev/null | FileCheck %s
// RUN: env HEDDLE_QUIET=1 %t 2>&1 >/dev/null | count 0
// TOLD: heddle: kernel 'first(int*)' runs on the reference executor, which is slow: it is recursive, and launched as a cooperative grid
// TOLD: heddle: kernel 'second(int*)' runs on the reference executor, which is slow: it is recursive, and launched as a cooperative grid
// CHECK: cudaSuccess 16
#include <cstdio>

__device__ __noinline__ int rabbits(int n) { return n < 2 ? n : rabbits(n - 1) + rabbits(n - 2); }
__global__ void first(int* sum) { atomicAdd(sum, rabbits(4)); }
__global__ void second(int* sum) { atomicAdd(sum, rabbits(5)); }

int main() {
  int *sum, host = 0;
  cudaMalloc(&sum, sizeof host);
  cudaMemset(sum, 0, sizeof host);
  void* arguments[] = {&sum};
  for (int i = 0; i < 2; ++i) {
    cudaLaunchCooperativeKernel(first, 1, 1, arguments, 0, nullptr);
    cudaLaunchCooperativeKernel(second, 1, 1, arguments, 0, nullptr);
  }
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%s %d\n", cudaGetErrorName(cudaGetLastError()), host);
}
