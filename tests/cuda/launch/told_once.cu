// A kernel that native code cannot run goes to the reference executor, which is slow: that is told, once for each kernel of a process.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %t 2>&1 >/dev/null | FileCheck %s --check-prefix=TOLD
// RUN: %t 2>&1 >/dev/null | count 2
// RUN: %t 2>/dev/null | FileCheck %s
// RUN: env HEDDLE_QUIET=1 %t 2>&1 >/dev/null | count 0
// TOLD: heddle: kernel 'first(int*)' runs on the reference executor, which is slow: it is launched in clusters
// TOLD: heddle: kernel 'second(int*)' runs on the reference executor, which is slow: it is launched in clusters
// CHECK: cudaSuccess 12
#include <cstdio>

__global__ void __cluster_dims__(2) first(int* sum) { atomicAdd(sum, 1); }
__global__ void __cluster_dims__(2) second(int* sum) { atomicAdd(sum, 2); }

int main() {
  int *sum, host = 0;
  cudaMalloc(&sum, sizeof host);
  cudaMemset(sum, 0, sizeof host);
  for (int i = 0; i < 2; ++i) {
    first<<<2, 1>>>(sum);
    second<<<2, 1>>>(sum);
  }
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%s %d\n", cudaGetErrorName(cudaGetLastError()), host);
}
