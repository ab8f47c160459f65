// Threads of a block come to warps in order of x, y, z (CUDA C Programming Guide, "SIMT Architecture"); blocks to
// multiprocessors in turn. The same on any number of host threads, by both executors.
// RUN: %nvcc -w -arch=sm_20 %s -o %t
// RUN: env HEDDLE_DEVICE=gtx480 %t | FileCheck %s -DSM=15 -DWARPS=48
// RUN: env HEDDLE_DEVICE=gtx480 HEDDLE_THREADS=1 %t | FileCheck %s -DSM=15 -DWARPS=48
// RUN: env HEDDLE_DEVICE=gtx480 HEDDLE_THREADS=3 %t | FileCheck %s -DSM=15 -DWARPS=48
// RUN: env HEDDLE_DEVICE=gtx480 HEDDLE_EXECUTOR=interp %t | FileCheck %s -DSM=15 -DWARPS=48
// RUN: %nvcc -w -arch=sm_90 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 %t | FileCheck %s -DSM=132 -DWARPS=64
// RUN: env HEDDLE_DEVICE=h200 HEDDLE_EXECUTOR=interp %t | FileCheck %s -DSM=132 -DWARPS=64
// CHECK: [[SM]] multiprocessors of [[WARPS]] warps
// CHECK-NEXT: 2160 threads, 0 in another warp or lane, 0 on another multiprocessor
// CHECK-NEXT: blocks on a multiprocessor differ by at most 1
#include <algorithm>
#include <cstdio>
#include <vector>

struct Place {
  unsigned warp, lane, multiprocessor, multiprocessors, warps;
};

__global__ void kernel(Place* places) {
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  Place place;
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(place.warp));
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(place.lane));
  asm volatile("mov.u32 %0, %%smid;" : "=r"(place.multiprocessor));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(place.multiprocessors));
  asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(place.warps));
  places[block * blockDim.x * blockDim.y * blockDim.z + thread] = place;
}

int main() {
  const dim3 grid(3, 2, 6), block(5, 3, 4);
  const unsigned blocks = 36, threads = 60;
  std::vector<Place> host(blocks * threads);
  Place* device;
  cudaMalloc(&device, host.size() * sizeof(Place));
  kernel<<<grid, block>>>(device);
  cudaMemcpy(host.data(), device, host.size() * sizeof(Place), cudaMemcpyDeviceToHost);
  unsigned elsewhere = 0, other = 0;
  std::vector<unsigned> dealt(host[0].multiprocessors);
  for (unsigned b = 0; b < blocks; ++b) {
    for (unsigned t = 0; t < threads; ++t) {
      const Place& place = host[b * threads + t];
      elsewhere += place.warp != t / 32 || place.lane != t % 32;
      other += place.multiprocessor != host[b * threads].multiprocessor || place.multiprocessor >= dealt.size();
    }
    ++dealt[host[b * threads].multiprocessor];
  }
  std::printf("%u multiprocessors of %u warps\n", host[0].multiprocessors, host[0].warps);
  std::printf("%u threads, %u in another warp or lane, %u on another multiprocessor\n", blocks * threads, elsewhere, other);
  const auto [least, most] = std::minmax_element(dealt.begin(), dealt.end());
  std::printf("blocks on a multiprocessor differ by at most %u\n", *most - *least);
}
