// The heap of malloc and free in kernels (CUDA C++ Programming Guide 10.34): one allocation of the size that
// the program chose, made when a kernel first asks. The book-keeping lies outside, where no kernel can damage
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "runtime/allocation.h"
#include "runtime/free_extents.h"

namespace heddle::runtime {

class DeviceHeap {
 public:
  // "aligned to a 16-byte boundary"
  static constexpr uint64_t alignment = 16;
  using Reserve = std::function<AllocationRef(uint64_t bytes)>;  // nullptr when there is no memory

  DeviceHeap(uint64_t limit, Reserve reserve) : reserve_(std::move(reserve)), limit_(limit) {}
  uint64_t allocate(uint64_t bytes);  // 0: full
  bool release(uint64_t address);     // false: not from here, or not any more
  // False once a kernel has used the heap: its size is settled then.
  bool set_limit(uint64_t bytes);
  uint64_t limit() const;

 private:
  const Reserve reserve_;
  mutable std::mutex mutex_;
  uint64_t limit_;
  bool settled_ = false;
  FreeExtents free_;
  std::unordered_map<uint64_t, uint64_t> used_;  // address -> bytes
};

}  // namespace heddle::runtime
