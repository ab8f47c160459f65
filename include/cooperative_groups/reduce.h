// reduce(): every thread of the group gets all values combined (CUDA C++ Programming Guide, "Cooperative
// Groups", "reduce").
#ifndef _CG_REDUCE_H
#define _CG_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300

#include "details/operators.h"

namespace cooperative_groups {
namespace __v1 {
namespace details {

template <unsigned int Size, class ParentT, class T, class Operator>
HEDDLE_CG T reduce_warp_tile(const thread_block_tile<Size, ParentT>& group, T value, Operator op) {
#pragma unroll
  for (unsigned int distance = (Size > 32 ? 32 : Size) / 2; distance > 0; distance /= 2)
    value =
        op(value, by_words(value, [=](unsigned int word) {
             return __shfl_xor_sync(Size >= 32 ? 0xffffffffu : group.heddle_mask(), word, (int)distance, 32);
           }));
  return value;
}
template <bool within_a_warp>
struct Reduce {
  template <class Tile, class T, class Operator>
  HEDDLE_CG T run(const Tile& group, T value, Operator op) {
    return reduce_warp_tile(group, value, op);
  }
};
// Warp by warp, then the warps' results in order.
template <>
struct Reduce<false> {
  template <class Tile, class T, class Operator>
  HEDDLE_CG T run(const Tile& group, T value, Operator op) {
    __shared__ unsigned char scratch[32 * sizeof(T)];
    value = reduce_warp_tile(CoalescedWarp(), value, op);
    const unsigned int warps = group.size() / 32, first = rank_in_block() / group.size() * warps;
    if (lane() == 0) __builtin_memcpy(scratch + sizeof(T) * (rank_in_block() / 32), &value, sizeof(T));
    group.sync();
    __builtin_memcpy((void*)&value, scratch + sizeof(T) * first, sizeof(T));
    for (unsigned int i = 1; i < warps; ++i) {
      T next;
      __builtin_memcpy((void*)&next, scratch + sizeof(T) * (first + i), sizeof(T));
      value = op(value, next);
    }
    group.sync();
    return value;
  }

 private:
  HEDDLE_CG thread_block_tile<32> CoalescedWarp() { return TileMaker::make<thread_block_tile<32>>(0, 1); }
};

}  // namespace details

template <unsigned int Size, class ParentT, class T, class Operator>
HEDDLE_CG auto reduce(const thread_block_tile<Size, ParentT>& group, T&& value, Operator&& op)
    -> decltype(op(value, value)) {
  return details::Reduce<(Size <= 32)>::run(group, (decltype(op(value, value)))value, op);
}
// By ranks: each step's second half of what is left is folded into the first.
template <class T, class Operator>
HEDDLE_CG auto reduce(const coalesced_group& group, T&& value, Operator&& op) -> decltype(op(value, value)) {
  decltype(op(value, value)) result = value;
  const unsigned int rank = (unsigned int)group.thread_rank();
  for (unsigned int left = (unsigned int)group.size(); left > 1;) {
    const unsigned int half = (left + 1) / 2;
    const auto other = group.shfl_down(result, half);
    if (rank + half < left) result = op(result, other);
    left = half;
  }
  return group.shfl(result, 0);
}

// One thread stores, or updates an atomic variable.
template <class Group, class Place, class T, class Operator>
HEDDLE_CG void reduce_store_async(const Group& group, Place* place, T&& value, Operator&& op) {
  const auto result = reduce(group, static_cast<T&&>(value), op);
  if (group.thread_rank() == 0) *place = result;
}
template <class Group, class Atomic, class T, class Operator>
HEDDLE_CG void reduce_store_async(const Group& group, Atomic& atomic, T&& value, Operator&& op) {
  const auto result = reduce(group, static_cast<T&&>(value), op);
  if (group.thread_rank() == 0) atomic.store(result);
}
template <class Group, class Atomic, class T, class Operator>
HEDDLE_CG void reduce_update_async(const Group& group, Atomic& atomic, T&& value, Operator&& op) {
  auto result = reduce(group, static_cast<T&&>(value), op);
  if (group.thread_rank() == 0) {
    auto seen = atomic.load();
    while (!atomic.compare_exchange_weak(seen, op(seen, result))) {
    }
  }
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
#endif

#endif
