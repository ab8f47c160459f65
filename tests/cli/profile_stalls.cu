// What warps wait for, by the timing model, against an H200's first reasons (tests/hw/h200/stalls/stalls.csv).
// RUN: %nvcc -O2 -lineinfo -arch=sm_90 %s -o %t
// RUN: %heddle profile --device h200 --stalls --lines %t | FileCheck %s
// RUN: %heddle profile --device h200 --csv --metrics smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio %t | FileCheck %s --check-prefix=CSV
//
// Kernels stand in the order of the host's time.
// CHECK:     Warps: modelled. Clocks of warps, how many of them issue, and what the others wait for
// CHECK-DAG: dependent_products {{.*}}% wait {{[67][0-9]}}.
// CHECK-DAG: many_products {{.*}}% not selected {{[5-7][0-9]}}.
// CHECK-DAG: chase_memory {{.*}}% long scoreboard 9
// CHECK-DAG: chase_shared {{.*}}% short scoreboard {{[678][0-9]}}.
// CHECK-DAG: conflicts {{.*}}% MIO throttle {{[789][0-9]}}.
// CHECK-DAG: one_warp_works {{.*}}% barrier {{[789][0-9]}}.
// CHECK-DAG: scattered_loads {{.*}}% LG throttle {{[5-8][0-9]}}.
//
// The reason stands at its line.
// CHECK-DAG: profile_stalls.cu:{{[0-9]+}} {{.*}}% long scoreboard 9{{.*}} p = (const unsigned long long*)*p
// CHECK-DAG: profile_stalls.cu:{{[0-9]+}} {{.*}}% barrier 100{{.*}} __syncthreads();
//
// CSV:        "one_warp_works(float*, float, int)",{{.*}},"smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio","inst","modelled","{{[23][0-9]}}.
#include <cstdio>
#include <vector>

__global__ void dependent_products(float* out, float x, int n) {
  float y = x + threadIdx.x;
  for (int i = 0; i < n; ++i) {
#pragma unroll
    for (int k = 0; k < 8; ++k) y = y * y + x;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = y;
}
__global__ void many_products(float* out, float x, int n) {
  float y[8];
  for (int k = 0; k < 8; ++k) y[k] = x + k + threadIdx.x;
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) y[k] = y[k] * y[k] + x;
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += y[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void chase_memory(const unsigned long long* start, unsigned long long* out, int n) {
  const unsigned long long* p = start + (blockIdx.x * blockDim.x + threadIdx.x) * 64;
  for (int i = 0; i < n; ++i)
    p = (const unsigned long long*)*p;
  out[blockIdx.x * blockDim.x + threadIdx.x] = (unsigned long long)p;
}
__global__ void chase_shared(int* out, int n) {
  __shared__ int next[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = (i + 32) & 1023;
  __syncthreads();
  int at = threadIdx.x;
  for (int i = 0; i < n; ++i) at = next[next[next[next[at]]]];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
__global__ void conflicts(int* out, int n) {
  __shared__ int words[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += ((volatile int*)words)[(threadIdx.x * 16 + k * 64) & 8191];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void one_warp_works(float* out, float x, int n) {
  float y = x;
  if (threadIdx.x < 32)
    for (int i = 0; i < n; ++i) {
#pragma unroll
      for (int k = 0; k < 4; ++k) y = y * y + x;
    }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = y;
}
__global__ void scattered_loads(const int* in, int* out, int n) {
  int sum = 0;
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int m = 0; m < 8; ++m) sum += ((volatile const int*)in)[(threadIdx.x * 32 + m * 4 + k * 8) & 0x3fff];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
  constexpr int words = 1 << 20, blocks = 132, threads = 256;
  void* data;
  unsigned long long* chain;
  if (cudaMalloc(&data, words * 8) != cudaSuccess || cudaMalloc(&chain, words * 8) != cudaSuccess) return 1;
  cudaMemset(data, 0, words * 8);
  std::vector<unsigned long long> next(words);
  for (int i = 0; i < words; ++i) next[i] = (unsigned long long)(chain + (i + 64 * 1031 * 7) % words);
  cudaMemcpy(chain, next.data(), words * 8, cudaMemcpyHostToDevice);
  dependent_products<<<blocks, 32>>>((float*)data, 1.F, 100);
  many_products<<<blocks, threads * 2>>>((float*)data, 1.F, 50);
  chase_memory<<<16, 32>>>(chain, (unsigned long long*)data, 16);
  chase_shared<<<blocks, threads>>>((int*)data, 20);
  conflicts<<<blocks, threads * 2>>>((int*)data, 10);
  one_warp_works<<<blocks, threads>>>((float*)data, 1.F, 200);
  scattered_loads<<<blocks * 4, threads>>>((const int*)chain, (int*)data, 8);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
