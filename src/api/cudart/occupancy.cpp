// How many blocks of a kernel a multiprocessor holds.
#include "api/cuda_state/occupancy.h"

#include "api/cudart/functions.gen.h"
#include "api/cudart/objects.h"

namespace heddle::cudart {

Status cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, const void* func, int blockSize,
                                                              size_t dynamicSMemSize, unsigned int flags) {
  if (Status known = known_flags(flags, cudaOccupancyDisableCachingOverride); !known) return known;
  auto function = find_kernel(func);
  if (!function) return function.error();
  return tell(numBlocks, cuda::resident_blocks(**function, blockSize, dynamicSMemSize));
}

Status cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, const void* func, int numBlocks,
                                                 int blockSize) {
  auto function = find_kernel(func);
  if (!function) return function.error();
  return tell(dynamicSmemSize, cuda::dynamic_shared_for(**function, numBlocks, blockSize));
}

namespace {

Answer<cuda::ClusterLaunch> launch_of(const cudaLaunchConfig_t* config) {
  if (config == nullptr) return invalid_value("the configuration is NULL");
  if (config->numAttrs != 0 && config->attrs == nullptr) return invalid_value("the attributes are NULL");
  cuda::ClusterLaunch launch;
  launch.threads = dim(config->blockDim).count();
  launch.dynamic_shared = config->dynamicSmemBytes;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
      const auto& cluster = config->attrs[i].val.clusterDim;
      launch.cluster = {cluster.x, cluster.y, cluster.z};
    }
  return launch;
}

}  // namespace

Status cudaOccupancyMaxActiveClusters(int* numClusters, const void* func,
                                      const cudaLaunchConfig_t* launchConfig) {
  auto launch = launch_of(launchConfig);
  if (!launch) return launch.error();
  auto function = find_kernel(func);
  if (!function) return function.error();
  return tell(numClusters, cuda::resident_clusters(**function, *launch));
}

Status cudaOccupancyMaxPotentialClusterSize(int* clusterSize, const void* func,
                                            const cudaLaunchConfig_t* launchConfig) {
  auto launch = launch_of(launchConfig);
  if (!launch) return launch.error();
  auto function = find_kernel(func);
  if (!function) return function.error();
  return tell(clusterSize, cuda::largest_cluster(**function, *launch));
}

}  // namespace heddle::cudart
