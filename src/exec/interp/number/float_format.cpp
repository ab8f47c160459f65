#include "exec/interp/number/float_format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle::exec::interp {

namespace {

// The digits of `significand` above the lowest `drop`, and what the rest amounts to.
struct Cut {
  uint64_t kept;
  Rest rest;
};
Cut cut(uint64_t significand, int drop) {
  if (drop > 64) return {0, significand == 0 ? Rest::none : Rest::below_half};
  const uint64_t kept = drop == 64 ? 0 : significand >> drop;
  const uint64_t half = uint64_t{1} << (drop - 1);
  const uint64_t rest = significand & (half | (half - 1));
  if (rest == 0) return {kept, Rest::none};
  return {kept, rest < half ? Rest::below_half : rest == half ? Rest::half : Rest::above_half};
}

uint64_t too_large(const Format& format, bool negative, Rounding rounding, Overflow overflow) {
  const bool away = rounding == Rounding::nearest_even || rounding == Rounding::nearest_away ||
                    rounding == (negative ? Rounding::down : Rounding::up);
  const bool finite = overflow == Overflow::largest || !away || format.special != Format::Special::ieee;
  return finite ? format.largest() : format.infinity();
}

}  // namespace

Finite split(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const uint64_t fraction = bits & (formats::f64.hidden() - 1);
  const int field = static_cast<int>(bits >> formats::f64.fraction_bits & 0x7ff);
  return {bits >> 63 != 0, field == 0 ? fraction : fraction | formats::f64.hidden(),
          formats::f64.lowest() + std::max(field - 1, 0)};
}

uint64_t encode(const Format& format, Finite value, Rounding rounding, Overflow overflow) {
  const uint64_t sign = value.negative ? format.sign_bit() : 0;
  if (value.significand == 0) return sign;
  const int digits = std::bit_width(value.significand);
  const int drop = std::max(digits - (format.fraction_bits + 1), format.lowest() - value.exponent);
  const int last = value.exponent + drop;  // exponent of the last digit that is kept
  uint64_t kept = 0;
  if (drop <= 0) {
    kept = value.significand << -drop;
  } else {
    const Cut parts = cut(value.significand, drop);
    kept = parts.kept +
           (rounds_up_magnitude(rounding, value.negative, (parts.kept & 1) != 0, parts.rest) ? 1 : 0);
  }
  // A carry out of the fraction is a carry into the exponent; subnormals have exponent field 0, and the
  // hidden digit of the others counts one into the field.
  const int field = last - format.lowest();
  if (field > 1 << format.exponent_bits) return sign | too_large(format, value.negative, rounding, overflow);
  const uint64_t magnitude = (static_cast<uint64_t>(field) << format.fraction_bits) + kept;
  if (magnitude > format.largest()) return sign | too_large(format, value.negative, rounding, overflow);
  return sign | magnitude;
}

uint64_t encode(const Format& format, double value, Rounding rounding, Overflow overflow) {
  if (std::isinf(value)) {
    const bool finite = overflow == Overflow::largest || format.special != Format::Special::ieee;
    return (std::signbit(value) ? format.sign_bit() : 0) | (finite ? format.largest() : format.infinity());
  }
  return encode(format, split(value), rounding, overflow);
}

double decode(const Format& format, uint64_t bits) {
  const bool negative = (bits & format.sign_bit()) != 0;
  if (format.is_nan(bits)) return std::numeric_limits<double>::quiet_NaN();
  const uint64_t magnitude = format.magnitude(bits);
  double value = std::numeric_limits<double>::infinity();
  if (magnitude <= format.largest()) {
    const int field = static_cast<int>(magnitude >> format.fraction_bits);
    const uint64_t fraction = magnitude & (format.hidden() - 1);
    const auto number = static_cast<double>(field == 0 ? fraction : fraction | format.hidden());
    const int exponent = format.lowest() + std::max(field - 1, 0);
    // A product with a power of two is exact, and much faster than ldexp.
    const bool normal = exponent >= -1022 && exponent <= 1023;
    value = normal ? number * std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52)
                   : std::ldexp(number, exponent);
  }
  return negative ? -value : value;
}

bool is_tiny(const Format& format, double value, Rounding rounding) {
  const Format unbounded{formats::f64.exponent_bits, format.fraction_bits, formats::f64.bias};
  return value != 0 &&
         std::fabs(decode(unbounded, encode(unbounded, value, rounding))) < decode(format, format.hidden());
}

}  // namespace heddle::exec::interp
