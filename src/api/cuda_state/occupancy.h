// How many blocks and clusters of a kernel the context's device holds, as both APIs answer.
#pragma once

#include <cstdint>
#include <functional>

#include "api/cuda_state/module.h"
#include "model/occupancy.h"

namespace heddle::cuda {

// What a block of so many threads takes of a multiprocessor; the kernel's own limits are checked.
Answer<model::BlockNeeds> block_needs(const runtime::Kernel& kernel, int threads, uint64_t dynamic_shared);
Answer<model::BlockNeeds> block_needs(const Function& function, int threads, uint64_t dynamic_shared);

Answer<int> resident_blocks(const Function& function, int threads, uint64_t dynamic_shared);
// The dynamic shared memory that each of so many blocks on a multiprocessor may have.
Answer<std::size_t> dynamic_shared_for(const Function& function, int blocks, int threads);

// The block with the most resident threads, the largest among equals, of `limit` threads at most (0: as many
// as the kernel takes), and how many of them fill the device.
struct BestBlock {
  int threads = 0, grid = 0;
};
Answer<BestBlock> best_block(const Function& function, int limit,
                             const std::function<std::size_t(int threads)>& dynamic_shared);

// A launch, as far as it decides how many clusters run at a time.
struct ClusterLaunch {
  uint64_t threads = 1;
  uint64_t dynamic_shared = 0;
  exec::Dim3 cluster{1, 1, 1};
};
// Whether a kernel may have clusters of so many blocks.
Status cluster_fits(const Function& function, const exec::Dim3& cluster);
Answer<int> resident_clusters(const Function& function, const ClusterLaunch& launch);
// The most blocks that a cluster of the launch can have.
Answer<int> largest_cluster(const Function& function, const ClusterLaunch& launch);

}  // namespace heddle::cuda
