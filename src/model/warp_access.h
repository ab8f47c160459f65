// One memory instruction of one warp, as the models see it.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::model {

using LaneMask = uint32_t;

enum class AccessKind : uint8_t { load, store, change };  // change: atomic operations

struct WarpAccess {
  AccessKind kind = AccessKind::load;
  LaneMask lanes = 0;                   // that access memory
  uint32_t bytes = 4;                   // of one lane, 1 to 32, a power of two; addresses are multiples of it
  const uint64_t* addresses = nullptr;  // of all 32 lanes; those of lanes not in the mask mean nothing
};

template <class F>
void each_lane(LaneMask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace heddle::model
