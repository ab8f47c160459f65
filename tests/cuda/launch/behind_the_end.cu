// A kernel that goes past the end of an allocation: an error, or what a device does, as HEDDLE_BOUNDS says; on both executors.
// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %t | FileCheck --check-prefix=EXACT %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck --check-prefix=EXACT %s
// RUN: env HEDDLE_BOUNDS=pages %t | FileCheck --check-prefix=PAGES %s
// RUN: env HEDDLE_BOUNDS=pages HEDDLE_EXECUTOR=interp %t | FileCheck --check-prefix=PAGES %s
// EXACT: small: cudaErrorIllegalAddress
// PAGES: small: cudaSuccess, sum 136
// PAGES-NEXT: large: cudaSuccess
// PAGES-NEXT: constant: cudaSuccess
// PAGES-NEXT: far: cudaErrorIllegalAddress
#include <cstdio>

__constant__ int table[100] = {1};

__global__ void count(int* words, int n) { words[threadIdx.x < n ? threadIdx.x : n] = threadIdx.x + 1; }
__global__ void beyond(int* words, size_t at) { words[at] = 1; }
__global__ void look_up(int* out, int at) { *out = table[at]; }

static bool good(const char* what) {
  const cudaError_t result = cudaDeviceSynchronize();
  std::printf("%s: %s", what, cudaGetErrorName(result));
  return result == cudaSuccess;
}

int main() {
  int *small, *large;
  cudaMalloc(&small, 1024);
  cudaMalloc(&large, (3 << 20) + 4);
  count<<<1, 257>>>(small, 256);
  int words[16] = {};
  if (good("small")) {
    cudaMemcpy(words, small, sizeof words, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (const int word : words) sum += word;
    std::printf(", sum %d", sum);
  }
  beyond<<<1, 1>>>(large, ((3 << 20) + 4096) / 4);
  std::puts("");
  good("large");
  std::puts("");
  look_up<<<1, 1>>>(small, 300);
  good("constant");
  std::puts("");
  beyond<<<1, 1>>>(large, size_t{64} << 20);
  good("far");
  std::puts("");
}
