#include "exec/number_format.h"

#include <cmath>
#include <limits>

namespace heddle::exec {

NumberFormat format_of(isa::Type type) {
  using enum isa::Type;
  switch (type) {
    case f16:
    case f16x2: return {16, 10};
    case bf16:
    case bf16x2: return {16, 7};
    case f32:
    case f32x2:
    case tf32: return {32, 23};
    case f64: return {64, 52};
    default: return {};
  }
}

double NumberFormat::value(uint64_t number) const {
  const double sign = (number & this->sign()) != 0 ? -1 : 1;
  if (is_nan(number)) return std::numeric_limits<double>::quiet_NaN();
  if (is_infinite(number)) return sign * std::numeric_limits<double>::infinity();
  const auto bias = static_cast<int>(exponent() >> mantissa >> 1);
  const auto power = static_cast<int>((number & exponent()) >> mantissa);
  const uint64_t digits = (number & (least_normal() - 1)) | (power == 0 ? 0 : least_normal());
  return sign * std::ldexp(static_cast<double>(digits),
                           (power == 0 ? 1 : power) - bias - static_cast<int>(mantissa));
}

}  // namespace heddle::exec
