// For each advice a kernel that deserves it and one that does not, as the guide shows them (CUDA C Best Practices Guide 4.0).
#include <cstdio>

constexpr int blocks = 512, threads = 256;
__constant__ float table[1024];

// 3.2.1.4: a copy with a stride, and one without.
__global__ void coalesce_bad(float* to, const float* from) {
  const int x = (blockIdx.x * threads + threadIdx.x) * 2;
  to[x] = from[x];
}
// 3.2.1.3: a copy that is shifted by a word is no such case: five sectors instead of four.
__global__ void coalesce_good(float* to, const float* from) {
  const int x = blockIdx.x * threads + threadIdx.x + 1;
  to[x] = from[x];
}
// 6.1: what depends on the thread, and what depends on the thread's warp alone.
__device__ float work(float sum, int times) {
  for (int i = 0; i < times; ++i) sum = sum * 1.5f + __sinf(sum);
  return sum;
}
__global__ void one_path_bad(float* to, const float* from) {
  const int x = blockIdx.x * threads + threadIdx.x;
  float value = from[x];
  value = threadIdx.x % 2 != 0 ? work(value, 1 + blockIdx.x % 2) : work(value + 1, 2 - blockIdx.x % 2);
  to[x] = value;
}
__global__ void one_path_good(float* to, const float* from) {
  const int x = blockIdx.x * threads + threadIdx.x;
  float value = from[x];
  value = threadIdx.x / 32 % 2 != 0 ? work(value, 1 + blockIdx.x % 2) : work(value + 1, 2 - blockIdx.x % 2);
  to[x] = value;
}
// 3.2.2.3: a tile that is transposed, and one with padded rows.
template <int row>
__device__ void transpose(float* to, const float* from) {
  __shared__ float tile[32 * row];
  for (int k = 0; k < 32; k += 8)
    tile[(threadIdx.x / 32 + k) * row + threadIdx.x % 32] = from[blockIdx.x * 1024 + k * 32 + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < 32; k += 8)
    to[blockIdx.x * 1024 + k * 32 + threadIdx.x] = tile[threadIdx.x % 32 * row + threadIdx.x / 32 + k];
}
__global__ void bank_conflicts_bad(float* to, const float* from) { transpose<32>(to, from); }
__global__ void bank_conflicts_good(float* to, const float* from) { transpose<33>(to, from); }
// 4.2: shared memory that leaves room for few blocks.
template <int bytes>
__device__ void shared_copy(float* to, const float* from) {
  __shared__ float words[bytes / 4];
  words[threadIdx.x] = from[blockIdx.x * threads + threadIdx.x];
  __syncthreads();
  to[blockIdx.x * threads + threadIdx.x] = words[threadIdx.x ^ 32];
}
__global__ void occupancy_bad(float* to, const float* from) { shared_copy<48 * 1024>(to, from); }
__global__ void occupancy_good(float* to, const float* from) { shared_copy<8 * 1024>(to, from); }
// 4.4: blocks of 200 threads, and of 256; fewer blocks than multiprocessors.
__global__ void whole_warps_bad(float* to, const float* from) { to[blockIdx.x * 200 + threadIdx.x] = from[blockIdx.x * 200 + threadIdx.x]; }
__global__ void whole_warps_good(float* to, const float* from) { to[blockIdx.x * threads + threadIdx.x] = from[blockIdx.x * threads + threadIdx.x]; }
__global__ void enough_blocks_bad(float* to, const float* from) { to[blockIdx.x * threads + threadIdx.x] = from[blockIdx.x * threads + threadIdx.x]; }
__global__ void enough_blocks_good(float* to, const float* from) { to[blockIdx.x * threads + threadIdx.x] = from[blockIdx.x * threads + threadIdx.x]; }
// 3.2.3: an array whose places are not known when it is compiled, and one whose are.
__global__ void local_memory_bad(float* to, const float* from) {
  float own[32];
  const int x = blockIdx.x * threads + threadIdx.x;
  for (int i = 0; i < 32; ++i) own[i] = from[x] * i;
  for (int i = 0; i < 32; ++i) own[(int)from[x + 32 * i] & 31] += 1;
  to[x] = own[(int)from[x] & 31];
}
__global__ void local_memory_good(float* to, const float* from) {
  float own[4];
  const int x = blockIdx.x * threads + threadIdx.x;
  for (int i = 0; i < 4; ++i) own[i] = from[x] * i;
  to[x] = own[0] + own[1] * own[2] - own[3];
}
// 3.2.5: each thread another word of constant memory, and all the same.
__global__ void same_constant_bad(float* to, const float*) { to[blockIdx.x * threads + threadIdx.x] = table[threadIdx.x]; }
__global__ void same_constant_good(float* to, const float*) { to[blockIdx.x * threads + threadIdx.x] = table[blockIdx.x]; }

int main() {
  float *from, *to;
  if (cudaMalloc(reinterpret_cast<void**>(&from), 8 << 20) != cudaSuccess) return 1;
  if (cudaMalloc(reinterpret_cast<void**>(&to), 8 << 20) != cudaSuccess) return 1;
  cudaMemset(from, 0, 8 << 20);
#define BOTH(name, bad_grid, bad_block)          \
  name##_bad<<<bad_grid, bad_block>>>(to, from); \
  name##_good<<<blocks, threads>>>(to, from);
  BOTH(coalesce, blocks, threads)
  BOTH(one_path, blocks, threads)
  BOTH(bank_conflicts, blocks, threads)
  BOTH(occupancy, blocks, threads)
  BOTH(whole_warps, blocks, 200)
  BOTH(enough_blocks, 8, threads)
  BOTH(local_memory, blocks, threads)
  BOTH(same_constant, blocks, threads)
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
