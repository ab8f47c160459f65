#include "runtime/heap.h"

#include <algorithm>

namespace heddle::runtime {

uint64_t DeviceHeap::allocate(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!settled_) {
    settled_ = true;
    if (limit_ == 0) return 0;
    if (const AllocationRef memory = reserve_(limit_))
      free_.add(memory->address, memory->bytes / alignment * alignment);
  }
  if (bytes > limit_) return 0;
  const uint64_t rounded = std::max<uint64_t>((bytes + alignment - 1) / alignment * alignment, alignment);
  const auto address = free_.take(rounded, alignment);
  if (!address) return 0;
  used_[*address] = rounded;
  return *address;
}

bool DeviceHeap::release(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = used_.find(address);
  if (found == used_.end()) return false;
  free_.add(found->first, found->second);
  used_.erase(found);
  return true;
}

bool DeviceHeap::set_limit(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (settled_) return bytes == limit_;
  limit_ = bytes;
  return true;
}

uint64_t DeviceHeap::limit() const {
  const std::lock_guard lock(mutex_);
  return limit_;
}

}  // namespace heddle::runtime
