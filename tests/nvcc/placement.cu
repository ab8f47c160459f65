// Threads of a block come to warps in order of x, y, z (CUDA C Programming Guide, "SIMT Architecture"); blocks to multiprocessors in turn, as
// many as fit, and the next ones to the places of those that ended. The same on any number of host threads, by both executors; and no two
// warps are at one place at once, so that programs can keep memory for each.
// RUN: %nvcc -w -arch=sm_20 %s -o %t
// RUN: env HEDDLE_DEVICE=gtx480 %t | FileCheck %s -DSM=15 -DWARPS=48 -DFIT=8 -DSUM=534305
// RUN: env HEDDLE_DEVICE=gtx480 HEDDLE_THREADS=1 %t | FileCheck %s -DSM=15 -DWARPS=48 -DFIT=8 -DSUM=534305
// RUN: env HEDDLE_DEVICE=gtx480 HEDDLE_THREADS=3 %t | FileCheck %s -DSM=15 -DWARPS=48 -DFIT=8 -DSUM=534305
// RUN: env HEDDLE_DEVICE=gtx480 HEDDLE_EXECUTOR=interp %t | FileCheck %s -DSM=15 -DWARPS=48 -DFIT=8 -DSUM=534305
// RUN: %nvcc -w -arch=sm_90 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 %t | FileCheck %s -DSM=132 -DWARPS=64 -DFIT=32 -DSUM=2443648
// RUN: env HEDDLE_DEVICE=h200 HEDDLE_THREADS=3 %t | FileCheck %s -DSM=132 -DWARPS=64 -DFIT=32 -DSUM=2443648
// RUN: env HEDDLE_DEVICE=h200 HEDDLE_EXECUTOR=interp %t | FileCheck %s -DSM=132 -DWARPS=64 -DFIT=32 -DSUM=2443648
// CHECK: [[SM]] multiprocessors of [[WARPS]] warps, [[FIT]] blocks each
// CHECK-NEXT: 480000 threads, 0 in another lane, 0 elsewhere than their warp
// CHECK-NEXT: 0 of 8000 blocks on a multiprocessor or at a place that is not there
// CHECK-NEXT: 0 pairs of warps at one place at once
// CHECK-NEXT: blocks on a multiprocessor differ by at most 1
// CHECK-NEXT: sum of places [[SUM]]
#include <algorithm>
#include <cstdio>
#include <vector>

struct Place {
  unsigned short warp, lane, multiprocessor;
};

__global__ void kernel(Place* places, unsigned* sizes, int* taken, unsigned* met) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned warp, lane, multiprocessor;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(warp));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(sizes[0]));
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(sizes[1]));
  Place place;
  place.warp = warp;
  place.lane = lane;
  place.multiprocessor = multiprocessor;
  // Some blocks stay longer.
  if (lane == 0 && atomicExch(&taken[multiprocessor * 64 + warp], 1) != 0) atomicAdd(met, 1);
  for (unsigned i = 0; i < block % 7 * 40; ++i) atomicAdd(&taken[132 * 64 + thread % 8], 1);
  if (lane == 0) atomicExch(&taken[multiprocessor * 64 + warp], 0);
  places[block * blockDim.x * blockDim.y * blockDim.z + thread] = place;
}

int main() {
  const dim3 grid(40, 20, 10), block(5, 3, 4);
  const unsigned blocks = 8000, threads = 60;
  std::vector<Place> host(blocks * threads);
  Place* device;
  unsigned *counts, sizes[3];
  int *taken, fit;
  cudaMalloc(&device, host.size() * sizeof(Place));
  cudaMalloc(&counts, sizeof sizes);
  cudaMemset(counts, 0, sizeof sizes);
  cudaMalloc(&taken, sizeof(int) * (132 * 64 + 8));
  cudaMemset(taken, 0, sizeof(int) * (132 * 64 + 8));
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, 0);
  kernel<<<grid, block>>>(device, counts, taken, counts + 2);
  cudaMemcpy(host.data(), device, host.size() * sizeof(Place), cudaMemcpyDeviceToHost);
  cudaMemcpy(sizes, counts, sizeof sizes, cudaMemcpyDeviceToHost);
  unsigned other_lane = 0, elsewhere = 0, outside = 0;
  unsigned long long sum = 0;
  std::vector<unsigned> dealt(sizes[0]);
  for (unsigned b = 0; b < blocks; ++b) {
    const Place* own = &host[b * threads];
    for (unsigned t = 0; t < threads; ++t) {
      other_lane += own[t].lane != t % 32;
      elsewhere += own[t].multiprocessor != own[0].multiprocessor || own[t].warp != own[t / 32 * 32].warp;
    }
    // Two warps of a block are at two places.
    outside += own[0].multiprocessor >= sizes[0] || own[0].warp >= sizes[1] || own[32].warp >= sizes[1] || own[0].warp == own[32].warp;
    sum += own[0].multiprocessor + 3 * own[0].warp + 5 * own[32].warp;
    ++dealt[own[0].multiprocessor];
  }
  std::printf("%u multiprocessors of %u warps, %d blocks each\n", sizes[0], sizes[1], fit);
  std::printf("%u threads, %u in another lane, %u elsewhere than their warp\n", blocks * threads, other_lane, elsewhere);
  std::printf("%u of %u blocks on a multiprocessor or at a place that is not there\n", outside, blocks);
  std::printf("%u pairs of warps at one place at once\n", sizes[2]);
  const auto [least, most] = std::minmax_element(dealt.begin(), dealt.end());
  std::printf("blocks on a multiprocessor differ by at most %u\n", *most - *least);
  std::printf("sum of places %llu\n", sum);
}
