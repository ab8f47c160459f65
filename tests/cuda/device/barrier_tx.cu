// Bulk copies into shared memory whose bytes a cuda::barrier's phase waits for.
// RUN: %nvcc -arch=sm_90 -std=c++17 %s -o %t -Xcompiler -Wall && %t
// RUN: env HEDDLE_EXECUTOR=interp %t
#include <cuda/barrier>

#include <cstdio>

using Barrier = cuda::barrier<cuda::thread_scope_block>;
constexpr int tile = 256, tiles = 5, threads = 64;

// One thread announces the bytes and starts two copies of each tile; all wait, and each round is a phase.
__global__ void reverse(const int* in, int* out) {
  __shared__ alignas(16) int values[tile];
  __shared__ Barrier arrived;
  if (threadIdx.x == 0) init(&arrived, blockDim.x);
  __syncthreads();
  for (int t = 0; t < tiles; ++t) {
    Barrier::arrival_token token;
    if (threadIdx.x == 0) {
      const cuda::aligned_size_t<16> half(sizeof values / 2);
      if (t % 2 == 0) {
        cuda::device::memcpy_async_tx(values, in + t * tile, half, arrived);
        cuda::device::memcpy_async_tx(values + tile / 2, in + t * tile + tile / 2, half, arrived);
        token = cuda::device::barrier_arrive_tx(arrived, 1, sizeof values);
      } else {
        cuda::device::barrier_expect_tx(arrived, sizeof values);
        cuda::device::memcpy_async_tx(values, in + t * tile, half, arrived);
        cuda::device::memcpy_async_tx(values + tile / 2, in + t * tile + tile / 2, half, arrived);
        token = arrived.arrive();
      }
    } else {
      token = arrived.arrive();
    }
    arrived.wait(static_cast<Barrier::arrival_token&&>(token));
    for (int i = threadIdx.x; i < tile; i += blockDim.x) out[t * tile + i] = values[tile - 1 - i];
    __syncthreads();
  }
}

int main() {
  int *in, *out;
  if (cudaMallocManaged(&in, tile * tiles * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMallocManaged(&out, tile * tiles * sizeof(int)) != cudaSuccess) return 1;
  for (int i = 0; i < tile * tiles; ++i) in[i] = i * 3, out[i] = -1;
  reverse<<<1, threads>>>(in, out);
  if (const cudaError_t error = cudaDeviceSynchronize()) return printf("%s\n", cudaGetErrorString(error)), 2;
  for (int i = 0; i < tile * tiles; ++i)
    if (out[i] != in[i / tile * tile + tile - 1 - i % tile]) return printf("%d: %d\n", i, out[i]), 3;
  return 0;
}
