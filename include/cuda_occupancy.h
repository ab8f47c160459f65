/* The occupancy calculator for programs that do without the runtime: how many blocks of a kernel a
 * multiprocessor holds, and which block fills it best (CUDA C++ Programming Guide, "Occupancy Calculator"). C
 * and C++, no library.
 *
 * What a device has comes from the caller; what cudaDeviceProp does not say, from a table by compute
 * capability. */
#ifndef CUDA_OCCUPANCY_H
#define CUDA_OCCUPANCY_H

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "cuda_occupancy_table.h"

#define HEDDLE_OCC_HOST static inline __attribute__((unused))

typedef enum cudaOccError_enum {
  CUDA_OCC_SUCCESS = 0,
  CUDA_OCC_ERROR_INVALID_ARGUMENT = 1,
  CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;

typedef enum cudaOccCacheConfig_enum {
  CACHE_PREFER_NONE = 0x00,
  CACHE_PREFER_SHARED = 0x01,
  CACHE_PREFER_L1 = 0x02,
  CACHE_PREFER_EQUAL = 0x03
} cudaOccCacheConfig;

/* Of the largest part that shared memory can have, in per cent. */
typedef enum cudaOccCarveoutConfig_enum {
  SHAREDMEM_CARVEOUT_DEFAULT = -1,
  SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
  SHAREDMEM_CARVEOUT_MAX_L1 = 0,
  SHAREDMEM_CARVEOUT_HALF = 50
} cudaOccCarveoutConfig;

/* Caching of global loads in partitions of a multiprocessor, on compute capability 5.2: the request is taken
 * and told back, it changes no limit here. */
typedef enum cudaOccPartitionedGCConfig_enum {
  PARTITIONED_GC_OFF,
  PARTITIONED_GC_ON,
  PARTITIONED_GC_ON_STRICT
} cudaOccPartitionedGCConfig;

typedef enum cudaOccFuncShmemConfig_enum {
  FUNC_SHMEM_LIMIT_DEFAULT,
  FUNC_SHMEM_LIMIT_OPTIN
} cudaOccFuncShmemConfig;

typedef enum cudaOccLimitingFactor_enum {
  OCC_LIMIT_WARPS = 0x01,
  OCC_LIMIT_REGISTERS = 0x02,
  OCC_LIMIT_SHARED_MEMORY = 0x04,
  OCC_LIMIT_BLOCKS = 0x08,
  OCC_LIMIT_BARRIERS = 0x10
} cudaOccLimitingFactor;

/* Fields of cudaDeviceProp, whose names say them. */
typedef struct cudaOccDeviceProp {
  int computeMajor, computeMinor;
  int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
  int regsPerBlock, regsPerMultiprocessor;
  int warpSize;
  size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
  int numSms;
  size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#ifdef __cplusplus
  template <typename DeviceProp>
  cudaOccDeviceProp(const DeviceProp& p)
      : computeMajor(p.major),
        computeMinor(p.minor),
        maxThreadsPerBlock(p.maxThreadsPerBlock),
        maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor),
        regsPerBlock(p.regsPerBlock),
        regsPerMultiprocessor(p.regsPerMultiprocessor),
        warpSize(p.warpSize),
        sharedMemPerBlock(p.sharedMemPerBlock),
        sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor),
        numSms(p.multiProcessorCount),
        sharedMemPerBlockOptin(p.sharedMemPerBlockOptin),
        reservedSharedMemPerBlock(p.reservedSharedMemPerBlock) {}
  cudaOccDeviceProp()
      : computeMajor(0),
        computeMinor(0),
        maxThreadsPerBlock(0),
        maxThreadsPerMultiprocessor(0),
        regsPerBlock(0),
        regsPerMultiprocessor(0),
        warpSize(0),
        sharedMemPerBlock(0),
        sharedMemPerMultiprocessor(0),
        numSms(0),
        sharedMemPerBlockOptin(0),
        reservedSharedMemPerBlock(0) {}
#endif
} cudaOccDeviceProp;

