// Where the windows of the generic address space lie. A global or constant address is a host address; shared
// memory, local memory and the parameters of a kernel appear in windows that no host pointer can reach, at
// the same place for every block and thread, as on a device.
#pragma once

#include <cstdint>

namespace heddle::exec {

struct WindowMap {
  uint64_t shared_base, shared_bytes;
  uint64_t local_base, local_bytes;
  uint64_t param_base, param_bytes;  // of the kernel; those of a function lie in the caller's local memory
};

// 64-bit modules: bit 48 is set, which user-space addresses on x86-64 and AArch64 (48-bit) never have.
inline constexpr WindowMap windows64{0x0001'0000'0000'0000, 0x1000'0000,           0x0001'0001'0000'0000,
                                     0x1'0000'0000,         0x0001'0002'0000'0000, 0x1'0000};
// 32-bit modules: the bottom of the address space, below anything that the runtime hands out; they know of no
// clusters.
inline constexpr WindowMap windows32{0x0100'0000, 0x0100'0000, 0x0200'0000,
                                     0x0200'0000, 0x0400'0000, 0x1'0000};

inline constexpr const WindowMap& windows(unsigned address_bits) {
  return address_bits == 32 ? windows32 : windows64;
}

// The memory of the block with that rank in its cluster begins at rank << shift in the shared window, its own
// for itself, too, as on a device (tests/hw/h200/answers/cluster_addresses.txt): code for pairs of blocks
// (tcgen05, .cta_group::2; CUTLASS) clears the lowest bit of the rank to name the even block's. Without
// clusters every block has rank 0, and its addresses are offsets.
inline constexpr unsigned shared_rank_shift = 24;
constexpr uint64_t shared_address(uint32_t rank, uint64_t offset) {
  return uint64_t{rank} << shared_rank_shift | offset;
}
constexpr uint64_t shared_offset(uint64_t address) {
  return address & ((uint64_t{1} << shared_rank_shift) - 1);
}
// Where in a block's part of the window what the system keeps of its shared memory ends.
inline constexpr uint64_t reserved_shared_end = uint64_t{1} << 19;

// The value of a function pointer: never 0, fits in 32 bits.
inline constexpr uint64_t code_handle(uint32_t function_index) { return (uint64_t{function_index} + 1) * 8; }
inline constexpr bool is_code_handle(uint64_t handle) { return handle != 0 && handle % 8 == 0; }
inline constexpr uint32_t function_of_handle(uint64_t handle) {
  return static_cast<uint32_t>(handle / 8 - 1);
}

}  // namespace heddle::exec
