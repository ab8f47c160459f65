// What a watcher may be besides: told of memory that threads of kernels get and give back.
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
  // For the parameters of a launch in device code, which the thread that asked writes. When its kernel has
  // them, another thread may get the same memory.
  virtual void launch_buffer_given(uint64_t address, uint64_t bytes) = 0;
};

}  // namespace heddle::runtime
