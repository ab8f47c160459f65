// A library's work is its stream's: profilers show it beside kernels, memcheck and initcheck know what it reads and writes.
// RUN: %nvcc %s -o %t -lcublas
// RUN: env LD_LIBRARY_PATH=%toolkit/lib64 %toolkit/bin/nvprof %t right 2>&1 | FileCheck %s --check-prefix=NVPROF
// RUN: env LD_LIBRARY_PATH=%toolkit/lib64 %heddle profile %t right | FileCheck %s --check-prefix=PROFILE
// RUN: env LD_LIBRARY_PATH=%toolkit/lib64 %toolkit/bin/compute-sanitizer --tool memcheck %t right 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: env LD_LIBRARY_PATH=%toolkit/lib64 %toolkit/bin/compute-sanitizer --tool initcheck %t right 2>&1 | FileCheck %s --check-prefix=RIGHT
// RUN: env LD_LIBRARY_PATH=%toolkit/lib64 %toolkit/bin/compute-sanitizer --tool memcheck %t small 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: env LD_LIBRARY_PATH=%toolkit/lib64 %toolkit/bin/compute-sanitizer --tool initcheck %t unset 2>&1 | FileCheck %s --check-prefix=UNSET
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <string>

// NVPROF: GPU activities:
// NVPROF: fill(float*, int, float)
// NVPROF: gemm
// PROFILE: fill 2
// PROFILE: gemm 1
// RIGHT: value 128
// RIGHT: ERROR SUMMARY: 0 errors

// SMALL: Invalid __global__ write of size 16,384 bytes
// SMALL-NEXT: at gemm, of a library
// SMALL: is out of bounds
// SMALL: 1 bytes after the nearest allocation

// UNSET: Uninitialized __global__ memory read of size 16,384 bytes
// UNSET-NEXT: at gemm, of a library

__global__ void fill(float* to, int n, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = value;
}

int main(int, char** arguments) {
  const std::string mode = arguments[1];
  const int n = 64, all = n * n;
  float *a, *b, *c;
  cudaMalloc(&a, all * sizeof(float));
  cudaMalloc(&b, all * sizeof(float));
  cudaMalloc(&c, (mode == "small" ? all / 2 : all) * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, stream);
  fill<<<16, 256, 0, stream>>>(a, all, 1);
  if (mode != "unset") fill<<<16, 256, 0, stream>>>(b, all, 2);
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &zero, c, n);
  cudaDeviceSynchronize();
  float value = 0;
  cudaMemcpy(&value, c, sizeof value, cudaMemcpyDeviceToHost);
  printf("value %g\n", value);
}
