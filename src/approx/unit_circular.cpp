// Sine over a quarter turn; the quarter's number says whether to run backwards and which sign to take.
#include <bit>

#include "approx/function_unit.h"
#include "approx/tables.gen.h"

namespace heddle::approx::unit {

// Quarter turns modulo 8 in units of 2^-23, cut off.
static uint32_t quarters(const Parts& x) {
  if (x.zero) return 0;
  uint32_t significand = x.fraction | 1u << 23;
  int shift = x.exponent + 2;
  if (shift >= 32 || shift <= -32) return 0;
  uint32_t fixed = shift >= 0 ? significand << shift : significand >> -shift;
  return fixed & 0x1ffffff;
}

static uint32_t interpolate(uint32_t sign, uint32_t position) {
  uint32_t quarter = position >> 23;
  uint32_t argument = position & 0x7fffff;
  if (quarter & 1) argument ^= 0x7fffff;
  if (quarter & 2) sign ^= sign_bit;
  int64_t value = sin_table.at(argument);  // 37 bits of fraction
  if (value == 0) return sign;
  int top = std::bit_width(static_cast<uint64_t>(value)) - 1;
  auto significand = static_cast<uint32_t>(top >= 23 ? value >> (top - 23) : value << (23 - top));
  return join(sign, top - 37, significand);
}

uint32_t sin(uint32_t turns) {
  Parts x = split(turns);
  if (x.nan || x.infinite) return nan;
  return interpolate(x.sign, quarters(x));
}

uint32_t cos(uint32_t turns) {
  Parts x = split(turns);
  if (x.nan || x.infinite) return nan;
  return interpolate(0, quarters(x) + (1u << 23));
}

}  // namespace heddle::approx::unit
