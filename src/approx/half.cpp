// The f16 and bf16 instructions: the f32 functions between two conversions.
#include "approx/approx.h"
#include "approx/function_unit.h"
#include "approx/soft_float.h"

namespace heddle::approx {
namespace {

using F16 = SoftFloat<uint16_t, uint64_t, 11>;
using BF16 = SoftFloat<uint16_t, uint64_t, 8>;

template <class Narrow>
uint32_t widen(uint16_t a) {
  uint32_t sign = static_cast<uint32_t>(a & Narrow::sign_bit) << 16;
  if (Narrow::is_nan(a)) return F32::nan;
  if (Narrow::is_infinite(a)) return sign | F32::infinity;
  if (Narrow::is_zero(a)) return sign;
  auto parts = Narrow::split(a);
  return F32::round(sign, parts.exponent, parts.significand, Rounding::nearest_even);
}

// Cut off, not rounded; what is too large is infinite all the same.
template <class Narrow>
uint16_t narrow(uint32_t a) {
  auto sign = static_cast<uint16_t>(a >> 16 & Narrow::sign_bit);
  if (F32::is_nan(a)) return 0x7fff;
  if (F32::is_infinite(a)) return sign | Narrow::infinity;
  if (F32::is_zero(a)) return sign;
  auto parts = F32::split(a);
  if (parts.exponent + F32::fraction_bits > Narrow::bias) return sign | Narrow::infinity;
  return Narrow::round(sign, parts.exponent, parts.significand, Rounding::toward_zero);
}

template <auto function>
uint32_t both(uint32_t a) {
  return static_cast<uint32_t>(function(static_cast<uint16_t>(a >> 16))) << 16 |
         function(static_cast<uint16_t>(a));
}

}  // namespace

uint16_t ex2_f16(uint16_t a) { return narrow<F16>(unit::ex2(widen<F16>(a))); }
uint16_t ex2_ftz_bf16(uint16_t a) { return narrow<BF16>(unit::ex2(widen<BF16>(a))); }
uint16_t tanh_f16(uint16_t a) { return narrow<F16>(unit::tanh(widen<F16>(a))); }
uint16_t tanh_bf16(uint16_t a) { return narrow<BF16>(unit::tanh(widen<BF16>(a))); }

uint32_t ex2_f16x2(uint32_t a) { return both<ex2_f16>(a); }
uint32_t ex2_ftz_bf16x2(uint32_t a) { return both<ex2_ftz_bf16>(a); }
uint32_t tanh_f16x2(uint32_t a) { return both<tanh_f16>(a); }
uint32_t tanh_bf16x2(uint32_t a) { return both<tanh_bf16>(a); }

}  // namespace heddle::approx
