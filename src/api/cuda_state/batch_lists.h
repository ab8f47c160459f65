// Calls for many things at once come with lists of which an entry counts for several things in a row: entry i
// for those from first[i] on, until first[i + 1] (cudaMemcpyBatchAsync's attributes,
// cudaMemPrefetchBatchAsync's places).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "api/cuda_state/code.h"

namespace heddle::cuda {

// That there are entries, for the first thing as well, in order and not beyond the last of `things`.
inline Status check_entries(std::span<const std::size_t> first, std::size_t things) {
  if (first.empty() || first.size() > things)
    return invalid_value(std::to_string(first.size()) + " entries for a batch of " + std::to_string(things));
  if (first[0] != 0)
    return invalid_value("the first entry counts from " + std::to_string(first[0]) + ", must be 0");
  for (std::size_t i = 1; i < first.size(); ++i)
    if (first[i] <= first[i - 1] || first[i] >= things)
      return invalid_value("entry " + std::to_string(i) + " counts from " + std::to_string(first[i]) +
                           ", the one before from " + std::to_string(first[i - 1]) + ", in a batch of " +
                           std::to_string(things));
  return Unit{};
}

// The entry for one thing after the other.
class EntryOf {
 public:
  explicit EntryOf(std::span<const std::size_t> first) : first_(first) {}
  std::size_t operator()(std::size_t thing) {
    if (entry_ + 1 < first_.size() && first_[entry_ + 1] == thing) ++entry_;
    return entry_;
  }

 private:
  std::span<const std::size_t> first_;
  std::size_t entry_ = 0;
};

}  // namespace heddle::cuda
