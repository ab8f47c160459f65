// One arithmetic operation as PTX has it: IEEE 754 (ieee.h) with .ftz, .sat and the NaNs that devices give.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>

#include "exec/interp/number/float_format.h"
#include "exec/interp/number/ieee.h"

namespace heddle::exec::interp {

inline constexpr uint32_t nan_f32 = 0x7fffffff;
inline constexpr uint16_t nan_half = 0x7fff;  // f16 and bf16
inline constexpr uint64_t nan_f64 = 0xfff8'0000'0000'0000;

struct Manner {
  Rounding rounding = Rounding::nearest_even;
  bool flush = false;     // .ftz, or a device without subnormals
  bool saturate = false;  // .sat
};

inline float canonical_nan() { return std::bit_cast<float>(nan_f32); }

inline float flushed(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7f80'0000) == 0 ? std::bit_cast<float>(bits & 0x8000'0000) : value;
}
inline float flushed_if(bool flush, float value) { return flush ? flushed(value) : value; }

// [0, 1]; NaN and -0 give +0.
inline float saturated(float value) { return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f; }

// The result of an f64 operation that is a NaN: the first of these sources that is one, made quiet, or the
// NaN that devices make of an invalid operation.
template <std::same_as<double>... Sources>
double nan_of(Sources... sources) {
  uint64_t bits = nan_f64;
  bool found = false;
  ((!found && std::isnan(sources) ? (bits = std::bit_cast<uint64_t>(sources), found = true) : false), ...);
  return std::bit_cast<double>(bits | 0x0008'0000'0000'0000);
}
// In the order in which devices look at the sources. Division is a routine of its own there.
template <class Op>
double nan_of_operation(double a) {
  return nan_of(a);
}
template <class Op>
double nan_of_operation(double a, double b) {
  return std::same_as<Op, Div> ? nan_of(a, b) : nan_of(b, a);
}
template <class Op>
double nan_of_operation(double a, double b, double c) {
  return nan_of(b, c, a);
}

template <class Op, std::same_as<float>... Sources>
float compute(Op op, const Manner& manner, Sources... sources) {
  if (manner.flush) ((sources = flushed(sources)), ...);
  float result = op(sources..., manner.rounding);
  if (std::isnan(result)) return manner.saturate ? 0.0f : canonical_nan();
  if (manner.flush) {
    constexpr float least = 0x1p-126f;
    result = flushed(result);
    if (std::fabs(result) == least && is_tiny(formats::f32, Op::odd(sources...), manner.rounding))
      result = std::copysign(0.0f, result);
  }
  return manner.saturate ? saturated(result) : result;
}

template <class Op, std::same_as<double>... Sources>
double compute(Op op, const Manner& manner, Sources... sources) {
  const double result = op(sources..., manner.rounding);
  return std::isnan(result) ? nan_of_operation<Op>(sources...) : result;
}

}  // namespace heddle::exec::interp
