// The f64 instructions. The unit sees the high word only: 20 bits of fraction in, 20 bits out, by the f32
// tables.
#include "approx/approx.h"
#include "approx/soft_float.h"
#include "approx/tables.gen.h"

namespace heddle::approx {
namespace {

constexpr int high_fraction = 20, extra = 3;  // an f32 fraction has three bits more
constexpr uint64_t nan = 0x7fffffff00000000;
constexpr uint64_t three_eighths = 0x3fd8000000000000, half = 0x3fe0000000000000,
                   two_to_54 = 0x4350000000000000, two_to_27 = 0x41a0000000000000;

struct High {
  uint64_t sign;
  int exponent;
  uint32_t fraction;  // as of an f32
  bool zero, infinite, nan;
};
High split_high(uint64_t a) {
  auto high = static_cast<uint32_t>(F64::magnitude(a) >> 32);
  return {.sign = a & F64::sign_bit,
          .exponent = static_cast<int>(high >> high_fraction) - F64::bias,
          .fraction = (high & ((1u << high_fraction) - 1)) << extra,
          .zero = high < 1u << high_fraction,
          .infinite = high == 0x7ff00000,
          .nan = high > 0x7ff00000};
}

// significand: 24 bits. Results below the normal range are zero.
uint64_t join_high(uint64_t sign, int exponent, uint32_t significand) {
  if (exponent < 1 - F64::bias) return sign;
  uint64_t high =
      static_cast<uint64_t>(exponent + F64::bias) << high_fraction | (significand & 0x7fffff) >> extra;
  return sign | high << 32;
}

uint64_t rsqrt_high(uint64_t a) {
  High x = split_high(a);
  if (x.nan) return nan;
  if (x.zero) return x.sign | F64::infinity;
  if (x.sign) return nan;
  if (x.infinite) return 0;
  uint32_t argument = static_cast<uint32_t>(x.exponent & 1) << 23 | x.fraction;
  int root = x.exponent >> 1;
  if (argument == 0) return join_high(0, -root, 1u << 23);
  return join_high(0, -root - 1, static_cast<uint32_t>(rsqrt_table.at(argument)));
}

// y, close to 1/sqrt(x), one step closer: y + y e (1/2 + 3/8 e), where e = 1 - x y^2.
uint64_t refine(uint64_t x, uint64_t y) {
  uint64_t e = F64::multiply_add(x, F64::multiply(y, y) ^ F64::sign_bit, F64::one);
  return F64::multiply_add(F64::multiply_add(e, three_eighths, half), F64::multiply(y, e), y);
}

}  // namespace

uint64_t rcp_ftz_f64(uint64_t a) {
  High x = split_high(a);
  if (x.nan) return nan;
  if (x.zero) return x.sign | F64::infinity;
  if (x.infinite) return x.sign;
  auto significand = static_cast<uint32_t>(rcp_table.at(x.fraction));
  int exponent = -x.exponent - 1;
  if (significand >> 24) return join_high(x.sign, exponent + 1, significand >> 1);
  return join_high(x.sign, exponent, significand);
}

uint64_t rsqrt_f64(uint64_t a, bool ftz) {
  if (ftz) return rsqrt_high(a);
  if (F64::is_zero(a)) return (a & F64::sign_bit) | F64::infinity;
  if (F64::is_nan(a))
    return a | F64::hidden >> 1;  // an addition of a to itself: the payload stays, made quiet
  if (a & F64::sign_bit) return 0xfff8000000000000;
  if (F64::is_infinite(a)) return 0;
  if (!F64::is_subnormal(a)) return refine(a, rsqrt_high(a));
  uint64_t scaled = F64::multiply(a, two_to_54);
  return F64::multiply(refine(scaled, rsqrt_high(scaled)), two_to_27);
}

}  // namespace heddle::approx
