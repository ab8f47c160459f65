// Writes behind the end of an allocation, to the byte. Pages guard what is a page away; the few bytes between
// an allocation and the next guarded page, which are nobody's, hold a pattern, and after a kernel has run the
// bytes around the memory that its arguments point to are compared. What was only read there is not seen.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "analysis/pointer_parameters.h"
#include "runtime/allocation.h"

namespace heddle::exec {
class GuestMemory;
}

namespace heddle::runtime {

class Memory;

// Writes the pattern as the allocation's fence_before and fence_behind say.
void put_up_fences(const Allocation& allocation);

struct StrayWrite {
  uint64_t address = 0, bytes = 0;  // from the first changed byte to the last
};

// Of one kernel: remembers whose fences its last arguments had.
class FenceWatch {
 public:
  // The kernel has just run with these parameters, and what it could use is still there. The fence is put up
  // again. `guest`: what it could touch.
  std::optional<StrayWrite> look(const Memory& memory, const exec::GuestMemory& guest,
                                 std::span<const analysis::PointerParameter> pointers,
                                 std::span<const std::byte> params);

 private:
  struct Fence {
    uint64_t begin = 0, bytes = 0;
  };
  std::mutex mutex_;
  uint64_t generation_ = 0;  // of the memory when the fences were found; 0: never
  std::vector<uint64_t> values_;
  std::vector<Fence> fences_;
};

}  // namespace heddle::runtime
