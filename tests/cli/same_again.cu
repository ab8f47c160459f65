// Two runs of a program have its device memory at the same addresses, and times on the device's clock, whose caches and channels go by
// addresses, are the same.
// RUN: %nvcc -O2 -arch=sm_20 %s -o %t
// RUN: env HEDDLE_CLOCK=device HEDDLE_DEVICE=gtx480 HEDDLE_THREADS=1 %t > %t.one
// RUN: FileCheck %s < %t.one
// RUN: env HEDDLE_CLOCK=device HEDDLE_DEVICE=gtx480 HEDDLE_THREADS=3 %t > %t.two
// RUN: diff %t.one %t.two
//
// CHECK: at 0x{{[0-9a-f]+}}: {{[0-9]+\.[0-9]+}} us
#include <cstdio>

__global__ void chain(float* a, float b) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  for (int k = 0; k < 64; ++k) x = __fadd_rn(__fmul_rn(x, b), b);
  a[i] = x;
}

int main() {
  constexpr int blocks = 240, threads = 256;
  float* a;
  cudaMalloc(&a, blocks * threads * sizeof(float));
  cudaMemset(a, 0, blocks * threads * sizeof(float));
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaEventRecord(begin);
  chain<<<blocks, threads>>>(a, 1.5f);
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float milliseconds = 0;
  cudaEventElapsedTime(&milliseconds, begin, end);
  std::printf("at %p: %.3f us\n", static_cast<void*>(a), milliseconds * 1000);
}
