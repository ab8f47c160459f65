// A program may end while better code of its kernel is being made: what LLVM keeps of its own is not taken away under it, and a
// kernel that is started after that still runs.
// RUN: %nvcc -std=c++17 %s -o %t
// RUN: env HEDDLE_CACHE_DIR= %t | FileCheck %s
// RUN: env HEDDLE_CACHE_DIR= %t | FileCheck %s
// RUN: env HEDDLE_CACHE_DIR= %t | FileCheck %s
// CHECK: sum 1
// CHECK-NEXT: late
// CHECK-NEXT: sum 2
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

// Large enough that its best code takes a while.
template <int n>
__device__ float steps(float x, const float* table) {
  if constexpr (n == 0) {
    return x;
  } else {
    const float y = table[n % 64];
    return x < y ? steps<n - 1>(x * y + n, table) : steps<n - 1>(x - y / (x + n), table) + sinf(x);
  }
}

template <int n>
__device__ float many(float x, const float* table) {
  if constexpr (n == 0)
    return x;
  else
    return many<n - 1>(steps<5>(x * n, table) + 1, table);
}

__global__ void work(const float* table, float* out, int rounds) {
  float x = threadIdx.x;
  for (int i = 0; i < rounds; ++i) x = many<1>(x, table);
  out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void count(int* sum) { *sum += 1; }

static int* sum;

static void count_once() {
  count<<<1, 1>>>(sum);
  cudaDeviceSynchronize();
  std::printf("sum %d\n", *sum);
}

// Registered before the first call, so it runs behind whatever the runtime registers.
static void late() {
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  std::puts("late");
  count_once();
}

int main() {
  std::atexit(late);
  float *table, *out;
  cudaMallocManaged(&sum, sizeof *sum);
  cudaMallocManaged(&table, 64 * sizeof *table);
  cudaMallocManaged(&out, 1024 * 256 * sizeof *out);
  count_once();
  for (int i = 0; i < 64; ++i) table[i] = i;
  work<<<1024, 256>>>(table, out, 90);
  cudaDeviceSynchronize();
}