/* Fields of cudaFuncAttributes. */
typedef struct cudaOccFuncAttributes {
  int maxThreadsPerBlock, numRegs;
  size_t sharedSizeBytes; /* static */
  cudaOccPartitionedGCConfig partitionedGCConfig;
  cudaOccFuncShmemConfig shmemLimitConfig;
  size_t maxDynamicSharedSizeBytes;
  int numBlockBarriers;
#ifdef __cplusplus
  template <typename FuncAttributes>
  cudaOccFuncAttributes(const FuncAttributes& a)
      : maxThreadsPerBlock(a.maxThreadsPerBlock),
        numRegs(a.numRegs),
        sharedSizeBytes(a.sharedSizeBytes),
        partitionedGCConfig(PARTITIONED_GC_OFF),
        shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
        maxDynamicSharedSizeBytes(a.maxDynamicSharedSizeBytes),
        numBlockBarriers(1) {}
  cudaOccFuncAttributes()
      : maxThreadsPerBlock(0),
        numRegs(0),
        sharedSizeBytes(0),
        partitionedGCConfig(PARTITIONED_GC_OFF),
        shmemLimitConfig(FUNC_SHMEM_LIMIT_DEFAULT),
        maxDynamicSharedSizeBytes(0),
        numBlockBarriers(0) {}
#endif
} cudaOccFuncAttributes;

typedef struct cudaOccDeviceState {
  cudaOccCacheConfig cacheConfig; /* before compute capability 5.0 */
  int carveoutConfig;             /* from 7.0 on */
#ifdef __cplusplus
  cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
} cudaOccDeviceState;

typedef struct cudaOccResult {
  int activeBlocksPerMultiprocessor;
  unsigned int limitingFactors; /* of cudaOccLimitingFactor, one or several */
  int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks,
      blockLimitBarriers; /* INT_MAX: none */
  int allocatedRegistersPerBlock;
  size_t allocatedSharedMemPerBlock;
  cudaOccPartitionedGCConfig partitionedGCConfig;
} cudaOccResult;

/* ---- of a capability and of what the program set */

HEDDLE_OCC_HOST const struct heddle_occ_capability* heddle_occ_find(const cudaOccDeviceProp* device) {
  size_t i;
  for (i = 0; i < sizeof heddle_occ_capabilities / sizeof *heddle_occ_capabilities; ++i)
    if (heddle_occ_capabilities[i].major == device->computeMajor &&
        heddle_occ_capabilities[i].minor == device->computeMinor)
      return &heddle_occ_capabilities[i];
  return 0;
}
HEDDLE_OCC_HOST size_t heddle_occ_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }
HEDDLE_OCC_HOST int heddle_occ_least(int a, int b) { return a < b ? a : b; }

/* The smallest size that holds so many bytes. */
HEDDLE_OCC_HOST size_t heddle_occ_size(const struct heddle_occ_capability* c, const cudaOccDeviceProp* device,
                                       size_t bytes) {
  unsigned i;
  for (i = 0; i < c->sizes; ++i)
    if (c->size[i] >= bytes) return c->size[i];
  return device->sharedMemPerMultiprocessor;
}

/* What shared memory has of a multiprocessor, for blocks that take `taken`. */
HEDDLE_OCC_HOST size_t heddle_occ_shared(const struct heddle_occ_capability* c,
                                         const cudaOccDeviceProp* device, const cudaOccDeviceState* state,
                                         size_t taken) {
  const size_t all = device->sharedMemPerMultiprocessor;
  size_t asked = all;
  if (c->sizes <= 1) return all;
  if (c->shared_carveout) {
    if (state->carveoutConfig < 0) return all;
    asked = all * (size_t)state->carveoutConfig / 100;
    return heddle_occ_size(c, device, asked > taken ? asked : taken);
  }
  if (state->cacheConfig == CACHE_PREFER_L1) asked = c->size[0];
  if (state->cacheConfig == CACHE_PREFER_EQUAL && c->sizes > 2) asked = c->size[c->sizes / 2];
  return taken <= asked ? asked : all; /* too small for a block: all */
}

/* ---- the calculator */

