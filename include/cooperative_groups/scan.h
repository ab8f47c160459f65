// inclusive_scan() and exclusive_scan(): each thread gets the values up to its own, or before it, combined in
// order of rank (CUDA C++ Programming Guide, "Cooperative Groups", "inclusive_scan and exclusive_scan").
#ifndef _CG_SCAN_H
#define _CG_SCAN_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300

#include "details/operators.h"

namespace cooperative_groups {
namespace __v1 {

namespace details {

// In a warp or less: from neighbour to neighbour.
template <class Group, class T, class Operator>
HEDDLE_CG T scan_lanes(const Group& group, T value, Operator& op) {
  const unsigned int rank = (unsigned int)group.thread_rank(), size = (unsigned int)group.size();
  for (unsigned int distance = 1; distance < size; distance *= 2) {
    const T before = group.shfl_up(value, distance);
    if (rank >= distance) value = op(before, value);
  }
  return value;
}

// The values up to the thread's own; in `before`, those without it, for all threads but the first.
template <class Group>
struct Scan {
  template <class T, class Operator>
  HEDDLE_CG T run(const Group& group, T value, Operator& op, T& before) {
    value = scan_lanes(group, value, op);
    before = group.shfl_up(value, 1u);
    return value;
  }
};
// Of several warps: warp by warp, then what the warps before have in all.
template <unsigned int Size, class ParentT>
struct Scan<thread_block_tile<Size, ParentT>> {
  template <class T, class Operator>
  HEDDLE_CG T run(const thread_block_tile<Size, ParentT>& group, T value, Operator& op, T& before) {
    if constexpr (Size <= 32) {
      value = scan_lanes(group, value, op);
      before = group.shfl_up(value, 1u);
    } else {
      __shared__ unsigned char scratch[32 * sizeof(T)];
      const thread_block_tile<32> warp = TileMaker::make<thread_block_tile<32>>(0, 1);
      const unsigned int own = rank_in_block() / 32, first = rank_in_block() / Size * (Size / 32);
      value = scan_lanes(warp, value, op);
      before = warp.shfl_up(value, 1u);
      if (lane() == 31) __builtin_memcpy(scratch + sizeof(T) * own, &value, sizeof(T));
      group.sync();
      if (own > first) {
        T left;
        __builtin_memcpy((void*)&left, scratch + sizeof(T) * first, sizeof(T));
        for (unsigned int i = first + 1; i < own; ++i) {
          T next;
          __builtin_memcpy((void*)&next, scratch + sizeof(T) * i, sizeof(T));
          left = op(left, next);
        }
        before = lane() == 0 ? left : op(left, before);
        value = op(left, value);
      }
      group.sync();
    }
    return value;
  }
};

}  // namespace details

template <class Group, class T, class Operator>
HEDDLE_CG auto inclusive_scan(const Group& group, T&& value, Operator&& op) -> decltype(op(value, value)) {
  using Value = decltype(op(value, value));
  Value before;
  return details::Scan<Group>::run(group, (Value)value, op, before);
}
template <class Group, class T>
HEDDLE_CG auto inclusive_scan(const Group& group, T&& value) -> decltype(value + value) {
  using Value = decltype(value + value);
  return inclusive_scan(group, (Value)value, plus<Value>());
}

// The first thread has nothing before it: with plus, bit_or and bit_xor that is zero; with others its result
// is undefined, and value-initialized here.
template <class Group, class T, class Operator>
HEDDLE_CG auto exclusive_scan(const Group& group, T&& value, Operator&& op) -> decltype(op(value, value)) {
  using Value = decltype(op(value, value));
  Value before;
  details::Scan<Group>::run(group, (Value)value, op, before);
  return group.thread_rank() == 0 ? Value() : before;
}
template <class Group, class T>
HEDDLE_CG auto exclusive_scan(const Group& group, T&& value) -> decltype(value + value) {
  using Value = decltype(value + value);
  return exclusive_scan(group, (Value)value, plus<Value>());
}

namespace details {
// The variable before the group's update, which one thread makes for all.
template <class Group, class Atomic, class T, class Operator>
HEDDLE_CG T update(const Group& group, Atomic& atomic, T total, Operator op) {
  T before = {};
  if (group.thread_rank() == group.size() - 1) {
    before = atomic.load();
    while (!atomic.compare_exchange_weak(before, op(before, total))) {
    }
  }
  return group.shfl(before, (int)group.size() - 1);
}
}  // namespace details

template <class Group, class Atomic, class T, class Operator>
HEDDLE_CG auto inclusive_scan_update(const Group& group, Atomic& atomic, T&& value, Operator&& op)
    -> decltype(op(value, value)) {
  const auto scanned = inclusive_scan(group, static_cast<T&&>(value), op);
  return op(details::update(group, atomic, scanned, op), scanned);
}
template <class Group, class Atomic, class T, class Operator>
HEDDLE_CG auto exclusive_scan_update(const Group& group, Atomic& atomic, T&& value, Operator&& op)
    -> decltype(op(value, value)) {
  using Value = decltype(op(value, value));
  Value left;
  const Value scanned = details::Scan<Group>::run(group, (Value)value, op, left);
  const Value before = details::update(group, atomic, scanned, op);
  return group.thread_rank() == 0 ? before : op(before, left);
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
#endif

#endif
