// A device as the virtual clock sees it: every rate and latency in ticks, sixteenths of a multiprocessor's
// clock, so that time is an integer and the same on every host.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "arch/device.h"
#include "timing/timing.gen.h"

namespace heddle::timing {

using Ticks = uint64_t;
inline constexpr Ticks ticks_per_clock = 16;

struct Machine {
  // Parts of the model that constants cannot take away (mechanism.h).
  struct LeftOut {
    bool order = false, banks = false, partitions = false, stride = false;
  };
  const arch::Device* device = nullptr;
  const Constants* constants = nullptr;
  uint32_t multiprocessors = 1, schedulers = 1;
  Ticks issue = 16;                         // of one instruction by a scheduler
  std::array<Ticks, unit_count> busy{};     // a scheduler's share of a unit, with one warp's operation
  std::array<Ticks, unit_count> latency{};  // until the result can be used
  // Of shared memory: shared_latency is of an instruction whose address register is filled.
  uint32_t address_registers = 0, address_reach = 0, global_offset = 0;
  Ticks address_latency = 0;
  Ticks queue_shared = 0, queue_memory = 0;  // instructions
  Ticks shared_latency = 0, shared_wavefront = 0, shared_operand = 0, constant_step = 0, branch = 0,
        decision = 0, meeting = 0, parting = 0, barrier = 0;
  uint32_t meeting_instructions = 0;
  Ticks constant_latency = 0, constant_miss = 0, constant_refill = 0;
  Ticks barrier_step = 0;
  bool l1_read_only = false;  // other loads of global memory pass by the L1 cache
  Ticks l1_latency = 0, l1_wavefront = 0, l2_latency = 0, l2_sector = 0, memory_latency = 0;
  double port_bytes = 1;  // that come to a multiprocessor, a tick
  uint64_t l2_bytes = 0;  // of different data
  uint32_t l2_slices = 1, channels = 1;
  double channel_bytes = 1;   // of a channel, a tick
  Ticks texture_latency = 0;  // of a look that the cache has
  Ticks texture_busy = 0;     // of the texture units, for a warp
  uint64_t texture_bytes = 0;
  uint32_t per_texture_cache = 1;  // multiprocessors
  double host_bytes = 1;           // over the bus of the host, a tick and direction
  Ticks host_latency = 0;
  Ticks row_time = 0, write_gap = 0, partial_write = 0, atomic = 0, block_start = 0, block_interval = 0,
        launch = 0;
  LeftOut left_out;

  double nanoseconds(Ticks) const;
  Ticks ticks(double nanoseconds) const;
};

// Nothing where spec/timing has no record of the capability.
std::optional<Machine> make_machine(const arch::Device&);

}  // namespace heddle::timing
