// Lanes of a warp that exchange values through shared memory and shuffles with no barrier between: nothing parts them, so they are in step
// as on hardware, whichever code runs them and wherever it comes from.
// RUN: %nvcc -arch=sm_80 %s -o %t && rm -rf %t.cache
// RUN: env HEDDLE_CACHE_DIR=%t.cache %t | FileCheck %s
// RUN: env HEDDLE_CACHE_DIR=%t.cache %t | FileCheck %s
// RUN: env HEDDLE_CACHE_DIR=%t.cache HEDDLE_JIT_TIER=best %t | FileCheck %s
// RUN: env HEDDLE_CACHE_DIR=%t.cache %t | FileCheck %s
// RUN: env HEDDLE_CACHE_DIR= HEDDLE_JIT_TIER=quick %t | FileCheck %s
// RUN: env HEDDLE_CACHE_DIR= HEDDLE_JIT_TIER=best %t | FileCheck %s
// RUN: env HEDDLE_CACHE_DIR= HEDDLE_JIT_VECTORS=0 %t | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t | FileCheck %s
// CHECK: 0 of 1024 wrong
#include <cstdio>

constexpr int turns = 3, threads = 256, blocks = 4;

// Each lane adds up what all lanes of its warp have written in this turn.
__global__ void exchange(int* sums) {
  __shared__ int numbers[threads];
  const int lane = threadIdx.x % 32, first = threadIdx.x - lane;
  float passed = lane;
  int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    numbers[threadIdx.x] = lane + turn;
    int from = (lane + 1) % 32;
    for (int i = 0; i < 32; ++i) {
      if (passed < 100) sum += numbers[first + from];
      passed = __shfl_sync(~0u, passed, (lane + 1) % 32);
      from = (from + 1) % 32;
    }
  }
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main() {
  int* sums;
  cudaMallocManaged(&sums, blocks * threads * sizeof(int));
  exchange<<<blocks, threads>>>(sums);
  cudaDeviceSynchronize();
  int wrong = 0;
  for (int i = 0; i < blocks * threads; ++i) wrong += sums[i] != turns * 31 * 16 + 32 * (turns * (turns - 1) / 2);
  std::printf("%d of %d wrong\n", wrong, blocks * threads);
}
