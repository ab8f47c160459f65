// 2^x over [0, 1), the integer part becoming the exponent; and log2 over [1, 2), the exponent becoming the
// integer part.
#include <bit>

#include "approx/function_unit.h"
#include "approx/tables.gen.h"

namespace heddle::approx::unit {

uint32_t ex2(uint32_t a) {
  Parts x = split(a);
  if (x.nan) return nan;
  if (x.zero) return 0x3f800000;
  if (x.infinite || x.exponent >= 7) return x.sign ? 0 : infinity;
  // |x| in units of 2^-23, cut off. A negative one is complemented, not negated, unless it is a whole number.
  uint32_t significand = x.fraction | 1u << 23;
  int shift = -x.exponent;
  int64_t fixed = shift <= 0 ? int64_t{significand} << -shift : shift < 32 ? significand >> shift : 0;
  if (x.sign) fixed = (fixed & 0x7fffff) != 0 ? ~fixed : -fixed;
  auto exponent = static_cast<int>(fixed >> 23);
  return join(0, exponent, static_cast<uint32_t>(ex2_table.at(static_cast<uint32_t>(fixed & 0x7fffff))));
}

uint32_t lg2(uint32_t a) {
  Parts x = split(a);
  if (x.nan) return nan;
  if (x.zero) return sign_bit | infinity;
  if (x.sign) return nan;
  if (x.infinite) return infinity;
  if (a == 0x3f800000) return 0;
  // 36 bits of fraction; a negative sum is complemented, not negated.
  int64_t sum = lg2_table.at(x.fraction) + (static_cast<int64_t>(x.exponent) * (int64_t{1} << 36));
  uint32_t sign = 0;
  if (sum < 0) {
    sign = sign_bit;
    sum = ~sum;
  }
  if (sum == 0) return sign;
  int top = std::bit_width(static_cast<uint64_t>(sum)) - 1;
  auto significand = static_cast<uint32_t>(top >= 23 ? sum >> (top - 23) : sum << (23 - top));
  return join(sign, top - 36, significand);
}

}  // namespace heddle::approx::unit
