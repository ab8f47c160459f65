// As advised.cu, of the chapters about reuse, launches and instructions (CUDA C Best Practices Guide 4.0).
#include <cstdio>

constexpr int blocks = 512, threads = 256, words = 1 << 20;

#define KERNEL(name) __global__ void name(float* to, const float* from, int n)
#define X (blockIdx.x * threads + threadIdx.x)

// 3.2.2.2, listings 3.7 and 3.8: a product of matrices of 128 columns, from global memory and by tiles.
constexpr int tile = 32, depth = 128, rows = tile * tile / threads;
KERNEL(reuse_bad) {
  const int row = blockIdx.x / 4 * tile + threadIdx.x / tile, column = blockIdx.x % 4 * tile + threadIdx.x % tile;
  for (int k = 0; k < tile; k += tile / rows) {
    float sum = 0;
    for (int i = 0; i < depth; ++i) sum += from[(row + k) * depth + i] * from[i * depth + column];
    to[(row + k) * depth + column] = sum;
  }
}
KERNEL(reuse_good) {
  __shared__ float a[tile][tile], b[tile][tile];
  const int y = threadIdx.x / tile, x = threadIdx.x % tile, row = blockIdx.x / 4 * tile + y, column = blockIdx.x % 4 * tile + x;
  float sum[rows] = {};
  for (int k = 0; k < depth; k += tile) {
    for (int r = 0; r < rows; ++r) {
      a[y + r * tile / rows][x] = from[(row + r * tile / rows) * depth + k + x];
      b[y + r * tile / rows][x] = from[(k + y + r * tile / rows) * depth + column];
    }
    __syncthreads();
    for (int i = 0; i < tile; ++i)
      for (int r = 0; r < rows; ++r) sum[r] += a[y + r * tile / rows][i] * b[i][x];
    __syncthreads();
  }
  for (int r = 0; r < rows; ++r) to[(row + r * tile / rows) * depth + column] = sum[r];
}
// 1.1.3: one thread, and many.
KERNEL(parallel_bad) {
  float sum = 0;
  for (int i = 0; i < 8192; ++i) sum += from[i];
  to[0] = sum;
}
KERNEL(parallel_good) { atomicAdd(to, from[X]); }
// 4.2: 48 values that are all needed to the end, and one that holds them to half of the registers.
template <int n>
__device__ void hold(float* to, const float* from) {
  float own[n];
#pragma unroll
  for (int i = 0; i < n; ++i) own[i] = from[X + i * 1024];
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int i = 0; i < n; ++i) sum = sum * own[i] + own[n - 1 - i];
  to[X] = sum;
}
KERNEL(registers_bad) { hold<52>(to, from); }
KERNEL(registers_good) { hold<8>(to, from); }
// 4.5: an element a thread of 24 KiB of shared memory, and several.
template <int bytes>
__device__ void shared_copy(float* to, const float* from) {
  __shared__ float own[bytes / 4];
  own[threadIdx.x] = from[X];
  __syncthreads();
  to[X] = own[threadIdx.x ^ 32];
}
KERNEL(shared_size_bad) { shared_copy<24 * 1024>(to, from); }
KERNEL(shared_size_good) { shared_copy<8 * 1024>(to, from); }
// 4.4: a warp a block; a block that fills the multiprocessor and waits.
KERNEL(block_size_bad) { to[blockIdx.x * 32 + threadIdx.x] = from[blockIdx.x * 32 + threadIdx.x]; }
KERNEL(block_size_good) { to[X] = from[X]; }
template <int size>
__device__ void turn(float* to, const float* from) {
  __shared__ float own[size];
  own[threadIdx.x] = from[blockIdx.x * size + threadIdx.x];
  __syncthreads();
  to[blockIdx.x * size + threadIdx.x] = own[size - 1 - threadIdx.x];
}
KERNEL(several_blocks_bad) { turn<1024>(to, from); }
KERNEL(several_blocks_good) { turn<threads>(to, from); }
// 5.1.4: functions that the hardware has.
KERNEL(fast_math_bad) { to[X] = sinf(from[X]); }
KERNEL(fast_math_good) { to[X] = __sinf(from[X]); }
KERNEL(special_functions_bad) {
  const float x = from[X];
  to[X] = powf(x, 3) + powf(2, x) + powf(x, 1.0f / 3) + sinf(3.141592653589793f * x);
}
KERNEL(special_functions_good) {
  const float x = from[X];
  to[X] = x * x * x + exp2f(x) + cbrtf(x) + sinpif(x);
}
// 6.3: the guide's loop.
KERNEL(signed_counters_bad) {
  const unsigned stride = n * 2048, offset = X;
  for (unsigned i = 0; i < n * 3; ++i) to[i] = from[offset + stride * i];
}
KERNEL(signed_counters_good) {
  const int stride = n * 2048, offset = X;
  for (int i = 0; i < n * 3; ++i) to[i] = from[offset + stride * i];
}
// 5.1.1: a divisor that is a power of two, unknown when it is compiled, and its logarithm.
KERNEL(shift_bad) { to[X] = from[X / n + X % n]; }
KERNEL(shift_good) { to[X] = from[(X >> n / 8) + (X & (n - 1))]; }
KERNEL(fast_division_bad) { to[X] = from[X] / from[X + 1024]; }
KERNEL(fast_division_good) { to[X] = __fdividef(from[X], from[X + 1024]); }
// 5.1.2
KERNEL(rsqrt_bad) { to[X] = 1 / sqrtf(from[X]); }
KERNEL(rsqrt_good) { to[X] = rsqrtf(from[X]); }
// 5.1.3
KERNEL(double_literals_bad) { to[X] = from[X] * 0.3 + 1.5; }
KERNEL(double_literals_good) { to[X] = from[X] * 0.3f + 1.5f; }
// 6.2: a loop of a known length, in one piece and unrolled.
KERNEL(unroll_bad) {
  float sum = from[X];
#pragma unroll 1
  for (int i = 0; i < 16; ++i) sum = sum * 1.5f + i;
  to[X] = sum;
}
KERNEL(unroll_good) {
  float sum = from[X];
#pragma unroll
  for (int i = 0; i < 16; ++i) sum = sum * 1.5f + i;
  to[X] = sum;
}

int main() {
  float *from, *to;
  if (cudaMalloc(reinterpret_cast<void**>(&from), 4 * words) != cudaSuccess) return 1;
  if (cudaMalloc(reinterpret_cast<void**>(&to), 4 * words) != cudaSuccess) return 1;
  cudaMemset(from, 0, 4 * words);
#define BOTH(name, bad_grid, bad_block)             \
  name##_bad<<<bad_grid, bad_block>>>(to, from, 8); \
  name##_good<<<blocks, threads>>>(to, from, 8);
  BOTH(reuse, blocks, threads)
  BOTH(parallel, 1, 1)
  BOTH(registers, blocks, threads)
  BOTH(shared_size, blocks, threads)
  BOTH(block_size, blocks, 32)
  BOTH(several_blocks, 128, 1024)
  BOTH(fast_math, blocks, threads)
  BOTH(special_functions, blocks, threads)
  BOTH(signed_counters, blocks, threads)
  BOTH(shift, blocks, threads)
  BOTH(fast_division, blocks, threads)
  BOTH(rsqrt, blocks, threads)
  BOTH(double_literals, blocks, threads)
  BOTH(unroll, blocks, threads)
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
