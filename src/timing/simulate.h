// Runs recorded blocks on a machine: warps in order, results when their latency is over, schedulers, units,
// caches and memory when they are free. Reservation, not cycles: an instruction takes the next free time of
// all that it needs, in the order in which warps are ready.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "timing/issued.h"
#include "timing/memory.h"
#include "timing/stalls.h"
#include "timing/trace.h"

namespace heddle::timing {

struct Simulated {
  Ticks end = 0;            // of the last block
  uint64_t operations = 0;  // of the program, as it stands there
  // In its stride: between two moments at which many blocks ran, operations and ticks.
  uint64_t steady_operations = 0;
  Ticks steady = 0;
  bool whole = true;  // no warp was cut
  // Parts of the time for which the busiest kind of unit was taken, all of its kind together.
  std::array<Ticks, unit_count> units{};
  Ticks issue = 0;
  Ticks l1 = 0;
  Memory::Busy memory;
  uint64_t dirty_bytes = 0;  // of the L2 cache, at the end
  // What warps waited for, summed over warps: memory, results of arithmetic, barriers, a free unit.
  Ticks wait_memory = 0, wait_result = 0, wait_barrier = 0, wait_unit = 0;
};

// Of each warp so many events count; it went on behind them. `stalls`: what the warps waited for is added
// there.
Simulated simulate(const Machine&, const IssuedProgram&, std::span<const BlockTrace>, uint32_t resident,
                   uint64_t l1_bytes, std::size_t most_events = ~std::size_t{0},
                   StallTable* stalls = nullptr);

}  // namespace heddle::timing
