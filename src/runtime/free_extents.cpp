#include "runtime/free_extents.h"

#include <iterator>

namespace heddle::runtime {

void FreeExtents::insert(uint64_t begin, uint64_t bytes) {
  if (bytes == 0) return;
  by_begin_.emplace(begin, bytes);
  by_size_.emplace(bytes, begin);
}

void FreeExtents::add(uint64_t begin, uint64_t bytes) {
  uint64_t end = begin + bytes;
  auto next = by_begin_.lower_bound(begin);
  if (next != by_begin_.end() && next->first == end) {
    end += next->second;
    by_size_.erase({next->second, next->first});
    next = by_begin_.erase(next);
  }
  if (next != by_begin_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      by_size_.erase({before->second, before->first});
      by_begin_.erase(before);
    }
  }
  insert(begin, end - begin);
}

void FreeExtents::cut(ByBegin::iterator extent, uint64_t begin, uint64_t bytes) {
  const uint64_t extent_begin = extent->first, extent_end = extent->first + extent->second;
  by_size_.erase({extent->second, extent->first});
  by_begin_.erase(extent);
  insert(extent_begin, begin - extent_begin);
  insert(begin + bytes, extent_end - (begin + bytes));
}

std::optional<uint64_t> FreeExtents::take(uint64_t bytes, uint64_t alignment) {
  if (bytes == 0 || bytes + alignment < bytes) return std::nullopt;
  // An extent that is just large enough may be badly aligned. After a few of those, one that fits in any
  // case.
  int attempts = 8;
  auto candidate = by_size_.lower_bound({bytes, 0});
  while (candidate != by_size_.end()) {
    const auto [size, extent] = *candidate;
    const uint64_t begin = (extent + alignment - 1) & ~(alignment - 1);
    if (begin - extent <= size - bytes && begin >= extent) {
      cut(by_begin_.find(extent), begin, bytes);
      return begin;
    }
    if (--attempts == 0 && size < bytes + alignment)
      candidate = by_size_.lower_bound({bytes + alignment, 0});
    else
      ++candidate;
  }
  return std::nullopt;
}

bool FreeExtents::take_at(uint64_t begin, uint64_t bytes) {
  auto extent = by_begin_.upper_bound(begin);
  if (extent == by_begin_.begin()) return false;
  --extent;
  if (begin + bytes < begin || begin + bytes > extent->first + extent->second) return false;
  cut(extent, begin, bytes);
  return true;
}

}  // namespace heddle::runtime
