// What a cooperative launch lends its grid to wait for itself: cooperative groups find two 32-bit words,
// their size and a barrier, at the address that %envreg1 (high half) and %envreg2 (low half) hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "exec/guest_memory.h"

namespace heddle::exec {

class GridWorkspace {
 public:
  explicit GridWorkspace(GuestMemory& memory);
  ~GridWorkspace();
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
  uint64_t address() const { return reinterpret_cast<uintptr_t>(page_.get()); }

 private:
  struct alignas(4096) Page {
    uint32_t size = 8;
    uint32_t barrier = 0;
    std::byte rest[4088]{};
  };
  GuestMemory& memory_;
  std::unique_ptr<Page> page_ = std::make_unique<Page>();
};

}  // namespace heddle::exec
