// The blocks of a cluster, which see each other's shared memory (compute capability 9.0).
#ifndef HEDDLE_CG_CLUSTER_H
#define HEDDLE_CG_CLUSTER_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define _CG_HAS_CLUSTER_GROUP

namespace cooperative_groups {
namespace __v1 {

class cluster_group {
 public:
  struct arrival_token {};

  HEDDLE_CG void sync() {
    __cluster_barrier_arrive();
    __cluster_barrier_wait();
  }
  HEDDLE_CG arrival_token barrier_arrive() {
    __cluster_barrier_arrive();
    return {};
  }
  HEDDLE_CG void barrier_wait() { __cluster_barrier_wait(); }
  HEDDLE_CG void barrier_wait(arrival_token&&) { __cluster_barrier_wait(); }
  HEDDLE_CG unsigned int query_shared_rank(const void* address) {
    return __cluster_query_shared_rank(address);
  }
  template <class T>
  HEDDLE_CG T* map_shared_rank(T* address, int rank) {
    return (T*)__cluster_map_shared_rank(address, (unsigned int)rank);
  }
  HEDDLE_CG dim3 block_index() { return __clusterRelativeBlockIdx(); }
  HEDDLE_CG unsigned int block_rank() { return __clusterRelativeBlockRank(); }
  HEDDLE_CG dim3 thread_index() {
    const dim3 block = block_index();
    return dim3(block.x * blockDim.x + threadIdx.x, block.y * blockDim.y + threadIdx.y,
                block.z * blockDim.z + threadIdx.z);
  }
  HEDDLE_CG unsigned int thread_rank() {
    return block_rank() * details::block_threads() + details::rank_in_block();
  }
  HEDDLE_CG dim3 dim_blocks() { return __clusterDim(); }
  HEDDLE_CG unsigned int num_blocks() { return __clusterSizeInBlocks(); }
  HEDDLE_CG dim3 dim_threads() {
    const dim3 blocks = dim_blocks();
    return dim3(blocks.x * blockDim.x, blocks.y * blockDim.y, blocks.z * blockDim.z);
  }
  HEDDLE_CG unsigned int num_threads() { return num_blocks() * details::block_threads(); }
  HEDDLE_CG unsigned int size() { return num_threads(); }

 private:
  friend HEDDLE_CG_MEMBER cluster_group this_cluster();
  HEDDLE_CG_MEMBER cluster_group() {}
};

HEDDLE_CG_MEMBER cluster_group this_cluster() { return cluster_group(); }

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif

#endif
