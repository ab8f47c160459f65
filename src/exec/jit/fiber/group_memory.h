// Memory of blocks that are there at once: each has its own, while the worker's is one block's. Kept from
// launch to launch.
#pragma once

#include <cstdint>
#include <memory>

#include "exec/jit/abi/context.h"

namespace heddle::exec::jit {

class GroupMemory {
 public:
  struct Place {
    std::byte *shared = nullptr, *reserved = nullptr, *local = nullptr, *slots = nullptr;
  };
  // Shared and reserved memory as large as the context's. What is in it is anything, but that reserved memory
  // is zero. False: the host has none.
  bool reserve(const Context& context, uint64_t blocks, uint64_t local_bytes, uint64_t slot_bytes = 0);
  // Local memory alone.
  bool reserve_local(uint64_t bytes);
  Place of(uint64_t block) const;

 private:
  bool reserve(uint64_t blocks);

  std::unique_ptr<std::byte[]> bytes_;
  uint64_t capacity_ = 0;
  std::byte* first_ = nullptr;  // at a cache line, as all places are
  uint64_t shared_ = 0, reserved_ = 0, local_ = 0, slots_ = 0;
};

// Where a block is in the context's grid (KernelEntry).
void find_block(const Context& context, uint64_t block, uint32_t (&index)[3]);

}  // namespace heddle::exec::jit
