// Occupancy.
#include "api/cuda_state/occupancy.h"

#include "api/cuda/functions.gen.h"
#include "api/cuda/launch.h"

namespace heddle::cu {

Status cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, CUfunction func, int blockSize,
                                                            size_t dynamicSMemSize, unsigned int flags) {
  if (Status known = known_flags(flags, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE); !known) return known;
  auto function = find_function(func);
  if (!function) return function.error();
  return tell(numBlocks, cuda::resident_blocks(**function, blockSize, dynamicSMemSize));
}

Status cuOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, CUfunction func,
                                                 CUoccupancyB2DSize blockSizeToDynamicSMemSize,
                                                 size_t dynamicSMemSize, int blockSizeLimit,
                                                 unsigned int flags) {
  if (Status known = known_flags(flags, CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE); !known) return known;
  auto function = find_function(func);
  if (!function) return function.error();
  auto best = cuda::best_block(**function, blockSizeLimit, [&](int threads) {
    return blockSizeToDynamicSMemSize != nullptr ? blockSizeToDynamicSMemSize(threads) : dynamicSMemSize;
  });
  if (!best) return best.error();
  *blockSize = best->threads;
  *minGridSize = best->grid;
  return Unit{};
}

Status cuOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, CUfunction func, int numBlocks,
                                               int blockSize) {
  auto function = find_function(func);
  if (!function) return function.error();
  return tell(dynamicSmemSize, cuda::dynamic_shared_for(**function, numBlocks, blockSize));
}

namespace {

Answer<cuda::ClusterLaunch> cluster_launch_of(const CUlaunchConfig* config) {
  if (config == nullptr) return invalid_value("config is NULL");
  auto launch = launch_of(*config);
  if (!launch) return launch.error();
  cuda::ClusterLaunch clusters;
  clusters.threads = launch->block.count();
  clusters.dynamic_shared = launch->dynamic_shared;
  if (launch->cluster) clusters.cluster = *launch->cluster;
  return clusters;
}

}  // namespace

Status cuOccupancyMaxPotentialClusterSize(int* clusterSize, CUfunction func, const CUlaunchConfig* config) {
  auto launch = cluster_launch_of(config);
  if (!launch) return launch.error();
  auto function = find_function(func);
  if (!function) return function.error();
  return tell(clusterSize, cuda::largest_cluster(**function, *launch));
}

Status cuOccupancyMaxActiveClusters(int* numClusters, CUfunction func, const CUlaunchConfig* config) {
  auto launch = cluster_launch_of(config);
  if (!launch) return launch.error();
  auto function = find_function(func);
  if (!function) return function.error();
  return tell(numClusters, cuda::resident_clusters(**function, *launch));
}

}  // namespace heddle::cu
