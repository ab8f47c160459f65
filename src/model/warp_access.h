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

inline constexpr unsigned warp_lanes = 32;

constexpr LaneMask lanes_from(unsigned first, unsigned count) {
  return static_cast<LaneMask>((uint64_t{1} << count) - 1) << first;
}

// The lanes of each part of so many, with the part's first lane: half-warps, quarters. Parts without lanes
// are left out.
template <class F>
void each_part(LaneMask lanes, unsigned of_part, F&& f) {
  for (unsigned first = 0; first < warp_lanes; first += of_part)
    if (const LaneMask part = lanes & lanes_from(first, of_part)) f(first, part);
}

template <class F>
void each_lane(LaneMask lanes, F&& f) {
  for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(std::countr_zero(lanes)));
}

}  // namespace heddle::model