HEDDLE_OCC_HOST cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult* result,
                                                                     const cudaOccDeviceProp* properties,
                                                                     const cudaOccFuncAttributes* attributes,
                                                                     const cudaOccDeviceState* state,
                                                                     int blockSize, size_t dynamicSmemSize) {
  const struct heddle_occ_capability* c;
  int warps, blocks;
  size_t shared, taken, most_of_block;
  if (result == 0 || properties == 0 || attributes == 0 || state == 0 || blockSize <= 0)
    return CUDA_OCC_ERROR_INVALID_ARGUMENT;
  memset(result, 0, sizeof *result);
  if (properties->warpSize <= 0 || properties->maxThreadsPerBlock <= 0 ||
      properties->maxThreadsPerMultiprocessor <= 0 || properties->regsPerBlock <= 0 ||
      properties->regsPerMultiprocessor <= 0 || attributes->numRegs < 0 ||
      attributes->maxThreadsPerBlock <= 0 || state->carveoutConfig < -1 || state->carveoutConfig > 100)
    return CUDA_OCC_ERROR_INVALID_ARGUMENT;
  c = heddle_occ_find(properties);
  if (c == 0) return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
  result->partitionedGCConfig = attributes->partitionedGCConfig;
  warps =
      (int)(heddle_occ_up((size_t)blockSize, (size_t)properties->warpSize) / (size_t)properties->warpSize);

  result->blockLimitBlocks = (int)c->multiprocessor_max_blocks;
  result->blockLimitWarps =
      blockSize > properties->maxThreadsPerBlock || blockSize > attributes->maxThreadsPerBlock
          ? 0
          : properties->maxThreadsPerMultiprocessor / properties->warpSize / warps;

  result->blockLimitRegs = INT_MAX;
  if (attributes->numRegs > 0) {
    const size_t of_warp = heddle_occ_up((size_t)attributes->numRegs * (size_t)properties->warpSize,
                                         c->registers_allocation_unit);
    size_t of_block, checked;
    if (c->registers_by_warp) {
      of_block = of_warp * (size_t)warps;
      checked = of_warp * heddle_occ_up((size_t)warps, c->registers_check_granularity);
    } else {
      of_block = heddle_occ_up(heddle_occ_up((size_t)warps, c->registers_warp_granularity) *
                                   (size_t)properties->warpSize * (size_t)attributes->numRegs,
                               c->registers_allocation_unit);
      checked = of_block;
    }
    result->allocatedRegistersPerBlock = (int)of_block;
    if ((unsigned)attributes->numRegs > c->registers_per_thread || checked > (size_t)properties->regsPerBlock)
      result->blockLimitRegs = 0;
    else if (c->registers_by_warp) /* a warp's registers lie in one part of the file */
      result->blockLimitRegs =
          (int)((size_t)properties->regsPerMultiprocessor / c->registers_warp_granularity / of_warp *
                c->registers_warp_granularity) /
          warps;
    else
      result->blockLimitRegs = (int)((size_t)properties->regsPerMultiprocessor / of_block);
  }

  shared = attributes->sharedSizeBytes + dynamicSmemSize;
  taken = heddle_occ_up(shared + properties->reservedSharedMemPerBlock, c->shared_allocation_unit);
  most_of_block = properties->sharedMemPerBlock;
  if (attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN) {
    if (dynamicSmemSize > attributes->maxDynamicSharedSizeBytes)
      most_of_block = 0;
    else if (properties->sharedMemPerBlockOptin > most_of_block)
      most_of_block = properties->sharedMemPerBlockOptin;
  }
  result->allocatedSharedMemPerBlock = taken;
  if (shared > most_of_block)
    result->blockLimitSharedMem = 0;
  else if (taken == 0)
    result->blockLimitSharedMem = INT_MAX;
  else
    result->blockLimitSharedMem = (int)(heddle_occ_shared(c, properties, state, taken) / taken);

  result->blockLimitBarriers = attributes->numBlockBarriers > 0 && c->multiprocessor_barriers != 0
                                   ? (int)c->multiprocessor_barriers / attributes->numBlockBarriers
                                   : INT_MAX;

  blocks = heddle_occ_least(result->blockLimitBlocks, result->blockLimitWarps);
  blocks = heddle_occ_least(blocks, heddle_occ_least(result->blockLimitRegs, result->blockLimitSharedMem));
  blocks = heddle_occ_least(blocks, result->blockLimitBarriers);
  result->activeBlocksPerMultiprocessor = blocks;
  if (result->blockLimitWarps == blocks) result->limitingFactors |= OCC_LIMIT_WARPS;
  if (result->blockLimitRegs == blocks) result->limitingFactors |= OCC_LIMIT_REGISTERS;
  if (result->blockLimitSharedMem == blocks) result->limitingFactors |= OCC_LIMIT_SHARED_MEMORY;
  if (result->blockLimitBlocks == blocks) result->limitingFactors |= OCC_LIMIT_BLOCKS;
  if (result->blockLimitBarriers == blocks) result->limitingFactors |= OCC_LIMIT_BARRIERS;
  return CUDA_OCC_SUCCESS;
}

