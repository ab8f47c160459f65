// Occupancy as one resource changes and the others stay: the three curves of the classic occupancy
// calculator.
#pragma once

#include <cstdint>
#include <vector>

#include "model/occupancy.h"

namespace heddle::model {

// Values from `first` to `last`, in steps of `step`, that give the same.
struct Stretch {
  uint64_t first = 0, last = 0;
  Occupancy occupancy;
};

struct Curve {
  uint64_t step = 1, limit = 0;    // of the values; the highest that the device has
  std::vector<Stretch> stretches;  // ascending, without gaps
  const Stretch& at(uint64_t value) const;
};

struct Curves {
  Curve threads;    // of a block: whole warps
  Curve registers;  // of a thread, from 1 on
  Curve shared;     // bytes of a block, from 0 on, in units of allocation
};
Curves curves(const arch::Architecture&, const BlockNeeds&);

}  // namespace heddle::model
