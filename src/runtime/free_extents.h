// The unused parts of an address range, for allocators: the smallest part that is large enough is taken, and
// neighbours grow together again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace heddle::runtime {

class FreeExtents {
 public:
  // [begin, begin + bytes) is unused from now on. Must not overlap what is unused already.
  void add(uint64_t begin, uint64_t bytes);
  // `alignment` is a power of two.
  std::optional<uint64_t> take(uint64_t bytes, uint64_t alignment);
  // Takes exactly [begin, begin + bytes); false when part of it is in use.
  bool take_at(uint64_t begin, uint64_t bytes);
  uint64_t largest() const { return by_size_.empty() ? 0 : by_size_.rbegin()->first; }
  bool empty() const { return by_begin_.empty(); }

 private:
  using ByBegin = std::map<uint64_t, uint64_t>;
  void insert(uint64_t begin, uint64_t bytes);
  void cut(ByBegin::iterator extent, uint64_t begin, uint64_t bytes);
  ByBegin by_begin_;                                 // begin -> bytes
  std::set<std::pair<uint64_t, uint64_t>> by_size_;  // (bytes, begin)
};

}  // namespace heddle::runtime
