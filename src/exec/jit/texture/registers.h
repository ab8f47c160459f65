// A warp's registers as a table [slot][lane], and sets of its lanes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "exec/jit/texture/lanes.h"

namespace heddle::exec::jit::texture {

inline Range range_of(uint32_t lanes) {
  const int last = 31 - std::countl_zero(lanes);
  return {std::countr_zero(lanes) / range_step * range_step, last / range_step * range_step + range_step};
}

template <class F>
void each(uint32_t lanes, F&& f) {
  for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) f(std::countr_zero(rest));
}

inline const uint64_t* lanes_of(const uint64_t* registers, uint32_t slot) {
  return registers + std::size_t{slot} * warp_lanes;
}
inline uint64_t* lanes_of(uint64_t* registers, uint32_t slot) {
  return registers + std::size_t{slot} * warp_lanes;
}

}  // namespace heddle::exec::jit::texture
