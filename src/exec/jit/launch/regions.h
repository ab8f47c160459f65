// Memory that a worker lends to the blocks it runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exec/memory_map.h"

namespace heddle::exec::jit {

// Shared memory of one block. It ends (rounded up to `rounding` bytes) where pages begin that nobody may
// touch, and there are so many of them that no 32-bit offset reaches beyond: code adds an unsigned 32-bit
// offset to the address and needs no check. Where the process may not have so many addresses (ulimit -v), it
// lies where the system puts nothing of itself, and those pages are nobody's.
class SharedMemory {
 public:
  static constexpr uint32_t rounding = 64;
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  // Where a block's `bytes` begin; nullptr when the host has no room. The content is anything.
  std::byte* place(uint64_t bytes);
  bool contains(uintptr_t address) const { return address - begin() < reserved; }

 private:
  static constexpr uint64_t most = uint64_t{16} << 20;  // what a block may have: the shared window
  static constexpr uint64_t guard = (uint64_t{4} << 30) + (uint64_t{64} << 10);
  static constexpr uint64_t reserved = most + guard;
  // Of the guard: it may be lent to code that touches it (Landing::lend_when_touched).
  static constexpr uint64_t lendable = reserved_shared_end;
  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(base_); }
  bool reserve();
  std::byte* base_ = nullptr;
  uint64_t mapped_ = 0;
  uint64_t usable_ = 0;  // bytes before the guard that may be touched
};

// A piece of memory that grows and is never given back; what it held is lost when it does. Behind it lies a
// page that nobody may touch.
class Area {
 public:
  Area() = default;
  ~Area();
  Area(const Area&) = delete;
  Area& operator=(const Area&) = delete;
  // Aligned to a page. nullptr: the host has no room.
  std::byte* get(uint64_t bytes) { return bytes <= bytes_ ? data_ : grow(bytes); }
  bool contains(uintptr_t address) const { return address - reinterpret_cast<uintptr_t>(data_) < bytes_; }

 private:
  std::byte* grow(uint64_t bytes);
  std::byte* data_ = nullptr;
  uint64_t bytes_ = 0, mapped_ = 0;
};

}  // namespace heddle::exec::jit
