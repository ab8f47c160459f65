// The grid, and the grids of a multi-device launch (which CUDA 13 removed: each is alone here).
#ifndef HEDDLE_CG_GRID_H
#define HEDDLE_CG_GRID_H

namespace cooperative_groups {
namespace __v1 {

class grid_group {
 public:
  struct arrival_token {
    unsigned int before;
  };

  // Only a cooperative launch can wait for itself.
  HEDDLE_CG bool is_valid() { return details::grid_workspace() != nullptr; }
  HEDDLE_CG void sync() { barrier_wait(barrier_arrive()); }
  HEDDLE_CG arrival_token barrier_arrive() {
    if (!is_valid()) __trap();
    return {details::grid_arrive(&details::grid_workspace()->barrier, details::grid_blocks(),
                                 details::block_in_grid() == 0)};
  }
  HEDDLE_CG void barrier_wait(arrival_token&& token) {
    details::grid_wait(&details::grid_workspace()->barrier, token.before);
  }
  HEDDLE_CG unsigned long long size() { return details::grid_blocks() * details::block_threads(); }
  HEDDLE_CG unsigned long long num_threads() { return size(); }
  HEDDLE_CG unsigned long long thread_rank() {
    return details::block_in_grid() * details::block_threads() + details::rank_in_block();
  }
  HEDDLE_CG dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  HEDDLE_CG dim3 dim_blocks() { return group_dim(); }
  HEDDLE_CG unsigned long long num_blocks() { return details::grid_blocks(); }
  HEDDLE_CG dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  HEDDLE_CG unsigned long long block_rank() { return details::block_in_grid(); }
  HEDDLE_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  HEDDLE_CG dim3 dim_threads() {
    return dim3(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
  }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  HEDDLE_CG dim3 dim_clusters() { return __clusterGridDimInClusters(); }
  HEDDLE_CG unsigned long long num_clusters() {
    const dim3 dim = dim_clusters();
    return (unsigned long long)dim.x * dim.y * dim.z;
  }
  HEDDLE_CG dim3 cluster_index() { return __clusterIdx(); }
  HEDDLE_CG unsigned long long cluster_rank() {
    const dim3 at = __clusterIdx(), dim = dim_clusters();
    return ((unsigned long long)at.z * dim.y + at.y) * dim.x + at.x;
  }
#endif

 private:
  friend HEDDLE_CG_MEMBER grid_group this_grid();
  HEDDLE_CG_MEMBER grid_group() {}
};

HEDDLE_CG_MEMBER grid_group this_grid() { return grid_group(); }

class multi_grid_group {
 public:
  HEDDLE_CG bool is_valid() { return this_grid().is_valid(); }
  HEDDLE_CG void sync() { this_grid().sync(); }
  HEDDLE_CG unsigned long long size() { return this_grid().size(); }
  HEDDLE_CG unsigned long long num_threads() { return this_grid().size(); }
  HEDDLE_CG unsigned long long thread_rank() { return this_grid().thread_rank(); }
  HEDDLE_CG unsigned int grid_rank() { return 0; }
  HEDDLE_CG unsigned int num_grids() { return 1; }

 private:
  friend HEDDLE_CG_MEMBER multi_grid_group this_multi_grid();
  HEDDLE_CG_MEMBER multi_grid_group() {}
};

HEDDLE_CG_MEMBER multi_grid_group this_multi_grid() { return multi_grid_group(); }

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
