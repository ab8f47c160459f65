// Blocks of an ordinary launch that wait for blocks that have not begun: on a device a grid that fits is there from the start.
// RUN: %nvcc -arch=sm_80 -std=c++17 %s -o %t -Xcompiler -Wall
// RUN: env HEDDLE_THREADS=1 %t 4224 | FileCheck %s
// RUN: env HEDDLE_THREADS=2 %t 1056 | FileCheck %s
// RUN: env HEDDLE_JIT_TIER=best HEDDLE_THREADS=2 %t 200 | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t 4224 | FileCheck %s
// CHECK: good
// One that does not fit waits for ever there too.
// RUN: not %heddle check --time-limit 2 %t beyond | FileCheck %s --check-prefix=BEYOND
// BEYOND: Time limit
// BEYOND: rounds_of_all
#include <cstdio>
#include <vector>

struct Words {
  unsigned arrived, flag, ticket, serving, lock, begun, behind;
};

// A barrier of the whole grid, of the program's own making.
__device__ void meet(unsigned* arrived, unsigned all) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile unsigned*)arrived < all) {
    }
    __threadfence();
  }
  __syncthreads();
}

// Each block finds what its neighbour left in the round before, and its own shared memory as it left it.
__global__ void rounds_of_all(Words* words, int* found, int rounds) {
  __shared__ int mine[64];
  mine[threadIdx.x] = blockIdx.x * 64 + threadIdx.x;
  const int next = (blockIdx.x + 1) % gridDim.x;
  for (int round = 1; round <= rounds; ++round) {
    if (threadIdx.x == 0) found[blockIdx.x] = round;
    meet(&words->arrived, (2 * round - 1) * gridDim.x);
    if (((volatile int*)found)[next] != round) atomicAdd(&words->behind, 1);
    meet(&words->arrived, 2 * round * gridDim.x);
  }
  if (mine[threadIdx.x] != int(blockIdx.x * 64 + threadIdx.x)) atomicAdd(&words->behind, 1);
}

// All threads wait for the last block.
__global__ void for_the_last(Words* words, int* found) {
  if (blockIdx.x == gridDim.x - 1)
    atomicExch(&words->flag, 1);
  else
    while (atomicAdd(&words->flag, 0) == 0) {
    }
  if (threadIdx.x == 0) found[blockIdx.x] = 1;
}

// Of two blocks the first takes what the second one makes.
__global__ void from_behind(int* found, int* made) {
  volatile int* ready = made + gridDim.x;
  if (blockIdx.x % 2 == 0) {
    while (ready[blockIdx.x + 1] == 0) __nanosleep(100);
    __threadfence();
    if (threadIdx.x == 0) found[blockIdx.x] = ((volatile int*)made)[blockIdx.x + 1];
  } else if (threadIdx.x == 0) {
    made[blockIdx.x] = found[blockIdx.x] = blockIdx.x;
    __threadfence();
    ready[blockIdx.x] = 1;
  }
}

// A lock that is fair: who draws the next number waits for all before.
__global__ void by_tickets(Words* words, int* found) {
  for (int i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) {
      const unsigned mine = atomicAdd(&words->ticket, 1);
      while (atomicAdd(&words->serving, 0) != mine) {
      }
      __threadfence();
      ++*(volatile int*)found;
      __threadfence();
      atomicAdd(&words->serving, 1);
    }
    __syncthreads();
  }
}

// A chain from the last block to the first: each adds what it found, which its threads keep in registers, in memory of their own
// and in shared memory while their first thread waits.
__global__ void from_last_to_first(int* found, int* made) {
  __shared__ int before, sum;
  int own[8];
  for (int i = 0; i < 8; ++i) own[i] = (blockIdx.x + 1) * (threadIdx.x + i);
  const int twice = found[blockIdx.x] + 2 * threadIdx.x;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x + 1 < gridDim.x) {
      while ((before = atomicAdd(&made[blockIdx.x + 1], 0)) == 0) {
      }
    }
    atomicExch(&made[blockIdx.x], before + 1);
  }
  __syncthreads();
  if (own[(twice + before) % 8] == int((blockIdx.x + 1) * (threadIdx.x + (twice + before) % 8)) && twice == int(2 * threadIdx.x))
    atomicAdd(&sum, 1);
  __syncthreads();
  if (threadIdx.x == 0) found[blockIdx.x] = sum == int(blockDim.x) ? before : -1;
}

// No loop only waits: each block takes a lock again and again, to see whether all have come.
__global__ void by_trying(Words* words) {
  if (threadIdx.x != 0) return;
  for (bool counted = false, all = false; !all;) {
    if (atomicCAS(&words->lock, 0, 1) != 0) continue;
    __threadfence();
    if (!counted) ++*(volatile unsigned*)&words->begun;
    counted = true;
    all = *(volatile unsigned*)&words->begun == gridDim.x;
    __threadfence();
    atomicExch(&words->lock, 0);
  }
}

int main(int, char** arguments) {
  const bool beyond = arguments[1][0] == 'b';
  const int most = beyond ? 4225 : atoi(arguments[1]);
  Words* words;
  int *found, *made;
  cudaMalloc(&words, sizeof(Words));
  cudaMalloc(&found, most * 4);
  cudaMalloc(&made, most * 8);
  int wrong = 0;
  const auto check = [&](const char* what, int blocks, auto&& launch, auto&& expected) {
    cudaMemset(words, 0, sizeof(Words));
    cudaMemset(found, 0, most * 4);
    cudaMemset(made, 0, most * 8);
    launch(blocks);
    const cudaError_t error = cudaDeviceSynchronize();
    std::vector<int> has(blocks);
    Words end;
    cudaMemcpy(has.data(), found, blocks * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&end, words, sizeof end, cudaMemcpyDeviceToHost);
    bool fine = error == cudaSuccess && end.behind == 0;
    for (int b = 0; b < blocks; ++b) fine &= has[b] == expected(b, blocks);
    if (!fine) printf("%s of %d blocks: %s, %u behind\n", what, blocks, cudaGetErrorString(error), end.behind);
    wrong += !fine;
  };
  if (beyond) rounds_of_all<<<most, 64>>>(words, found, 1);
  for (const int blocks : {2, 8, most}) {
    check("rounds of all", blocks, [&](int n) { rounds_of_all<<<n, 64>>>(words, found, 2); }, [](int, int) { return 2; });
    check("for the last", blocks, [&](int n) { for_the_last<<<n, 64>>>(words, found); }, [](int, int) { return 1; });
    check("from behind", blocks, [&](int n) { from_behind<<<n, 64>>>(found, made); }, [](int b, int) { return b / 2 * 2 + 1; });
  }
  check("by tickets", 40, [&](int n) { by_tickets<<<n, 32>>>(words, found); }, [](int b, int n) { return b == 0 ? 3 * n : 0; });
  for (const int blocks : {2, 100})
    check("from last to first", blocks, [&](int n) { from_last_to_first<<<n, 64>>>(found, made); }, [](int b, int n) { return n - 1 - b; });
  check("by trying", 8, [&](int n) { by_trying<<<n, 32>>>(words); }, [](int, int) { return 0; });
  printf(wrong == 0 ? "good\n" : "bad\n");
}
