// How many blocks of a kernel a multiprocessor holds.
#include "api/cuda_state/function_facts.h"
#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {
namespace {

Answer<model::BlockNeeds> needs_of(const void* func, int block, size_t shared) {
  auto function = find_kernel(func);
  if (!function) return function.error();
  return cuda::block_needs(**function, block, shared);
}

}  // namespace

Status cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, const void* func, int blockSize,
                                                     size_t dynamicSMemSize) {
  auto context = working_context();
  if (!context) return context.error();
  auto needs = needs_of(func, blockSize, dynamicSMemSize);
  if (!needs) return needs.error();
  *numBlocks = static_cast<int>(model::occupancy((*context)->device().facts().arch, *needs).blocks);
  return Unit{};
}

Status cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func, int blockSize,
                                                              size_t dynamicSMemSize, unsigned int flags) {
  if (Status known = known_flags(flags, cudaOccupancyDisableCachingOverride); !known) return known;
  return cudart::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize, dynamicSMemSize);
}

Status cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func, int numBlocks,
                                                 int blockSize) {
  auto context = working_context();
  if (!context) return context.error();
  if (numBlocks <= 0) return invalid_value(std::to_string(numBlocks) + " blocks");
  auto needs = needs_of(func, blockSize, 0);
  if (!needs) return needs.error();
  *dynamicSmemSize = model::available_dynamic_shared((*context)->device().facts().arch, *needs,
                                                     static_cast<uint32_t>(numBlocks));
  return Unit{};
}

namespace {

// Clusters share a part of the device whose size is its largest cluster.
Answer<int> most_clusters(const void* func, const cudaLaunchConfig_t& config, unsigned cluster_blocks) {
  auto context = working_context();
  if (!context) return context.error();
  const arch::Device& device = (*context)->device().facts();
  if (device.arch.launch.max_cluster_blocks == 0)
    return failure(Code::not_supported, arch::describe(device) + " has no clusters");
  const auto threads = static_cast<int>(config.blockDim.x * config.blockDim.y * config.blockDim.z);
  auto needs = needs_of(func, threads, config.dynamicSmemBytes);
  if (!needs) return needs.error();
  const uint32_t blocks = model::occupancy(device.arch, *needs).blocks;
  return static_cast<int>(uint64_t{blocks} * device.board.multiprocessors / std::max(1U, cluster_blocks));
}

unsigned cluster_of(const cudaLaunchConfig_t& config) {
  for (unsigned i = 0; i < config.numAttrs; ++i)
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
      return config.attrs[i].val.clusterDim.x * config.attrs[i].val.clusterDim.y *
             config.attrs[i].val.clusterDim.z;
  return 1;
}

}  // namespace

Status cudaOccupancyMaxActiveClusters(int* numClusters, const void* func,
                                      const cudaLaunchConfig_t* launchConfig) {
  if (launchConfig == nullptr) return invalid_value("the configuration is NULL");
  auto clusters = most_clusters(func, *launchConfig, cluster_of(*launchConfig));
  if (!clusters) return clusters.error();
  *numClusters = *clusters;
  return Unit{};
}

Status cudaOccupancyMaxPotentialClusterSize(int* clusterSize, const void* func,
                                            const cudaLaunchConfig_t* launchConfig) {
  if (launchConfig == nullptr) return invalid_value("the configuration is NULL");
  auto function = find_kernel(func);
  if (!function) return function.error();
  const arch::Device& device = (*function)->module().context().device().facts();
  uint32_t most = (*function)->kernel().large_cluster_allowed ? device.arch.launch.max_cluster_blocks_opt_in
                                                              : device.arch.launch.max_cluster_blocks;
  for (; most > 1; most /= 2) {
    auto clusters = most_clusters(func, *launchConfig, most);
    if (!clusters) return clusters.error();
    if (*clusters > 0) break;
  }
  *clusterSize = static_cast<int>(most);
  return Unit{};
}

}  // namespace heddle::cudart
