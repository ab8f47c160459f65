// Occupancy by the kernel itself, and the block size that gives most of it (CUDA Runtime API, "C++ API
// Routines"; CUDA C++ Programming Guide, "Occupancy Calculator").
#ifndef HEDDLE_CRT_RUNTIME_OCCUPANCY_H
#define HEDDLE_CRT_RUNTIME_OCCUPANCY_H

#include "cuda_runtime_api.h"

#define HEDDLE_API_ static __inline__ __host__ __attribute__((unused)) cudaError_t

template <class T>
HEDDLE_API_ cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize,
                                                          size_t dynamicSMemSize) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void*)func, blockSize,
                                                                  dynamicSMemSize, cudaOccupancyDefault);
}
template <class T>
HEDDLE_API_ cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, T func, int blockSize,
                                                                   size_t dynamicSMemSize,
                                                                   unsigned int flags) {
  return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, (const void*)func, blockSize,
                                                                  dynamicSMemSize, flags);
}
template <class T>
HEDDLE_API_ cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, T* func, int numBlocks,
                                                      int blockSize) {
  return ::cudaOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, (const void*)func, numBlocks,
                                                     blockSize);
}
template <class T>
HEDDLE_API_ cudaOccupancyMaxPotentialClusterSize(int* clusterSize, T* func,
                                                 const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxPotentialClusterSize(clusterSize, (const void*)func, config);
}
template <class T>
HEDDLE_API_ cudaOccupancyMaxActiveClusters(int* numClusters, T* func, const cudaLaunchConfig_t* config) {
  return ::cudaOccupancyMaxActiveClusters(numClusters, (const void*)func, config);
}

// Tries every whole number of warps from the largest block down and keeps the first with the most resident
// threads.
template <class UnaryFunction, class T>
HEDDLE_API_ cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* minGridSize, int* blockSize, T func,
                                                                    UnaryFunction blockSizeToDynamicSMemSize,
                                                                    int blockSizeLimit = 0,
                                                                    unsigned int flags = 0) {
  if (!minGridSize || !blockSize || !func) return cudaErrorInvalidValue;
  int device, threads_per_multiprocessor, warp, threads_per_block, multiprocessors;
  struct cudaFuncAttributes attributes;
  cudaError_t status = ::cudaGetDevice(&device);
  if (status == cudaSuccess)
    status =
        ::cudaDeviceGetAttribute(&threads_per_multiprocessor, cudaDevAttrMaxThreadsPerMultiProcessor, device);
  if (status == cudaSuccess) status = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
  if (status == cudaSuccess)
    status = ::cudaDeviceGetAttribute(&threads_per_block, cudaDevAttrMaxThreadsPerBlock, device);
  if (status == cudaSuccess)
    status = ::cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess) status = ::cudaFuncGetAttributes(&attributes, (const void*)func);
  if (status != cudaSuccess) return status;

  int limit = attributes.maxThreadsPerBlock;
  if (threads_per_block < limit) limit = threads_per_block;
  if (blockSizeLimit > 0 && blockSizeLimit < limit) limit = blockSizeLimit;
  int best_threads = 0, best_blocks = 0, best_size = 0;
  for (int rounded = (limit + warp - 1) / warp * warp; rounded > 0; rounded -= warp) {
    int size = limit < rounded ? limit : rounded, blocks;
    status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        &blocks, (const void*)func, size, blockSizeToDynamicSMemSize(size), flags);
    if (status != cudaSuccess) return status;
    if (size * blocks > best_threads) {
      best_threads = size * blocks;
      best_blocks = blocks;
      best_size = size;
    }
    if (best_threads == threads_per_multiprocessor) break;
  }
  *minGridSize = best_blocks * multiprocessors;
  *blockSize = best_size;
  return cudaSuccess;
}
template <class UnaryFunction, class T>
HEDDLE_API_ cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T func,
                                                           UnaryFunction blockSizeToDynamicSMemSize,
                                                           int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, blockSizeLimit, cudaOccupancyDefault);
}

namespace heddle_launch {
struct SameSize {
  size_t bytes;
  __host__ size_t operator()(int) const { return bytes; }
};
}  // namespace heddle_launch

template <class T>
HEDDLE_API_ cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T func,
                                                        size_t dynamicSMemSize = 0, int blockSizeLimit = 0,
                                                        unsigned int flags = 0) {
  heddle_launch::SameSize same = {dynamicSMemSize};
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, same,
                                                                 blockSizeLimit, flags);
}
template <class T>
HEDDLE_API_ cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func,
                                               size_t dynamicSMemSize = 0, int blockSizeLimit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize,
                                                     blockSizeLimit, cudaOccupancyDefault);
}

#undef HEDDLE_API_

#endif
