// Which lanes of a warp have what kind of number.
#pragma once

#include <cstdint>

#include "exec/told_numbers.h"

namespace heddle::exec {

struct NumberLanes {
  observe::Mask nan = 0, infinite = 0, subnormal = 0, zero = 0;
  observe::Mask not_finite() const { return nan | infinite; }
  NumberLanes& operator|=(const NumberLanes& other) {
    nan |= other.nan, infinite |= other.infinite, subnormal |= other.subnormal, zero |= other.zero;
    return *this;
  }
  NumberLanes operator&(observe::Mask lanes) const {
    return {nan & lanes, infinite & lanes, subnormal & lanes, zero & lanes};
  }
};

// Of one element of the number that a row of 32 has. No lane is looked at on its own, so that it takes
// little where a program computes with NaNs all the time.
inline NumberLanes lanes_of(const Number& number, unsigned element, const uint64_t* row) {
  const NumberFormat format = number.format();
  const unsigned shift = element * format.bits;
  const uint64_t magnitude = format.mask() >> 1, exponent = format.exponent(), normal = format.least_normal();
  NumberLanes found;
  for (unsigned lane = 0; lane < observe::warp_lanes; ++lane) {
    const uint64_t size = row[lane] >> shift & magnitude;
    found.nan |= observe::Mask{size > exponent} << lane;
    found.infinite |= observe::Mask{size == exponent} << lane;
    found.subnormal |= observe::Mask{size - 1 < normal - 1} << lane;
    found.zero |= observe::Mask{size == 0} << lane;
  }
  return found;
}

// Of one element of a sum's result and of its addend (addend_of).
inline observe::Mask cancelled_lanes(const Number& sum, const Number& addend, unsigned element,
                                     const uint64_t* sums, const uint64_t* addends) {
  const NumberFormat format = sum.format();
  observe::Mask found = 0;
  for (unsigned lane = 0; lane < observe::warp_lanes; ++lane)
    found |= observe::Mask{format.is_cancelled(sum.element(sums[lane], element),
                                               addend.element(addends[lane], element))}
             << lane;
  return found;
}

}  // namespace heddle::exec
