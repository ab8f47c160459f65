// How much of a multiprocessor's registers and shared memory one block takes (OpenCL Programming
// Guide 2.1.2).
#pragma once

#include <cstdint>

#include "arch/device.h"

namespace heddle::arch {

constexpr uint32_t round_up(uint32_t value, uint32_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

constexpr uint32_t warps_per_block(const Architecture& arch, uint32_t threads) {
  return (threads + arch.launch.warp_size - 1) / arch.launch.warp_size;
}

// Registers that one warp takes, where registers are given to warps.
constexpr uint32_t registers_per_warp(const Architecture& arch, uint32_t registers_per_thread) {
  return round_up(registers_per_thread * arch.launch.warp_size, arch.registers.allocation_unit);
}

constexpr uint32_t registers_per_block(const Architecture& arch, uint32_t threads,
                                       uint32_t registers_per_thread) {
  const uint32_t warps = warps_per_block(arch, threads);
  if (arch.has(Feature::registers_by_warp)) return registers_per_warp(arch, registers_per_thread) * warps;
  const uint32_t lanes = round_up(warps, arch.registers.warp_granularity) * arch.launch.warp_size;
  return round_up(lanes * registers_per_thread, arch.registers.allocation_unit);
}

// What the check of a launch counts: as registers_per_block, but in whole sets of warps.
constexpr uint32_t registers_checked_per_block(const Architecture& arch, uint32_t threads,
                                               uint32_t registers_per_thread) {
  const uint32_t warps = round_up(warps_per_block(arch, threads), arch.registers.check_granularity);
  return registers_per_block(arch, warps * arch.launch.warp_size, registers_per_thread);
}

// `bytes` is what the program uses: static, dynamic, and with parameters_in_shared the arguments.
constexpr uint32_t shared_per_block(const Architecture& arch, uint32_t bytes) {
  return round_up(bytes + arch.shared.reserved_per_block, arch.shared.allocation_unit);
}

}  // namespace heddle::arch
