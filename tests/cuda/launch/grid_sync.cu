// Grids that wait for themselves: vector code by whole blocks, each with its shared memory, local memory and what lives
// across barriers; in loops, split into arrival and wait, and with more blocks than the host has processors.
// RUN: %nvcc -arch=sm_80 -std=c++17 %s -o %t -Xcompiler -Wall
// RUN: env HEDDLE_TRACE=jit %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_JIT_TIER=best %t
// RUN: env HEDDLE_EXECUTOR=interp %t few
// CHECK-NOT: threads on their own
// CHECK: good
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

constexpr int steps = 6;

// Every block adds up what all others wrote in the step before: one that ran ahead or behind would read something else.
__global__ void steps_of_all(int* a, int* b, int* wrong) {
  extern __shared__ int kept[];
  cg::grid_group grid = cg::this_grid();
  const int blocks = gridDim.x, me = blockIdx.x;
  int mine[4] = {me, me + 1, me + 2, me + 3};  // lives across, with an index that is not known
  kept[threadIdx.x] = me * 1000 + threadIdx.x;
  for (int step = 0; step < steps; ++step) {
    if (threadIdx.x == blockDim.x - 1) a[me] = step * 100 + me;
    grid.sync();
    int sum = 0;
    for (int i = threadIdx.x; i < blocks; i += blockDim.x) sum += a[i];
    sum = __syncthreads_or(0) + sum;
    atomicAdd(&b[step * blocks + me], sum);
    mine[(threadIdx.x + step) & 3] += step;
    grid.sync();
    if (threadIdx.x == 0 && b[step * blocks + (me + 1) % blocks] != step * 100 * blocks + blocks * (blocks - 1) / 2)
      atomicAdd(wrong, 1);
  }
  if (kept[threadIdx.x] != me * 1000 + (int)threadIdx.x) atomicAdd(wrong, 100);
  int sum = 0;
  for (int i = 0; i < 4; ++i) sum += mine[i];
  if (sum != 4 * me + 6 + steps * (steps - 1) / 2) atomicAdd(wrong, 10000);
}

// Something else is done between arrival and wait; some threads have left before.
__global__ void split(int* a, int* wrong) {
  cg::grid_group grid = cg::this_grid();
  const int blocks = gridDim.x, me = blockIdx.x;
  if (threadIdx.x == 0) a[me] = me + 1;
  auto token = grid.barrier_arrive();
  a[blocks + me * blockDim.x + threadIdx.x] = threadIdx.x;
  grid.barrier_wait(std::move(token));
  if (a[(me + 7) % blocks] != (me + 7) % blocks + 1) atomicAdd(wrong, 1);
}

// A fault behind a barrier is told with its own block.
__global__ void faulty(int* a) {
  cg::this_grid().sync();
  if (blockIdx.x == 5 && threadIdx.x == 3) a[1LL << 36] = 1;
}

template <class... T>
cudaError_t launch(void (*kernel)(T...), int blocks, int threads, int shared, T... arguments) {
  void* pointers[] = {&arguments...};
  const cudaError_t error = cudaLaunchCooperativeKernel((void*)kernel, blocks, threads, pointers, shared, 0);
  return error != cudaSuccess ? error : cudaDeviceSynchronize();
}

int main(int count, char**) {
  int *memory, *wrong;
  cudaMallocManaged(&memory, 1 << 20);
  cudaMallocManaged(&wrong, sizeof(int));
  for (const auto& [blocks, threads] : {std::pair(1, 32), {2, 96}, {7, 33}, {64, 128}, {132, 256}}) {
    if (count > 1 && blocks > 16) continue;
    cudaMemset(memory, 0, 1 << 20);
    *wrong = 0;
    cudaError_t error = launch(steps_of_all, blocks, threads, threads * 4, memory, memory + 1024, wrong);
    if (error != cudaSuccess || *wrong != 0)
      return printf("%d x %d: %s, %d\n", blocks, threads, cudaGetErrorString(error), *wrong), 1;
    error = launch(split, blocks, threads, 0, memory, wrong);
    if (error != cudaSuccess || *wrong != 0)
      return printf("split %d x %d: %s, %d\n", blocks, threads, cudaGetErrorString(error), *wrong), 2;
  }
  if (launch(faulty, 8, 64, 0, memory) != cudaErrorIllegalAddress) return 3;
  puts("good");
}
