// A texture may be larger than the memory below it, as on an H200: what lies there is read, by a whole warp and by some lanes of it, and a fetch of what does
// not lie there is a fault. Only an address of 0 and one that is not aligned are refused.
// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %t | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck %s
#include <cuda_runtime.h>

#include <cstdio>

constexpr int there = 1024;

__global__ void points(cudaTextureObject_t texture, int first, int step, float* out) {
  const int i = static_cast<int>(threadIdx.x);
  if (i % 3 != 1) out[i] = tex1Dfetch<float>(texture, first + i * step);
}
// In the middle of a texel: neighbours have no weight, whether they are there or not.
__global__ void plane(cudaTextureObject_t texture, float x, float* out) {
  const int i = static_cast<int>(threadIdx.x);
  out[i] = tex2D<float>(texture, x, i % 4 + 0.5f);
}

int main() {
  float *memory, *out;
  cudaMalloc(&memory, there * sizeof(float));
  cudaMallocManaged(&out, 32 * sizeof(float));
  float values[there];
  for (int i = 0; i < there; ++i) values[i] = static_cast<float>(i);
  cudaMemcpy(memory, values, sizeof values, cudaMemcpyHostToDevice);

  cudaResourceDesc linear{};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.desc = cudaCreateChannelDesc<float>();
  linear.res.linear.sizeInBytes = 1 << 28;
  linear.res.linear.devPtr = nullptr;
  cudaTextureDesc how{};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
  cudaTextureObject_t texture = 0, rows = 0, nowhere = 0;
  std::printf("null: %d\n", cudaCreateTextureObject(&texture, &linear, &how, nullptr));
  linear.res.linear.devPtr = memory + 1;
  std::printf("misaligned: %d\n", cudaCreateTextureObject(&texture, &linear, &how, nullptr));
  linear.res.linear.devPtr = reinterpret_cast<void*>(0x123456000);
  std::printf("nowhere: %d\n", cudaCreateTextureObject(&nowhere, &linear, &how, nullptr));
  linear.res.linear.devPtr = memory;
  std::printf("large: %d\n", cudaCreateTextureObject(&texture, &linear, &how, nullptr));
  cudaResourceDesc pitched{};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D = {memory, cudaCreateChannelDesc<float>(), 256, 8, 1024};
  how.filterMode = cudaFilterModeLinear;
  std::printf("rows: %d\n", cudaCreateTextureObject(&rows, &pitched, &how, nullptr));
  // CHECK: null: 1
  // CHECK-NEXT: misaligned: 1
  // CHECK-NEXT: nowhere: 0
  // CHECK-NEXT: large: 0
  // CHECK-NEXT: rows: 0

  // The lanes that do not look would miss the memory.
  points<<<1, 32>>>(texture, there - 31, 1, out);
  std::printf("%d %g %g\n", cudaDeviceSynchronize(), out[0], out[30]);
  plane<<<1, 16>>>(rows, 255.5f, out);
  std::printf("%d %g %g\n", cudaDeviceSynchronize(), out[0], out[15]);
  // CHECK-NEXT: 0 993 1023
  // CHECK-NEXT: 0 255 1023

  const cudaError_t made = cudaDestroyTextureObject(nowhere);
  points<<<1, 32>>>(texture, there - 30, 1, out);
  const cudaError_t met = cudaDeviceSynchronize();
  std::printf("%d %s\n", made, cudaGetErrorName(met));
  // CHECK-NEXT: 0 cudaErrorIllegalAddress
}
