// inclusive_scan() and exclusive_scan(): each thread gets the values up to its own, or before it, combined in
// order of rank (CUDA C++ Programming Guide, "Cooperative Groups", "inclusive_scan and exclusive_scan").
#ifndef _CG_SCAN_H
#define _CG_SCAN_H

#include "../cooperative_groups.h"

#if defined(__cplusplus) && defined(__CUDA__) && defined(__CUDACC__)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300

#include "details/operators.h"

namespace cooperative_groups {

template <class Group, class T, class Operator>
HEDDLE_CG auto inclusive_scan(const Group& group, T&& value, Operator&& op) -> decltype(op(value, value)) {
  decltype(op(value, value)) result = value;
  const unsigned int rank = (unsigned int)group.thread_rank(), size = (unsigned int)group.size();
  for (unsigned int distance = 1; distance < size; distance *= 2) {
    const auto before = group.shfl_up(result, distance);
    if (rank >= distance) result = op(before, result);
  }
  return result;
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
  const auto result = group.shfl_up(inclusive_scan(group, static_cast<T&&>(value), op), 1u);
  return group.thread_rank() == 0 ? decltype(op(value, value))() : result;
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
  const auto scanned = inclusive_scan(group, static_cast<T&&>(value), op);
  const auto before = details::update(group, atomic, scanned, op);
  const auto left = group.shfl_up(scanned, 1u);
  return group.thread_rank() == 0 ? before : op(before, left);
}

}  // namespace cooperative_groups

#endif
#endif

#endif
