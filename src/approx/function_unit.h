// The bare functions, as the special function unit of a device computes them. Subnormal arguments count as
// zero and subnormal results become zero; what an instruction needs beyond that is arithmetic around these.
#pragma once

#include <cstdint>

namespace heddle::approx::unit {

inline constexpr uint32_t nan = 0x7fffffff;  // the one NaN these give
inline constexpr uint32_t infinity = 0x7f800000;
inline constexpr uint32_t sign_bit = 0x80000000;

// A float taken apart; subnormals are zero.
struct Parts {
  uint32_t sign;      // 0 or sign_bit
  int exponent;       // unbiased; the field's value less 127
  uint32_t fraction;  // 23 bits
  bool zero, infinite, nan;
};
constexpr Parts split(uint32_t a) {
  uint32_t magnitude = a & ~sign_bit;
  return {.sign = a & sign_bit,
          .exponent = static_cast<int>(magnitude >> 23) - 127,
          .fraction = a & 0x7fffff,
          .zero = magnitude < 0x800000,
          .infinite = magnitude == infinity,
          .nan = magnitude > infinity};
}

// significand * 2^(exponent - 23), the significand having 24 bits; too small is zero, too large infinity.
constexpr uint32_t join(uint32_t sign, int exponent, uint32_t significand) {
  if (exponent < -126) return sign;
  if (exponent > 127) return sign | infinity;
  return sign | (static_cast<uint32_t>(exponent + 127) << 23 | (significand & 0x7fffff));
}

uint32_t rcp(uint32_t a);
uint32_t rsqrt(uint32_t a);
uint32_t sqrt(uint32_t a);
uint32_t lg2(uint32_t a);
uint32_t ex2(uint32_t a);
uint32_t tanh(uint32_t a);
uint32_t sin(uint32_t turns);  // of 2 pi * turns
uint32_t cos(uint32_t turns);

}  // namespace heddle::approx::unit
