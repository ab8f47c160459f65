// How much of a multiprocessor's registers and shared memory one block takes (OpenCL Programming
// Guide 2.1.2).
#pragma once

#include <algorithm>
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

// The most registers of a thread with which a launch takes a block of so many threads.
constexpr uint32_t most_registers(const Architecture& arch, uint32_t threads) {
  const uint32_t unit = arch.registers.allocation_unit;
  uint32_t warps = round_up(warps_per_block(arch, threads), arch.registers.check_granularity);
  uint32_t given = 0;  // to all lanes of a warp
  if (arch.has(Feature::registers_by_warp)) {
    given = arch.registers.per_block / warps / unit * unit;
  } else {
    warps = round_up(warps, arch.registers.warp_granularity);
    given = arch.registers.per_block / unit * unit / warps;
  }
  return std::min(given / arch.launch.warp_size, arch.registers.per_thread);
}

// The threads of the largest block that a launch takes when each has so many registers: whole warps.
constexpr uint32_t most_threads(const Architecture& arch, uint32_t registers_per_thread) {
  const uint32_t warp = arch.launch.warp_size;
  uint32_t threads = arch.launch.max_threads_per_block;
  while (threads > warp &&
         registers_checked_per_block(arch, threads, registers_per_thread) > arch.registers.per_block)
    threads = (threads - 1) / warp * warp;
  return threads;
}

// `bytes` is what the program uses: static, dynamic, and with parameters_in_shared the arguments.
constexpr uint32_t shared_per_block(const Architecture& arch, uint32_t bytes) {
  return round_up(bytes + arch.shared.reserved_per_block, arch.shared.allocation_unit);
}

}  // namespace heddle::arch
