// Occupancy.
#include <algorithm>

#include "api/cuda/functions.gen.h"
#include "api/cuda/launch.h"
#include "api/cuda_state/device.h"

namespace heddle::cu {
namespace {

model::Occupancy occupancy_of(const cuda::Function& function, uint32_t threads, uint64_t dynamic_shared) {
  const arch::Device& device = function.module().context().device().facts();
  return model::occupancy(
      device.arch, runtime::block_needs(function.kernel(), threads, static_cast<uint32_t>(dynamic_shared)));
}

Status check_block(const cuda::Function& function, int threads, uint64_t dynamic_shared) {
  if (threads <= 0) return invalid_value("a block of " + std::to_string(threads) + " threads");
  if (dynamic_shared > UINT32_MAX)
    return invalid_value(std::to_string(dynamic_shared) + " bytes of shared memory");
  (void)function;
  return Unit{};
}

}  // namespace

Status cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, CUfunction func, int blockSize,
                                                            size_t dynamicSMemSize, unsigned int flags) {
  if (Status known = known_flags(flags, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE); !known) return known;
  auto function = find_function(func);
  if (!function) return function.error();
  if (Status good = check_block(**function, blockSize, dynamicSMemSize); !good) return good;
  *numBlocks =
      static_cast<int>(occupancy_of(**function, static_cast<uint32_t>(blockSize), dynamicSMemSize).blocks);
  return Unit{};
}
Status cuOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, CUfunction func, int blockSize,
                                                   size_t dynamicSMemSize) {
  return cu::cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                  0);
}

Status cuOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, CUfunction func,
                                                 CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                 size_t dynamicSMemSize, int blockSizeLimit,
                                                 unsigned int flags) {
  if (Status known = known_flags(flags, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE); !known) return known;
  auto function = find_function(func);
  if (!function) return function.error();
  const arch::Device& device = (*function)->module().context().device().facts();
  uint32_t most = (*function)->kernel().max_threads();
  if (blockSizeLimit > 0) most = std::min(most, static_cast<uint32_t>(blockSizeLimit));
  const uint64_t fixed = runtime::block_needs((*function)->kernel(), 1, 0).shared_bytes;
  const auto shared = [&](uint32_t threads) {
    const size_t dynamic = blockSizeToDynamicSMemSize != nullptr
                               ? blockSizeToDynamicSMemSize(static_cast<int>(threads))
                               : dynamicSMemSize;
    return fixed + dynamic;
  };
  const model::BestBlock best =
      model::best_block(device.arch, runtime::block_needs((*function)->kernel(), 1, 0), most, shared);
  *blockSize = static_cast<int>(best.threads);
  *minGridSize = static_cast<int>(best.blocks * device.board.multiprocessors);
  return Unit{};
}
Status cuOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, CUfunction func,
                                        CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                        int blockSizeLimit) {
  return cu::cuOccupancyMaxPotentialBlockSizeWithFlags(
      minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, 0);
}

Status cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func, int numBlocks,
                                               int blockSize) {
  auto function = find_function(func);
  if (!function) return function.error();
  if (Status good = check_block(**function, blockSize, 0); !good) return good;
  if (numBlocks <= 0) return invalid_value(std::to_string(numBlocks) + " blocks");
  const arch::Device& device = (*function)->module().context().device().facts();
  *dynamicSmemSize = model::available_dynamic_shared(
      device.arch, runtime::block_needs((*function)->kernel(), static_cast<uint32_t>(blockSize), 0),
      static_cast<uint32_t>(numBlocks));
  return Unit{};
}

}  // namespace heddle::cu
