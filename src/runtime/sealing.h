// Memory that kernels may only read, kept so by its pages: native code asks nobody before it writes.
#pragma once

#include "runtime/allocation.h"

namespace heddle::runtime {

// From now on only a Writing can change it. Nothing happens to memory that has no pages of its own.
void seal(const Allocation& allocation, uint64_t begin, uint64_t bytes);

// As long as one lives, sealed memory can be written, by the host and by whoever runs meanwhile. For memory
// that is not sealed it is nothing.
class Writing {
 public:
  explicit Writing(const AllocationRef& memory);
  ~Writing();
  Writing(const Writing&) = delete;
  Writing& operator=(const Writing&) = delete;

 private:
  const Allocation* sealed_ = nullptr;
};

}  // namespace heddle::runtime
