// Scans over tiles of several warps, of values and operators of any kind.
// RUN: %nvcc -arch=sm_80 -std=c++17 %s -o %t -Xcompiler -Wall && %t
// RUN: env HEDDLE_EXECUTOR=interp %t
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

// Not commutative: the order of ranks shows.
struct Affine {
  unsigned scale, offset;
};
struct Then {
  __host__ __device__ Affine operator()(Affine a, Affine b) const { return {a.scale * b.scale, a.offset * b.scale + b.offset}; }
};
__host__ __device__ Affine affine(unsigned i) { return {2 * (i % 7) + 1, i * 2654435761u}; }

template <unsigned Size>
__global__ void scans(int* sums, int* before, Affine* chains, Affine* chains_before, int* counter, int* places) {
  __shared__ cg::block_tile_memory<512> memory;
  const cg::thread_block block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<Size>(block);
  const int value = (int)(threadIdx.x * 37 % 101);
  sums[threadIdx.x] = cg::inclusive_scan(tile, value);
  before[threadIdx.x] = cg::exclusive_scan(tile, value, cg::plus<int>());
  chains[threadIdx.x] = cg::inclusive_scan(tile, affine(threadIdx.x), Then());
  const Affine chain = cg::exclusive_scan(tile, affine(threadIdx.x), Then());
  chains_before[threadIdx.x] = tile.thread_rank() == 0 ? Affine{1, 0} : chain;
  cuda::atomic_ref<int, cuda::thread_scope_device> all(*counter);
  places[threadIdx.x] = cg::exclusive_scan_update(tile, all, 3, cg::plus<int>());
}

template <class T>
T* many(int count) {
  T* memory = nullptr;
  cudaMallocManaged(&memory, count * sizeof(T));
  return memory;
}

template <unsigned Size>
int check(int threads) {
  int *sums = many<int>(threads), *before = many<int>(threads), *places = many<int>(threads), *counter = many<int>(1);
  Affine *chains = many<Affine>(threads), *chains_before = many<Affine>(threads);
  *counter = 5;
  scans<Size><<<1, threads>>>(sums, before, chains, chains_before, counter, places);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int first = 0; first < threads; first += Size) {
    int sum = 0;
    Affine chain = {1, 0};
    for (int i = first; i < first + (int)Size; ++i) {
      if (before[i] != sum || chains_before[i].scale != chain.scale || chains_before[i].offset != chain.offset)
        return printf("tiles of %u: before thread %d\n", Size, i), 2;
      sum += i * 37 % 101;
      chain = Then()(chain, affine(i));
      if (sums[i] != sum || chains[i].scale != chain.scale || chains[i].offset != chain.offset)
        return printf("tiles of %u: thread %d\n", Size, i), 3;
    }
  }
  std::vector<int> sorted(places, places + threads);
  std::sort(sorted.begin(), sorted.end());
  for (int i = 0; i < threads; ++i)
    if (sorted[i] != 5 + 3 * i) return printf("tiles of %u: place %d is %d\n", Size, i, sorted[i]), 4;
  return *counter == 5 + 3 * threads ? 0 : 5;
}

int main() {
  if (const int bad = check<32>(128)) return bad;
  if (const int bad = check<64>(256)) return bad;
  if (const int bad = check<128>(128)) return bad;
  if (const int bad = check<256>(512)) return bad;
  return check<512>(512);
}
