#include "exec/interp/number/to_integer.h"

#include <algorithm>
#include <cmath>

namespace heddle::exec::interp {

namespace {

__extension__ using Wide = __int128;  // holds every value of every integer type

Wide lowest(IntegerType type) { return type.is_signed ? -(Wide{1} << (type.bits - 1)) : 0; }
Wide highest(IntegerType type) { return (Wide{1} << (type.bits - (type.is_signed ? 1 : 0))) - 1; }

uint64_t low_bits(Wide value, IntegerType type) {
  return static_cast<uint64_t>(value) & static_cast<uint64_t>(highest({type.bits, false}));
}

Wide value_of(uint64_t bits, IntegerType type) {
  const unsigned unused = 64 - type.bits;
  if (type.is_signed) return static_cast<int64_t>(bits << unused) >> unused;
  return bits << unused >> unused;
}

}  // namespace

double integral(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest_even: return std::nearbyint(value);
    case Rounding::nearest_away: return std::round(value);
    case Rounding::toward_zero: return std::trunc(value);
    case Rounding::down: return std::floor(value);
    case Rounding::up: return std::ceil(value);
  }
  return value;
}

uint64_t to_integer(double value, Rounding rounding, IntegerType type) {
  const double rounded = integral(value, rounding);
  // Powers of two, so exact: the range is [least, end).
  const double least = type.is_signed ? -std::ldexp(1.0, static_cast<int>(type.bits) - 1) : 0;
  const double end = std::ldexp(1.0, static_cast<int>(type.bits) - (type.is_signed ? 1 : 0));
  if (rounded < least) return low_bits(lowest(type), type);
  if (rounded >= end) return low_bits(highest(type), type);
  return low_bits(static_cast<Wide>(rounded), type);
}

uint64_t nan_integer(bool from_f64, IntegerType type) {
  return from_f64 || type.bits == 64 ? uint64_t{1} << (type.bits - 1) : 0;
}

Finite finite_of(uint64_t bits, IntegerType type) {
  const Wide value = value_of(bits, type);
  return {value < 0, static_cast<uint64_t>(value < 0 ? -value : value), 0};
}

uint64_t wrap_integer(uint64_t bits, IntegerType from, IntegerType to) {
  return low_bits(value_of(bits, from), to);
}

uint64_t clamp_integer(uint64_t bits, IntegerType from, IntegerType to) {
  return low_bits(std::clamp(value_of(bits, from), lowest(to), highest(to)), to);
}

}  // namespace heddle::exec::interp
