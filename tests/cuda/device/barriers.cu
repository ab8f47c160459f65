// cuda::barrier with a function that the last one to arrive calls, in global memory across blocks, and with threads that leave.
// RUN: %nvcc -arch=sm_80 -std=c++17 %s -o %t -Xcompiler -Wall && %t
// RUN: env HEDDLE_EXECUTOR=interp %t
// RUN: %nvcc -arch=sm_70 -std=c++14 %s -o %t70 && %t70
#include <cuda/barrier>

#include <cstdio>

struct Count {
  int* phases;
  const int* written;
  __device__ void operator()() noexcept { phases[0] = *phases * 10 + *written; }
};
using Counting = cuda::barrier<cuda::thread_scope_block, Count>;
static_assert(sizeof(cuda::barrier<cuda::thread_scope_block>) == 8, "as PTX's own");

// The function sees what was written before the last arrival, runs once a phase, and before anybody goes on.
__global__ void completion(int* out) {
  __shared__ int phases, written;
  __shared__ alignas(Counting) unsigned char place[sizeof(Counting)];
  Counting* const all = reinterpret_cast<Counting*>(place);
  if (threadIdx.x == 0) {
    phases = 0;
    init(all, blockDim.x, Count{&phases, &written});
  }
  __syncthreads();
  for (int i = 1; i <= 3; ++i) {
    if (threadIdx.x == 17 * i) written = i;
    all->arrive_and_wait();
    out[threadIdx.x * 4 + i - 1] = phases;
    __syncthreads();
  }
  // From the next phase on the upper half is not waited for; this one it has still arrived at.
  if (threadIdx.x >= 32) {
    all->arrive_and_drop();
  } else {
    all->wait(all->arrive());
    all->arrive_and_wait();
  }
  __syncthreads();
  out[threadIdx.x * 4 + 3] = phases;
}

using Across = cuda::barrier<cuda::thread_scope_device>;
__global__ void make(Across* barrier, int threads) { init(barrier, threads); }
__global__ void across(Across* barrier, int* sums, int* wrong) {

  for (int round = 0; round < 4; ++round) {
    atomicAdd(&sums[round], threadIdx.x + 1);
    barrier->arrive_and_wait();
    if (*(volatile int*)&sums[round] != (int)gridDim.x * (int)(blockDim.x * (blockDim.x + 1) / 2)) atomicAdd(wrong, 1);

  }
}

int main() {
  int* out;
  if (cudaMallocManaged(&out, 64 * 4 * sizeof(int)) != cudaSuccess) return 1;
  completion<<<1, 64>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  const int expected[4] = {1, 12, 123, 12333};
  for (int i = 0; i < 256; ++i)
    if (out[i] != expected[i % 4]) return printf("thread %d, %d: %d\n", i / 4, i % 4, out[i]), 3;

  Across* barrier;
  int *sums, blocks = 3, threads = 64;
  if (cudaMalloc(&barrier, sizeof *barrier) != cudaSuccess || cudaMallocManaged(&sums, 64) != cudaSuccess) return 4;
  for (int i = 0; i < 16; ++i) sums[i] = 0;
  make<<<1, 1>>>(barrier, blocks * threads);
  int* wrong = sums + 8;
  void* arguments[] = {&barrier, &sums, &wrong};
  if (cudaLaunchCooperativeKernel((void*)across, dim3(blocks), dim3(threads), arguments) != cudaSuccess) return 5;
  if (cudaDeviceSynchronize() != cudaSuccess) return 6;
  return sums[8] == 0 ? 0 : (printf("wrong: %d\n", sums[8]), 7);
}
