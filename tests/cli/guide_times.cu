// Statements of the guides about how long things take, as the virtual clock tells it: `heddle predict` over devices of their time. Ratios are looked at, not
// times. Inputs/guide_times.py has each statement with its place.
// RUN: %nvcc -arch=sm_13 %s -o %t && %heddle predict --device gtx285 --devices 8800gtx,gtx285,gtx480 --csv --output %t.csv %t
// RUN: python3 %S/Inputs/guide_times.py %t.csv | FileCheck %s
// CHECK: {{^}}statements: 27, not so: 0{{$}}
__constant__ float table[4096];
__constant__ float few[8];

__global__ void registers(float* a, float f) {
  float x = a[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 64; ++i) x = x * f + x;
  a[threadIdx.x] = x;
}
__global__ void constants(float* a) {
  float x = a[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 64; ++i) x = x * few[i % 8] + x;
  a[threadIdx.x] = x;
}
// The lanes of a warp read so many words.
__global__ void words(float* a, int different) {
  float x = 0;
  int at = threadIdx.x % different;
  for (int i = 0; i < 64; ++i) {
    x += table[at];
    at = (at + 32) % 1024;
  }
  a[threadIdx.x] = x;
}
// A line after the other of `size` words, again and again.
__global__ void working_set(float* a, int size) {
  float x = 0;
  int at = 0;
#pragma unroll 1
  for (int i = 0; i < 4096; ++i) {
    x += table[at];
    at += 16;
    if (at >= size) at = 0;
  }
  a[threadIdx.x] = x;
}
__global__ void sin_of_pi(float* a) { a[threadIdx.x] = sinf(3.14159265f * a[threadIdx.x]); }
__global__ void sinpi_of(float* a) { a[threadIdx.x] = sinpif(a[threadIdx.x]); }
__global__ void fast_sin(float* a) { a[threadIdx.x] = __sinf(a[threadIdx.x]); }
__global__ void erfc_of(float* a) { a[threadIdx.x] = erfcf(a[threadIdx.x]); }
__global__ void erfc_by_exp(float* a) {
  const float x = a[threadIdx.x];
  a[threadIdx.x] = expf(-x * x) * erfcxf(x);
}
__global__ void work(float* a) {
  float x = a[threadIdx.x];
  for (int i = 0; i < 2000; ++i) x = x * 1.5f + 2;
  a[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

int main() {
  float* a;
  cudaMalloc(&a, 1 << 22);
  cudaMemset(a, 0, 1 << 22);
  registers<<<240, 256>>>(a, 1.5f);
  constants<<<240, 256>>>(a);
  for (const int different : {1, 4, 16, 32}) words<<<240, 256>>>(a, different);
  for (const int size : {1024, 2048, 4096}) working_set<<<1, 32>>>(a, size);
  sin_of_pi<<<2400, 256>>>(a);
  sinpi_of<<<2400, 256>>>(a);
  fast_sin<<<2400, 256>>>(a);
  erfc_of<<<2400, 256>>>(a);
  erfc_by_exp<<<2400, 256>>>(a);
  for (const int blocks : {8, 15, 240}) work<<<blocks, 256>>>(a);
  return cudaDeviceSynchronize();
}
