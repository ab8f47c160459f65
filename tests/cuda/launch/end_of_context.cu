// A context that ends takes kernels without an end with it; what others print comes out before.
// RUN: %nvcc %s -o %t -lcuda
// RUN: timeout 60 %t reset
// RUN: timeout 60 %t primary
// RUN: timeout 60 %t context
// RUN: timeout 60 %t destroyed
// RUN: timeout 60 env HEDDLE_EXECUTOR=interp %t reset
// RUN: %t print | FileCheck %s
// CHECK: printed
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void endless(volatile int* p) {
  while (*p == 0) {
  }
}
__global__ void print() {
  const long long start = clock64();
  while (clock64() - start < 20'000'000) {
  }
  printf("printed\n");
}

static int failed(int line) {
  std::printf("line %d\n", line);
  return 1;
}

int main(int, char** argv) {
  const char* way = argv[1];
  if (std::strcmp(way, "print") == 0) {
    print<<<1, 1>>>();
    return cudaDeviceReset();
  }
  CUcontext own = nullptr;
  cuInit(0);
  if (std::strcmp(way, "context") == 0 && cuCtxCreate(&own, 0, 0) != CUDA_SUCCESS) return failed(__LINE__);
  int* p = nullptr;
  if (cudaMalloc(&p, 4) != cudaSuccess || cudaMemset(p, 0, 4) != cudaSuccess) return failed(__LINE__);
  endless<<<2, 32>>>(p);
  if (cudaGetLastError() != cudaSuccess) return failed(__LINE__);
  if (std::strcmp(way, "destroyed") == 0) return 0;  // with the process
  if (own != nullptr) return cuCtxDestroy(own) != CUDA_SUCCESS ? failed(__LINE__) : 0;
  if (std::strcmp(way, "primary") == 0 && cuDevicePrimaryCtxReset(0) != CUDA_SUCCESS) return failed(__LINE__);
  if (std::strcmp(way, "reset") == 0 && cudaDeviceReset() != cudaSuccess) return failed(__LINE__);
  // The device is as new.
  int value = 5, *fresh = nullptr;
  cudaSetDevice(0);
  if (cudaMalloc(&fresh, 4) != cudaSuccess || cudaMemcpy(fresh, &value, 4, cudaMemcpyDefault) != cudaSuccess)
    return failed(__LINE__);
  return 0;
}
