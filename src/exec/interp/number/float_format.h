// Binary floating-point formats as data, and the one place where a number is rounded into one of them.
//
// A number is passed as a double wherever a double holds it: every value of every format but the 64-bit
// integers. Where an operation's exact result does not fit in a double, it is passed rounded to odd (ieee.h),
// which loses nothing that a later rounding to fewer digits could want to know.
#pragma once

#include <bit>
#include <cstdint>

#include "exec/interp/number/rounding.h"

namespace heddle::exec::interp {

struct Format {
  int exponent_bits, fraction_bits, bias;
  enum class Special : uint8_t {
    ieee,      // the highest exponent is for infinity and NaNs
    nan_only,  // all ones is NaN, every other pattern a number
    none,      // numbers only
  } special = Special::ieee;

  constexpr int sign_shift() const { return exponent_bits + fraction_bits; }
  constexpr uint64_t sign_bit() const { return uint64_t{1} << sign_shift(); }
  constexpr uint64_t hidden() const { return uint64_t{1} << fraction_bits; }  // also: the least normal number
  constexpr uint64_t all_ones() const { return sign_bit() - 1; }
  constexpr uint64_t infinity() const { return all_ones() - (hidden() - 1); }  // ieee only
  // Magnitude of the largest finite number.
  constexpr uint64_t largest() const {
    return special == Special::ieee       ? infinity() - 1
           : special == Special::nan_only ? all_ones() - 1
                                          : all_ones();
  }
  constexpr uint64_t magnitude(uint64_t bits) const { return bits & all_ones(); }
  constexpr bool is_nan(uint64_t bits) const {
    return special == Special::ieee ? magnitude(bits) > infinity()
                                    : special == Special::nan_only && magnitude(bits) == all_ones();
  }
  constexpr bool is_subnormal(uint64_t bits) const {
    return magnitude(bits) != 0 && magnitude(bits) < hidden();
  }
  constexpr int lowest() const { return 1 - bias - fraction_bits; }  // exponent of a subnormal's last digit
};

namespace formats {
inline constexpr Format f64{11, 52, 1023};
inline constexpr Format f32{8, 23, 127};
inline constexpr Format f16{5, 10, 15};
inline constexpr Format bf16{8, 7, 127};
inline constexpr Format tf32{8, 10, 127};  // stands in the upper bits of an f32
inline constexpr Format e4m3{4, 3, 7, Format::Special::nan_only};
inline constexpr Format e5m2{5, 2, 15};
inline constexpr Format e2m3{2, 3, 1, Format::Special::none};
inline constexpr Format e3m2{3, 2, 3, Format::Special::none};
inline constexpr Format e2m1{2, 1, 1, Format::Special::none};
}  // namespace formats

enum class Overflow : uint8_t {
  ieee,     // infinity, or the largest number where the rounding goes toward zero
  largest,  // .satfinite: the largest number, for infinities too
};

// ±significand * 2^exponent.
struct Finite {
  bool negative;
  uint64_t significand;
  int exponent;
};

// Of a finite double.
Finite split(double value);

// Rounds into the format; the result is its bits. Significand 0 is a zero of that sign.
uint64_t encode(const Format& format, Finite value, Rounding rounding, Overflow overflow = Overflow::ieee);

// The same of a double, which may be infinite. NaN is left to the caller, who knows the instruction's rule.
uint64_t encode(const Format& format, double value, Rounding rounding, Overflow overflow = Overflow::ieee);

// Exact. A NaN gives a NaN.
double decode(const Format& format, uint64_t bits);

// Whether a value counts as subnormal for .ftz: devices judge it rounded to the format's digits as if there
// were no least exponent, so that one which only the coarser grid of the subnormals rounds up to the least
// normal number is flushed as well.
bool is_tiny(const Format& format, double value, Rounding rounding);

}  // namespace heddle::exec::interp
