// How long a launch takes on a device: recorded blocks are simulated, the rest follows from the exact counts.
#pragma once

#include <cstdint>
#include <string_view>

#include "timing/recorder.h"
#include "timing/simulate.h"

namespace heddle::timing {

// What the time is of: the part that was busiest, or waiting where none was.
enum class Bound : uint8_t { launch, issue, arithmetic, shared, l2, memory, latency, barrier, atomics, bus };
std::string_view name(Bound);

struct Prediction {
  double nanoseconds = 0;  // as a profiler sees the kernel
  Bound bound = Bound::latency;
  double busy = 0;                                    // of that part, 0 to 1
  uint64_t operations = 0, simulated_operations = 0;  // of warps
  uint64_t blocks = 0, simulated_blocks = 0;
  bool whole = false;         // every block was simulated from its beginning to its end
  uint64_t memory_bytes = 0;  // in the simulated part
};

Prediction predict(const Machine&, const IssuedProgram&, const Recorder&, uint32_t resident,
                   uint64_t l1_bytes, uint64_t grid_blocks);

// What its warps wait for: of the recorded blocks, which stand for all.
StallTable stalls_of(const Machine&, const IssuedProgram&, const Recorder&, uint32_t resident,
                     uint64_t l1_bytes);

// Bytes of L1 cache that a kernel with so much shared memory on a multiprocessor leaves.
uint64_t l1_bytes(const arch::Architecture&, uint64_t shared_bytes_of_block, uint32_t resident);

}  // namespace heddle::timing
