// Where the meaning of PTX depends on the device and the target. No LLVM here: it is part of what kept code
// is found by.
#pragma once

#include <array>
#include <cstdint>

#include "arch/device.h"
#include "exec/fault.h"
#include "exec/jit/abi/observed.h"
#include "module/image.h"

namespace heddle::exec::jit {

// Decided once for a program.
struct Meaning {
  bool independent = true;     // lanes make progress independently (from compute capability 7.0)
  bool flushes_f32 = false;    // f32 has no subnormals
  bool truncates_mad = false;  // mad.f32 drops digits of the product before it adds
  unsigned address_bits = 64;
  bool flush_mode = false;  // see ThreadProgram; lower() tries it by itself
  // Special registers that are the same for all threads of a device.
  uint32_t most_warps = 64, multiprocessors = 1, reserved_shared = 0;
  Observed observed = observe::nothing;  // what an observer needs: the code tells it
  Dim3 cluster{1, 1, 1};                 // that blocks come in
  // All that a program depends on, for a key of a cache.
  std::array<uint64_t, 11> numbers() const {
    return {independent,     flushes_f32, truncates_mad, address_bits, most_warps, multiprocessors,
            reserved_shared, observed,    cluster.x,     cluster.y,    cluster.z};
  }
};
Meaning meaning_of(const module::Image&, const arch::Device&, Observed observed = observe::nothing,
                   const Dim3& cluster = {1, 1, 1});

}  // namespace heddle::exec::jit
