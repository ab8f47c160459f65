// What a watcher may be besides: told what malloc and free in kernels give and take back.
#pragma once

#include <cstdint>

namespace heddle::runtime {

class HeapWatcher {
 public:
  virtual ~HeapWatcher() = default;
  // As many bytes as the kernel asked for; before it knows the address.
  virtual void heap_allocated(uint64_t address, uint64_t bytes) = 0;
  // Before anybody else can have it. It may be an address that malloc did not give.
  virtual void heap_released(uint64_t address) = 0;
};

}  // namespace heddle::runtime
