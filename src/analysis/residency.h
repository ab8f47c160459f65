// Where blocks are on a device, as far as a program can see it: %smid and %warpid
// (docs/reference/execution.md).
#pragma once

#include <cstdint>

#include "arch/device.h"
#include "module/image.h"

namespace heddle::analysis {

// Whether the kernel asks for its multiprocessor, or for the place of a warp there.
bool reads_place(const module::Image&, uint32_t entry);

// The blocks of a launch that one multiprocessor holds at once: what the occupancy functions answer, with as
// much shared memory as there can be, and at least one. `registers`: of a thread.
uint32_t resident_blocks(const arch::Architecture&, const module::Function& entry, uint32_t registers,
                         uint32_t threads, uint32_t dynamic_shared);

// The same, with the estimate of the kernel's registers.
uint32_t resident_blocks(const module::Image&, uint32_t entry, const arch::Architecture&, uint32_t threads,
                         uint32_t dynamic_shared);

// Blocks come to the multiprocessors in turn, and the next ones to the places of those that have ended, which
// in a grid of equal blocks is in the same order. So block `number` has the place of the block before it by
// all that are there at once.
struct WarpPlaces {
  uint32_t multiprocessors = 1, resident = 1, schedulers = 1, warps = 1;  // `warps` of a block
  uint32_t multiprocessor(uint64_t number) const { return static_cast<uint32_t>(number % multiprocessors); }
  // Of the block's warp. Each multiprocessor's schedulers have every so manieth place. The first warp of a
  // block begins with the next one, and of blocks that fill all schedulers alike one further, as on an H200
  // (tests/hw/h200/placement).
  uint32_t warp(uint64_t number, uint32_t warp) const {
    const uint64_t before = number / multiprocessors;
    const auto first = static_cast<uint32_t>(before % resident) * warps;
    if (warps % schedulers != 0) return first + warp;
    const auto turned = static_cast<uint32_t>((warp + before) % schedulers);
    return first + warp / schedulers * schedulers + turned;
  }
};

}  // namespace heddle::analysis
