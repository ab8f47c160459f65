// A program from its source to its result, by each runtime library and on an old device, and the whole way of relocatable code.
// RUN: %nvcc %s -o %t && %t | FileCheck %s
// RUN: %nvcc -cudart shared -arch=sm_80 %s -o %t.shared && %t.shared | FileCheck %s
// RUN: %nvcc -rdc=true -O2 -std=c++20 -lineinfo %s -o %t.rdc && %t.rdc | FileCheck %s
// RUN: %nvcc -arch=compute_20 %s -o %t.20 && env HEDDLE_DEVICE=gtx480 %t.20 | FileCheck %s
// RUN: %nvcc -arch=sm_13 %s -o %t.13 && env HEDDLE_DEVICE=gtx285 %t.13 | FileCheck %s
// RUN: %nvcc -use_fast_math -G -g %s -o %t.debug && %t.debug | FileCheck %s
// RUN: %nvcc -run %s -o %t.run | FileCheck %s
// RUN: not env HEDDLE_DEVICE=gtx480 %t 2>&1 | FileCheck --check-prefix=TOO_NEW %s
#include <cstdio>
#include <vector>

__constant__ float factor = 2;
__device__ unsigned counted;

__global__ void scale_and_add(const float* a, const float* b, float* c, int n) {
  __shared__ float staged[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = i < n ? a[i] : 0;
  __syncthreads();
  if (i < n) {
    c[i] = staged[threadIdx.x] * factor + b[i];
    atomicAdd(&counted, 1u);
  }
}

#define MUST(call)                                                                  \
  if (const cudaError_t error = call) {                                             \
    std::printf("%s: %s\n", #call, cudaGetErrorName(error)); \
    return 1;                                                                       \
  }

int main() {
  const int n = 1000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; ++i) a[i] = i, b[i] = 0.5f;
  const float three = 3;
  float *da, *db, *dc;
  MUST(cudaMalloc(&da, n * sizeof(float)));
  MUST(cudaMalloc(&db, n * sizeof(float)));
  MUST(cudaMalloc(&dc, n * sizeof(float)));
  MUST(cudaMemcpy(da, a.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  MUST(cudaMemcpy(db, b.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  MUST(cudaMemcpyToSymbol(factor, &three, sizeof three));
  scale_and_add<<<(n + 127) / 128, 128>>>(da, db, dc, n);
  MUST(cudaGetLastError());
  MUST(cudaMemcpy(c.data(), dc, n * sizeof(float), cudaMemcpyDeviceToHost));
  unsigned count = 0;
  MUST(cudaMemcpyFromSymbol(&count, counted, sizeof count));
  for (int i = 0; i < n; ++i) {
    if (c[i] == 3.0f * i + 0.5f) continue;
    std::printf("c[%d] is %g\n", i, c[i]);
    return 1;
  }
  std::printf("%d sums are right, %u were counted\n", n, count);
  return 0;
}
// CHECK: 1000 sums are right, 1000 were counted
// TOO_NEW: cudaErrorNoKernelImageForDevice
