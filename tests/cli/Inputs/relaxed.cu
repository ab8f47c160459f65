// cuda::atomic without an order, and device math functions with a result in memory: check_math_stores.test.
#include <cstdio>
#include <cuda/atomic>

__global__ void distances(cuda::atomic<int> *best, cuda::atomic<long long, cuda::thread_scope_device> *wide) {
  const int mine = blockIdx.x + threadIdx.x % 3;
  if (best[0].load(cuda::memory_order_relaxed) > mine) best[0].store(mine, cuda::memory_order_relaxed);
  if (wide[0].load() > mine) wide[0].store(mine);
}
__global__ void split(const float *x, float *fraction, int *exponent) {
  int own;
  fraction[threadIdx.x] = frexpf(x[threadIdx.x], &own);
  exponent[threadIdx.x] = own;
  if (threadIdx.x == 0) frexpf(x[0], exponent + blockDim.x);  // line 14
}
__global__ void sum(const int *exponent, int count, int *out) {
  int all = 0;
  for (int i = 0; i < count; ++i) all += exponent[i];
  *out = all;
}

int main(int count, char **) {
  cuda::atomic<int> *best;
  cuda::atomic<long long, cuda::thread_scope_device> *wide;
  float *x;
  int *exponent;
  cudaMalloc(&best, sizeof *best);
  cudaMalloc(&wide, sizeof *wide);
  cudaMalloc(&x, 256);
  cudaMalloc(&exponent, 256);
  cudaMemset(best, 0x7f, sizeof *best);
  cudaMemset(wide, 0x7f, sizeof *wide);
  cudaMemset(x, 0, 128);
  distances<<<8, 64>>>(best, wide);
  split<<<1, 16>>>(x, x + 16, exponent);
  if (count > 1) split<<<2, 16>>>(x, x + 16, exponent);
  sum<<<1, 1>>>(exponent, 17, exponent + 20);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
