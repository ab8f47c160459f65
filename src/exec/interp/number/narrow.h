// Numbers in 8, 6 and 4 bits, and 16-bit ones by the same rules: one conversion, as cvt to and from the
// packed formats does it for each element (PTX ISA 9.7.9.21).
#pragma once

#include <cstdint>

#include "exec/interp/number/float_format.h"

namespace heddle::exec::interp {

struct Narrowing {
  const Format& format;
  Rounding rounding = Rounding::nearest_even;
  Overflow overflow = Overflow::ieee;
  bool relu = false;
};

// NaN gives all ones without the sign: the canonical NaN, or where the format has none its largest number.
uint64_t narrow(const Narrowing& how, float value);

// .rs: the digits below the last one, cut to `random_bits`, are added to as many random bits; a carry rounds
// the magnitude up.
uint64_t narrow_stochastic(const Narrowing& how, float value, uint32_t random, int random_bits);

// ue8m0 has no sign and no fraction: the magnitude's exponent. `rounding` is toward zero or up.
uint8_t to_ue8m0(float value, Rounding rounding, Overflow overflow);
// 2^(bits - 127), or NaN.
float from_ue8m0(uint8_t bits);

}  // namespace heddle::exec::interp
