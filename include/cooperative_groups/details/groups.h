// The block, groups of lanes that happen to be together, and thread_group, which can be any of a block's
// groups.
#ifndef HEDDLE_CG_GROUPS_H
#define HEDDLE_CG_GROUPS_H

namespace cooperative_groups {
namespace __v1 {

class thread_block;
class coalesced_group;
template <unsigned int Size, class ParentT>
class thread_block_tile;

// Scratch memory for tiles of more than a warp. Ours keep none, so it is only a token.
template <unsigned int MaxBlockSize = 1024>
struct block_tile_memory {
  unsigned int token;
};

// A group of which only the run time knows the kind.
class thread_group {
 public:
  HEDDLE_CG_MEMBER void sync() const;
  HEDDLE_CG_MEMBER unsigned long long size() const { return size_; }
  HEDDLE_CG_MEMBER unsigned long long num_threads() const { return size_; }
  HEDDLE_CG_MEMBER unsigned long long thread_rank() const;
  HEDDLE_CG_MEMBER bool is_valid() const { return true; }

 protected:
  enum class Kind : unsigned char { thread, block, lanes };
  HEDDLE_CG_MEMBER thread_group(Kind kind, unsigned int size, unsigned int mask)
      : kind_(kind), size_(size), mask_(mask) {}
  friend HEDDLE_CG_MEMBER thread_group this_thread();
  friend HEDDLE_CG_MEMBER thread_group tiled_partition(const thread_group& parent, unsigned int size);

  Kind kind_;
  unsigned int size_;
  unsigned int mask_;  // of lanes, for Kind::lanes
};

HEDDLE_CG_MEMBER thread_group this_thread() { return thread_group(thread_group::Kind::thread, 1, 0); }

class thread_block : public thread_group {
 public:
  struct arrival_token {};

  HEDDLE_CG void sync() { __syncthreads(); }
  HEDDLE_CG arrival_token barrier_arrive() { return {}; }
  HEDDLE_CG void barrier_wait(arrival_token&&) { __syncthreads(); }
  HEDDLE_CG unsigned int size() { return details::block_threads(); }
  HEDDLE_CG unsigned int num_threads() { return details::block_threads(); }
  HEDDLE_CG unsigned int thread_rank() { return details::rank_in_block(); }
  HEDDLE_CG dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  HEDDLE_CG dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  HEDDLE_CG dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  HEDDLE_CG dim3 dim_threads() { return group_dim(); }

 private:
  friend HEDDLE_CG_MEMBER thread_block this_thread_block();
  HEDDLE_CG_MEMBER thread_block() : thread_group(Kind::block, details::block_threads(), 0) {}
};

HEDDLE_CG_MEMBER thread_block this_thread_block() { return thread_block(); }
template <unsigned int MaxBlockSize>
HEDDLE_CG_MEMBER thread_block this_thread_block(block_tile_memory<MaxBlockSize>&) {
  return this_thread_block();
}

// Lanes of one warp, ranked by lane.
class coalesced_group : public thread_group {
 public:
  HEDDLE_CG_MEMBER void sync() const { details::warp_sync(mask_); }
  HEDDLE_CG_MEMBER unsigned long long size() const { return size_; }
  HEDDLE_CG_MEMBER unsigned long long num_threads() const { return size_; }
  HEDDLE_CG_MEMBER unsigned long long thread_rank() const { return __popc(mask_ & details::lanes_below()); }
  HEDDLE_CG_MEMBER unsigned long long meta_group_rank() const { return meta_rank_; }
  HEDDLE_CG_MEMBER unsigned long long meta_group_size() const { return meta_size_; }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
  template <class T>
  HEDDLE_CG_MEMBER T shfl(T var, int src_rank) const {
    return from_lane(var, details::lane_of_rank(mask_, (unsigned int)src_rank % size_));
  }
  // Beyond the group's ends, a thread's own value.
  template <class T>
  HEDDLE_CG_MEMBER T shfl_down(T var, unsigned int delta) const {
    const unsigned int rank = (unsigned int)thread_rank() + delta;
    return from_lane(var, rank < size_ ? details::lane_of_rank(mask_, rank) : details::lane());
  }
  template <class T>
  HEDDLE_CG_MEMBER T shfl_up(T var, unsigned int delta) const {
    const unsigned int rank = (unsigned int)thread_rank();
    return from_lane(var, delta <= rank ? details::lane_of_rank(mask_, rank - delta) : details::lane());
  }
  HEDDLE_CG_MEMBER int any(int predicate) const { return __any_sync(mask_, predicate); }
  HEDDLE_CG_MEMBER int all(int predicate) const { return __all_sync(mask_, predicate); }
  HEDDLE_CG_MEMBER unsigned int ballot(int predicate) const {
    return details::pack(__ballot_sync(mask_, predicate), mask_);
  }
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
  template <class T>
  HEDDLE_CG_MEMBER unsigned int match_any(T value) const {
    return details::pack(__match_any_sync(mask_, value), mask_);
  }
  template <class T>
  HEDDLE_CG_MEMBER unsigned int match_all(T value, int& predicate) const {
    return details::pack(__match_all_sync(mask_, value, &predicate), mask_);
  }
#endif
  HEDDLE_CG_MEMBER unsigned int heddle_mask() const { return mask_; }

 private:
  friend HEDDLE_CG_MEMBER coalesced_group coalesced_threads();
  friend struct CoalescedMaker;
  HEDDLE_CG_MEMBER coalesced_group(unsigned int mask, unsigned int meta_rank, unsigned int meta_size)
      : thread_group(Kind::lanes, (unsigned int)__popc(mask), mask),
        meta_rank_(meta_rank),
        meta_size_(meta_size) {}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
  template <class T>
  HEDDLE_CG_MEMBER T from_lane(const T& var, unsigned int lane) const {
    const unsigned int mask = mask_;
    return details::by_words(var, [=](unsigned int word) { return __shfl_sync(mask, word, (int)lane); });
  }
#endif

  unsigned int meta_rank_, meta_size_;
};

// Partitions make coalesced groups of what they know.
struct CoalescedMaker {
  HEDDLE_CG coalesced_group make(unsigned int mask, unsigned int meta_rank, unsigned int meta_size) {
    return coalesced_group(mask, meta_rank, meta_size);
  }
};

HEDDLE_CG_MEMBER coalesced_group coalesced_threads() {
  unsigned int mask;
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
  mask = __activemask();
#else
  mask = __ballot(1);
#endif
  return coalesced_group(mask, 0, 1);
}

HEDDLE_CG_MEMBER void thread_group::sync() const {
  if (kind_ == Kind::block)
    __syncthreads();
  else if (kind_ == Kind::lanes)
    details::warp_sync(mask_);
}
HEDDLE_CG_MEMBER unsigned long long thread_group::thread_rank() const {
  if (kind_ == Kind::block) return details::rank_in_block();
  return kind_ == Kind::lanes ? (unsigned int)__popc(mask_ & details::lanes_below()) : 0u;
}

// The functions that stand for members.
template <class Group>
HEDDLE_CG void sync(const Group& group) {
  group.sync();
}
template <class Group>
HEDDLE_CG unsigned int thread_rank(const Group& group) {
  return (unsigned int)group.thread_rank();
}
template <class Group>
HEDDLE_CG unsigned int group_size(const Group& group) {
  return (unsigned int)group.size();
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
