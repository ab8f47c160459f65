// What a program prefers of L1 cache and shared memory changes what fits, as the device divides them.
// RUN: %nvcc -arch=compute_30 %s -lcuda -o %t
// RUN: env HEDDLE_DEVICE=gtx680 %t 12 4 8 12 && env HEDDLE_DEVICE=v100 %t 24 24 24 8 && env HEDDLE_DEVICE=gtx980 %t 24 24 24 24
#include <cuda.h>
#include <cuda_occupancy.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

__global__ void tile(int* p) {
  __shared__ int memory[1024];  // 4 KB
  memory[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = memory[31 - threadIdx.x];
}

int failures;
void expect(const char* what, long got, long wanted) {
  if (got == wanted) return;
  std::printf("%s: %ld, expected %ld\n", what, got, wanted);
  ++failures;
}
int resident() {
  int blocks = -1;
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, tile, 32, 0) != cudaSuccess) return -1;
  return blocks;
}
int by_header(cudaOccCacheConfig cache, int carveout) {
  cudaDeviceProp device;
  cudaFuncAttributes attributes;
  cudaGetDeviceProperties(&device, 0);
  cudaFuncGetAttributes(&attributes, tile);
  const cudaOccDeviceProp properties(device);
  const cudaOccFuncAttributes function(attributes);
  cudaOccDeviceState state;
  state.cacheConfig = cache;
  state.carveoutConfig = carveout;
  cudaOccResult result;
  if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &function, &state, 32, 0) != CUDA_OCC_SUCCESS) return -1;
  return result.activeBlocksPerMultiprocessor;
}

// Arguments: blocks of 4 KB without a preference, with L1 preferred, with equal parts, with a carve-out of 30 %.
int main(int, char** arguments) {
  const int usual = std::atoi(arguments[1]), l1 = std::atoi(arguments[2]), equal = std::atoi(arguments[3]),
            carved = std::atoi(arguments[4]);
  expect("usual", resident(), usual);
  size_t all = 0, left = 0;
  cudaOccupancyAvailableDynamicSMemPerBlock(&all, tile, 2, 32);

  cudaFuncSetCacheConfig(tile, cudaFuncCachePreferL1);
  expect("L1", resident(), l1);
  expect("L1 by header", by_header(CACHE_PREFER_L1, -1), l1);
  cudaOccupancyAvailableDynamicSMemPerBlock(&left, tile, 2, 32);
  if (l1 == usual) expect("left", left, all);
  cudaFuncSetCacheConfig(tile, cudaFuncCachePreferEqual);
  expect("equal", resident(), equal);
  expect("equal by header", by_header(CACHE_PREFER_EQUAL, -1), equal);
  // The device's preference holds for kernels without one.
  cudaFuncSetCacheConfig(tile, cudaFuncCachePreferNone);
  cudaDeviceSetCacheConfig(cudaFuncCachePreferL1);
  expect("device", resident(), l1);
  cudaDeviceSetCacheConfig(cudaFuncCachePreferNone);
  expect("none", resident(), usual);

  cudaFuncSetAttribute(tile, cudaFuncAttributePreferredSharedMemoryCarveout, 30);
  expect("carve-out", resident(), carved);
  expect("carve-out by header", by_header(CACHE_PREFER_NONE, 30), carved);
  cudaFuncSetAttribute(tile, cudaFuncAttributePreferredSharedMemoryCarveout, -1);
  expect("again", resident(), usual);

  // Not more than the kernel may have: 48 KB with its own 4, unless it asked for more.
  cudaOccupancyAvailableDynamicSMemPerBlock(&left, tile, 1, 32);
  expect("one block", left, 45056);
  if (cudaFuncSetAttribute(tile, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536) == cudaSuccess) {
    cudaOccupancyAvailableDynamicSMemPerBlock(&left, tile, 1, 32);
    expect("one block that asked for more", left, 65536);
  }

  // More blocks than there can be are wrong, not a size of 0.
  expect("too many", cudaOccupancyAvailableDynamicSMemPerBlock(&left, tile, usual + 1, 32), cudaErrorInvalidValue);
  CUfunction function;
  if (cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(tile)) != cudaSuccess) return 1;
  expect("too many, driver", cuOccupancyAvailableDynamicSMemPerBlock(&left, function, usual + 1, 32), CUDA_ERROR_INVALID_VALUE);
  return failures != 0;
}
