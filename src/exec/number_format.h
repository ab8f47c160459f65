// Floating-point numbers by their bits.
#pragma once

#include <cstdint>

#include "isa/isa.h"

namespace heddle::exec {

// Of the elements of a type: sign, exponent, `mantissa` bits.
struct NumberFormat {
  unsigned bits = 0;  // 0: none that observers are told of
  unsigned mantissa = 0;

  constexpr uint64_t mask() const { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
  constexpr uint64_t sign() const { return uint64_t{1} << (bits - 1); }
  constexpr uint64_t least_normal() const { return uint64_t{1} << mantissa; }
  // All of the exponent's bits: what infinity has.
  constexpr uint64_t exponent() const { return (mask() >> 1) & ~(least_normal() - 1); }

  constexpr uint64_t magnitude(uint64_t number) const { return number & (mask() >> 1); }
  constexpr bool is_nan(uint64_t number) const { return magnitude(number) > exponent(); }
  constexpr bool is_infinite(uint64_t number) const { return magnitude(number) == exponent(); }
  constexpr bool is_finite(uint64_t number) const { return magnitude(number) < exponent(); }
  constexpr bool is_zero(uint64_t number) const { return magnitude(number) == 0; }
  constexpr bool is_subnormal(uint64_t number) const {
    return !is_zero(number) && magnitude(number) < least_normal();
  }
  // So many of the leading digits of an addend that the sum has not got, at least, count as cancelled: three
  // quarters of those that a number has.
  constexpr uint64_t cancelled_exponents() const { return 3 * (uint64_t{mantissa} + 1) / 4; }
  // The sum is finite, not 0, and so much less than what was added. Of equal numbers the difference is exact.
  constexpr bool is_cancelled(uint64_t sum, uint64_t addend) const {
    if (is_zero(sum) || !is_finite(addend)) return false;
    return (addend & exponent()) >= (sum & exponent()) + (cancelled_exponents() << mantissa);
  }
  double value(uint64_t number) const;
};

// Of f16, bf16, f32, f64, tf32 and pairs of them.
NumberFormat format_of(isa::Type type);

}  // namespace heddle::exec
