// A kernel that goes past the end of an allocation: an error, or what a device does, as HEDDLE_BOUNDS says; on both executors.
// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %t | FileCheck --check-prefix=EXACT %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck --check-prefix=EXACT %s
// RUN: env HEDDLE_BOUNDS=pages %t | FileCheck --check-prefix=PAGES %s
// RUN: env HEDDLE_BOUNDS=pages HEDDLE_EXECUTOR=interp %t | FileCheck --check-prefix=PAGES %s
// EXACT: small: cudaErrorIllegalAddress
// EXACT: 24 of 24 forgotten guards
// EXACT-NEXT: 24 of 24 kept
// PAGES: small: cudaSuccess, sum 136
// PAGES-NEXT: large: cudaSuccess
// PAGES-NEXT: constant: cudaSuccess
// PAGES-NEXT: far: cudaErrorIllegalAddress
// PAGES-NEXT: 0 of 24 forgotten guards
// PAGES-NEXT: 24 of 24 kept
#include <cstdio>

__constant__ int table[100] = {1};

__global__ void count(int* words, int n) { words[threadIdx.x < n ? threadIdx.x : n] = threadIdx.x + 1; }
__global__ void beyond(int* words, size_t at) { words[at] = 1; }
__global__ void look_up(int* out, int at) { *out = table[at]; }

template <class T>
__global__ void add(T* c, const T* a, int n, bool guard) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (!guard || i < n) c[i] = a[i % n] + T(1);
}
// Whether one thread too many is seen.
template <class T>
static bool seen(int n, bool guard) {
  T *a, *c;
  cudaDeviceReset();
  cudaMalloc(&a, n * sizeof(T));
  cudaMalloc(&c, n * sizeof(T));
  add<<<1, n + 1>>>(c, a, n, guard);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress;
}

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
  for (const bool guard : {false, true}) {
    int found = 0, all = 0;
    for (const int n : {1, 31, 32, 64, 100, 1000, 1001, 1023}) {
      found += seen<float>(n, guard) + seen<double>(n, guard) + seen<char>(n, guard);
      all += 3;
    }
    if (guard) std::printf("%d of %d kept\n", all - found, all);
    else std::printf("%d of %d forgotten guards\n", found, all);
  }
}
