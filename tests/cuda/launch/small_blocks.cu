// Grids of many blocks of few threads: several run as one, and each thread knows its own block all the same.
// RUN: %nvcc -lineinfo %s -o %t && %t
// RUN: env HEDDLE_EXECUTOR=interp %t
// RUN: env HEDDLE_JIT_TIER=best %t
// RUN: env HEDDLE_JIT_CPU=avx2 %t
// RUN: env HEDDLE_JIT_CPU=x86-64-v2 HEDDLE_THREADS=1 %t
// RUN: env HEDDLE_TRACE=api not %t faults 2>&1 | FileCheck %s
// CHECK: illegal address: write of 4 bytes{{.*}}kernel 'bad(int*)', block (77,1,0), thread (1,1,0)
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Where {
  unsigned block[3], thread[3];
};

__global__ void who(Where* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  Where& w = out[block * (blockDim.x * blockDim.y * blockDim.z) + thread];
  w = {{blockIdx.x, blockIdx.y, blockIdx.z}, {threadIdx.x, threadIdx.y, threadIdx.z}};
}

// The index that everybody writes, an offset between, more of the block's number than its threads.
__global__ void indices(unsigned* out, unsigned n, unsigned offset) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned j = (blockIdx.x * blockDim.x + offset) + threadIdx.x;
  if (i < n) out[i] = j + blockIdx.x * 12 + threadIdx.x % 2;
}

__global__ void count(unsigned* total, unsigned* last, unsigned* order) {
  const unsigned before = atomicAdd(total, 1u);
  order[before] = blockIdx.x * blockDim.x + threadIdx.x;
  __threadfence();
  if (before == gridDim.x * blockDim.x - 1) *last = blockIdx.x;
}

// A private array, loops as long as the block's number says, and threads that leave.
__global__ void works(unsigned* out) {
  unsigned kept[8] = {};
  if (blockIdx.x % 5 == 3) return;
  for (unsigned k = 0; k < blockIdx.x % 23; ++k) kept[(k * 5 + threadIdx.x) % 8] += k + blockIdx.x;
  unsigned sum = 0;
  for (unsigned k = 0; k < 8; ++k) sum = sum * 31 + kept[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Their threads meet, so these stay blocks of their own.
__global__ void meets(unsigned* out) {
  __shared__ unsigned shared[4];
  shared[threadIdx.x] = blockIdx.x + threadIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}
__global__ void votes(unsigned* out) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = __ballot_sync(__activemask(), blockIdx.x % 3 == 0);
}

__global__ void bad(int* p) {
  if (blockIdx.x == 77 && blockIdx.y == 1 && threadIdx.x == 1 && threadIdx.y == 1) p[1LL << 36] = 1;
}

static void check(bool right, const char* what, unsigned at) {
  if (right) return;
  printf("%s: wrong at %u\n", what, at);
  exit(1);
}

int main(int arguments, char**) {
  unsigned* memory;
  cudaMalloc(&memory, 1 << 22);
  if (arguments > 1) {
    bad<<<dim3(150, 3), dim3(2, 2)>>>(reinterpret_cast<int*>(memory));
    return cudaDeviceSynchronize() != cudaSuccess;
  }
  const auto got = [&](std::size_t n) {
    std::vector<unsigned> host(n);
    if (cudaMemcpy(host.data(), memory, 4 * n, cudaMemcpyDeviceToHost) != cudaSuccess) exit(2);
    return host;
  };

  for (const dim3 block :
       {dim3(1), dim3(2), dim3(3), dim3(4), dim3(1, 3), dim3(2, 2), dim3(1, 2, 2), dim3(8)})
    for (const dim3 grid : {dim3(1), dim3(31), dim3(64), dim3(1000), dim3(131, 5), dim3(65, 2, 3)}) {
      who<<<grid, block>>>(reinterpret_cast<Where*>(memory));
      const unsigned size = block.x * block.y * block.z, all = grid.x * grid.y * grid.z * size;
      const auto host = got(std::size_t{6} * all);
      for (unsigned i = 0; i < all; ++i) {
        const unsigned b = i / size, t = i % size;
        const unsigned want[6] = {b % grid.x,  b / grid.x % grid.y,   b / grid.x / grid.y,
                                  t % block.x, t / block.x % block.y, t / block.x / block.y};
        for (unsigned k = 0; k < 6; ++k) check(host[6 * i + k] == want[k], "who", 6 * i + k);
      }
    }
  for (const unsigned size : {1u, 2u, 3u, 4u})
    for (const unsigned blocks : {64u, 1001u}) {
      const unsigned n = size * blocks;
      cudaMemset(memory, 0, 4 * n);
      indices<<<blocks, size>>>(memory, n - 7, 5);
      auto host = got(n);
      for (unsigned i = 0; i < n; ++i)
        check(host[i] == (i < n - 7 ? i + 5 + i / size * 12 + i % size % 2 : 0), "indices", i);

      cudaMemset(memory, 0, 4 * n + 8);
      count<<<blocks, size>>>(memory, memory + 1, memory + 2);
      host = got(n + 2);
      check(host[0] == n, "count", 0);
      check(host[1] == host[n + 1] / size, "last", 1);
      std::vector<unsigned> seen(n);
      for (unsigned i = 0; i < n; ++i) check(host[i + 2] < n && seen[host[i + 2]]++ == 0, "order", i);

      cudaMemset(memory, 0, 4 * n);
      works<<<blocks, size>>>(memory);
      host = got(n);
      for (unsigned i = 0; i < n; ++i) {
        const unsigned b = i / size, t = i % size;
        unsigned kept[8] = {}, sum = 0;
        for (unsigned k = 0; k < b % 23; ++k) kept[(k * 5 + t) % 8] += k + b;
        for (unsigned k = 0; k < 8; ++k) sum = sum * 31 + kept[k];
        check(host[i] == (b % 5 == 3 ? 0 : sum), "works", i);
      }

      meets<<<blocks, size>>>(memory);
      host = got(n);
      for (unsigned i = 0; i < n; ++i) check(host[i] == i / size + size - 1 - i % size, "meets", i);
      votes<<<blocks, size>>>(memory);
      host = got(n);
      for (unsigned i = 0; i < n; ++i)
        check(host[i] == (i / size % 3 == 0 ? (1u << size) - 1 : 0), "votes", i);
    }
  return 0;
}
