// Statements of the guides about what kernels ask of the memory, as `heddle profile` counts it.
//
// OpenCL Programming Guide 2.1.1, appendix C: requests go by half-warps on 1.x, by warps from 2.0 on, and there of 8 bytes by half-warps, of 16 by quarter-warps.
// RUN: %nvcc -arch=sm_13 %s -o %t.13 && %heddle profile --device gtx285 --csv --metrics gld_32b,gld_64b,gld_128b,gld_request --output %t.13.csv %t.13
// RUN: grep 'words<' %t.13.csv | FileCheck %s --check-prefix=HALVES
// HALVES: words<float>{{.*}}"gld_64b",{{.*}},"2"
// HALVES: words<float>{{.*}}"gld_128b",{{.*}},"0"
// HALVES: words<float2>{{.*}}"gld_128b",{{.*}},"2"
// HALVES: words<float4>{{.*}}"gld_128b",{{.*}},"4"
// RUN: %nvcc -arch=sm_20 %s -o %t.20 && %heddle profile --device gtx480 --csv --metrics gld_transactions --output %t.20.csv %t.20
// RUN: grep 'words<' %t.20.csv | grep gld_transactions | FileCheck %s --check-prefix=QUARTERS
// QUARTERS: words<float>{{.*}}"gld_transactions",{{.*}},"1"
// QUARTERS: words<float2>{{.*}}"gld_transactions",{{.*}},"2"
// QUARTERS: words<float4>{{.*}}"gld_transactions",{{.*}},"4"
//
// OpenCL Programming Guide 2.5: of C = A B, A is read B.width times from global memory, with tiles B.width / block size times: 16 times less.
// RUN: grep -E '(plain|tiles)\(' %t.13.csv | grep gld_request | FileCheck %s --check-prefix=READS
// READS: plain{{.*}}"gld_request",{{.*}},"16384"
// READS: tiles{{.*}}"gld_request",{{.*}},"1024"
#include <cuda_runtime.h>

template <class T>
__global__ void words(const T* from, T* to) {
  to[threadIdx.x] = from[threadIdx.x];
}

constexpr int width = 64, tile = 16;
__global__ void plain(const float* a, const float* b, float* c) {
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < width; ++k) sum += a[row * width + k] * b[k * width + column];
  c[row * width + column] = sum;
}
__global__ void tiles(const float* a, const float* b, float* c) {
  __shared__ float x[tile][tile], y[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < width; k += tile) {
    x[threadIdx.y][threadIdx.x] = a[row * width + k + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * width + column];
    __syncthreads();
    for (int i = 0; i < tile; ++i) sum += x[threadIdx.y][i] * y[i][threadIdx.x];
    __syncthreads();
  }
  c[row * width + column] = sum;
}

int main() {
  float *a, *b, *c;
  cudaMalloc(&a, width * width * sizeof(float));
  cudaMalloc(&b, width * width * sizeof(float));
  cudaMalloc(&c, width * width * sizeof(float));
  words<<<1, 32>>>(a, c);
  words<<<1, 32>>>(reinterpret_cast<float2*>(a), reinterpret_cast<float2*>(c));
  words<<<1, 32>>>(reinterpret_cast<float4*>(a), reinterpret_cast<float4*>(c));
  plain<<<dim3(width / tile, width / tile), dim3(tile, tile)>>>(a, b, c);
  tiles<<<dim3(width / tile, width / tile), dim3(tile, tile)>>>(a, b, c);
  return cudaDeviceSynchronize();
}