/* What each of `numBlocks` blocks may have of dynamic shared memory. */
HEDDLE_OCC_HOST cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t* bytesAvailable,
                                                                 const cudaOccDeviceProp* properties,
                                                                 const cudaOccFuncAttributes* attributes,
                                                                 const cudaOccDeviceState* state,
                                                                 int numBlocks, int blockSize) {
  cudaOccResult result;
  cudaOccError problem;
  const struct heddle_occ_capability* c;
  size_t share, other, most;
  if (bytesAvailable == 0 || numBlocks <= 0) return CUDA_OCC_ERROR_INVALID_ARGUMENT;
  problem = cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, blockSize, 0);
  if (problem != CUDA_OCC_SUCCESS) return problem;
  *bytesAvailable = 0;
  if (result.activeBlocksPerMultiprocessor < numBlocks) return CUDA_OCC_ERROR_INVALID_ARGUMENT;
  c = heddle_occ_find(properties);
  share = properties->sharedMemPerMultiprocessor / (size_t)numBlocks;
  share = share / c->shared_allocation_unit * c->shared_allocation_unit;
  if (heddle_occ_shared(c, properties, state, share) < share * (size_t)numBlocks) {
    share = heddle_occ_shared(c, properties, state, 0) / (size_t)numBlocks;
    share = share / c->shared_allocation_unit * c->shared_allocation_unit;
  }
  other = properties->reservedSharedMemPerBlock + attributes->sharedSizeBytes;
  most = attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN ? properties->sharedMemPerBlockOptin
                                                                : properties->sharedMemPerBlock;
  if (share <= other || most <= attributes->sharedSizeBytes) return CUDA_OCC_SUCCESS;
  share -= other;
  *bytesAvailable = share < most - attributes->sharedSizeBytes ? share : most - attributes->sharedSizeBytes;
  return CUDA_OCC_SUCCESS;
}

/* The block with the most resident threads, the largest among equals, and how many of them fill the device.
 * `shared_of`, where there is one, says a block's dynamic shared memory by its size. */
#define HEDDLE_OCC_BEST(shared_of_a_block)                                                                   \
  cudaOccResult result;                                                                                      \
  int size, most, threads = 0;                                                                               \
  if (minGridSize == 0 || blockSize == 0 || properties == 0 || attributes == 0 || properties->warpSize <= 0) \
    return CUDA_OCC_ERROR_INVALID_ARGUMENT;                                                                  \
  *minGridSize = *blockSize = 0;                                                                             \
  most = heddle_occ_least(properties->maxThreadsPerBlock, attributes->maxThreadsPerBlock);                   \
  for (size = (most + properties->warpSize - 1) / properties->warpSize * properties->warpSize; size > 0;     \
       size -= properties->warpSize) {                                                                       \
    const int block = heddle_occ_least(size, most);                                                          \
    const cudaOccError problem = cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes,    \
                                                                         state, block, shared_of_a_block);   \
    if (problem != CUDA_OCC_SUCCESS) return problem;                                                         \
    if (result.activeBlocksPerMultiprocessor * block <= threads) continue;                                   \
    threads = result.activeBlocksPerMultiprocessor * block;                                                  \
    *blockSize = block;                                                                                      \
    *minGridSize = result.activeBlocksPerMultiprocessor * properties->numSms;                                \
  }                                                                                                          \
  return CUDA_OCC_SUCCESS;

HEDDLE_OCC_HOST cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int* minGridSize, int* blockSize,
                                                                   const cudaOccDeviceProp* properties,
                                                                   const cudaOccFuncAttributes* attributes,
                                                                   const cudaOccDeviceState* state,
                                                                   size_t (*blockSizeToDynamicSMemSize)(int),
                                                                   size_t dynamicSMemSize) {
  HEDDLE_OCC_BEST(blockSizeToDynamicSMemSize != 0 ? blockSizeToDynamicSMemSize(block) : dynamicSMemSize)
}

#ifdef __cplusplus
template <typename UnaryFunction>
static inline cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
    int* minGridSize, int* blockSize, const cudaOccDeviceProp* properties,
    const cudaOccFuncAttributes* attributes, const cudaOccDeviceState* state,
    UnaryFunction blockSizeToDynamicSMemSize) {
  HEDDLE_OCC_BEST(static_cast<size_t>(blockSizeToDynamicSMemSize(block)))
}
static inline cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int* minGridSize, int* blockSize,
                                                                 const cudaOccDeviceProp* properties,
                                                                 const cudaOccFuncAttributes* attributes,
                                                                 const cudaOccDeviceState* state,
                                                                 size_t dynamicSMemSize = 0) {
  return cudaOccMaxPotentialOccupancyBlockSize(minGridSize, blockSize, properties, attributes, state, 0,
                                               dynamicSMemSize);
}
#endif

#undef HEDDLE_OCC_BEST
#undef HEDDLE_OCC_HOST
#endif
