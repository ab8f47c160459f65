// The 16-bit floating-point formats as bits: f16 is IEEE binary16, bf16 the upper half of an f32.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "exec/interp/number/arithmetic.h"
#include "exec/interp/number/float_format.h"

namespace heddle::exec::interp {

inline float from_bf16(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

inline float from_f16(uint16_t bits) {  // exact; a NaN keeps its payload
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
                 mantissa = bits & 0x3ff;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // zero or subnormal
  return sign != 0 ? -magnitude : magnitude;
}

// From a number that is exact or rounded to odd; NaN becomes the canonical one.
inline uint16_t to_f16(double value, Rounding rounding = Rounding::nearest_even,
                       Overflow overflow = Overflow::ieee) {
  return std::isnan(value) ? nan_half
                           : static_cast<uint16_t>(encode(formats::f16, value, rounding, overflow));
}
inline uint16_t to_bf16(double value, Rounding rounding = Rounding::nearest_even,
                        Overflow overflow = Overflow::ieee) {
  return std::isnan(value) ? nan_half
                           : static_cast<uint16_t>(encode(formats::bf16, value, rounding, overflow));
}

// f16 or bf16, where one rule serves both.
struct HalfType {
  bool brain;  // bf16

  const Format& format() const { return brain ? formats::bf16 : formats::f16; }
  float decode(uint16_t bits) const { return brain ? from_bf16(bits) : from_f16(bits); }
  uint16_t encode(double value) const { return brain ? to_bf16(value) : to_f16(value); }
  uint16_t flushed(uint16_t bits) const {
    return format().is_subnormal(bits) ? static_cast<uint16_t>(bits & 0x8000) : bits;
  }
  bool is_nan(uint16_t bits) const { return format().is_nan(bits); }
};

struct HalfManner {
  HalfType type;
  bool flush = false;     // .ftz
  bool saturate = false;  // .sat
  bool relu = false;      // .relu
};

// One operation of ieee.h on halves, rounded to nearest even.
template <class Op, std::same_as<uint16_t>... Sources>
uint16_t compute_half(Op, const HalfManner& manner, Sources... sources) {
  const HalfType type = manner.type;
  if (manner.flush) ((sources = type.flushed(sources)), ...);
  const double exact = Op::odd(type.decode(sources)...);
  if (std::isnan(exact)) return manner.saturate ? 0 : nan_half;
  uint16_t result = type.encode(exact);
  if (manner.flush) {
    result = type.flushed(result);
    if (type.format().magnitude(result) == type.format().hidden() &&
        is_tiny(type.format(), exact, Rounding::nearest_even))
      result &= 0x8000;
  }
  if (manner.saturate) return type.encode(saturated(type.decode(result)));
  if (manner.relu && (result & 0x8000) != 0) return 0;
  return result;
}

}  // namespace heddle::exec::interp
