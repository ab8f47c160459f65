// IEEE arithmetic on bits: what surrounds a table look-up in an approximate instruction (scaling of
// subnormals, one Newton step). Integers only, so that neither the host's rounding mode nor its fused
// operations matter.
#pragma once

#include <bit>
#include <cstdint>

namespace heddle::approx {

enum class Rounding : uint8_t { nearest_even, toward_zero };

// B: the bits of a number. W: twice a significand and guard bits fit. P: bits of a significand, with the
// hidden one.
template <class B, class W, int P>
struct SoftFloat {
  static constexpr int width = sizeof(B) * 8;
  static constexpr int fraction_bits = P - 1;
  static constexpr int bias = (1 << (width - P - 1)) - 1;
  static constexpr int special = 2 * bias + 1;  // exponent field of infinities and NaNs
  static constexpr B sign_bit = B{1} << (width - 1);
  static constexpr B hidden = B{1} << fraction_bits;
  static constexpr B infinity = B{special} << fraction_bits;
  static constexpr B one = B{bias} << fraction_bits;
  static constexpr B nan =
      width == 32 ? static_cast<B>(0x7fffffff) : infinity | hidden >> 1;  // what devices give

  static constexpr B magnitude(B a) { return a & ~sign_bit; }
  static constexpr bool is_nan(B a) { return magnitude(a) > infinity; }
  static constexpr bool is_infinite(B a) { return magnitude(a) == infinity; }
  static constexpr bool is_zero(B a) { return magnitude(a) == 0; }
  static constexpr bool is_subnormal(B a) { return magnitude(a) < hidden && !is_zero(a); }
  static constexpr B flush(B a) { return is_subnormal(a) ? a & sign_bit : a; }

  // A finite number that is not zero is significand * 2^exponent, the significand having P bits.
  struct Parts {
    int exponent;
    B significand;
  };
  static constexpr Parts split(B a) {
    int field = static_cast<int>(magnitude(a) >> fraction_bits);
    B fraction = a & (hidden - 1);
    if (field != 0) return {field - bias - fraction_bits, static_cast<B>(fraction | hidden)};
    int shift = std::countl_zero(fraction) - (width - P);
    return {1 - bias - fraction_bits - shift, static_cast<B>(fraction << shift)};
  }

  static constexpr int bit_width(W w) {
    if constexpr (sizeof(W) <= 8) {
      return static_cast<int>(std::bit_width(static_cast<uint64_t>(w)));
    } else {
      auto high = static_cast<uint64_t>(w >> 64);
      return static_cast<int>(high ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(w)));
    }
  }
  // Shifts right; a bit that falls off stays visible in the lowest one.
  static constexpr W shift_sticky(W w, int n) {
    if (n <= 0) return w;
    if (n >= static_cast<int>(sizeof(W) * 8)) return w != 0;
    return w >> n | W{(w & ((W{1} << n) - 1)) != 0};
  }

  // w * 2^exponent, w not zero, rounded into the format.
  static constexpr B round(B sign, int exponent, W w, Rounding rounding) {
    int excess = bit_width(w) - P;
    int lowest = 1 - bias - fraction_bits;
    if (exponent + excess < lowest) excess = lowest - exponent;
    if (excess < 2) {  // two bits below the result: the half and the rest
      w <<= 2 - excess;
      exponent -= 2 - excess;
      excess = 2;
    }
    w = shift_sticky(w, excess - 2);
    exponent += excess;
    auto kept = static_cast<B>(w >> 2);
    auto below = static_cast<unsigned>(w & 3);
    if (rounding == Rounding::nearest_even && (below > 2 || (below == 2 && (kept & 1)))) ++kept;
    // A carry out of the fraction is a carry into the exponent field, and subnormals have field 0.
    int field = exponent - lowest + (kept >= hidden ? 1 : 0);
    if (field >= special) return rounding == Rounding::nearest_even ? sign | infinity : sign | (infinity - 1);
    if (field == 0) return sign | kept;
    B bits = (static_cast<B>(field - 1) << fraction_bits) + kept;
    if (bits >= infinity && rounding == Rounding::toward_zero) bits = infinity - 1;
    return sign | bits;
  }

  static constexpr B multiply(B a, B b, Rounding rounding = Rounding::nearest_even, bool ftz = false) {
    if (ftz) {
      a = flush(a);
      b = flush(b);
    }
    B sign = (a ^ b) & sign_bit;
    if (is_nan(a) || is_nan(b)) return nan;
    if (is_infinite(a) || is_infinite(b)) return is_zero(a) || is_zero(b) ? nan : sign | infinity;
    if (is_zero(a) || is_zero(b)) return sign;
    Parts x = split(a), y = split(b);
    W product = static_cast<W>(x.significand) * y.significand;
    int exponent = x.exponent + y.exponent;
    // .ftz judges the product rounded to P bits whatever its exponent: one that only rounding to the coarser
    // grid of subnormals makes the smallest normal number is flushed as well.
    if (ftz && exponent + bit_width(product) <= 1 - bias &&
        round(0, exponent + bias, product, rounding) < one + hidden)
      return sign;
    return round(sign, exponent, product, rounding);
  }

  // a * b + c in one rounding to nearest even.
  static constexpr B multiply_add(B a, B b, B c) {
    B sign = (a ^ b) & sign_bit;
    if (is_nan(a) || is_nan(b) || is_nan(c)) return nan;
    if (is_infinite(a) || is_infinite(b)) {
      if (is_zero(a) || is_zero(b)) return nan;
      return is_infinite(c) && (c & sign_bit) != sign ? nan : sign | infinity;
    }
    if (is_infinite(c)) return c;
    if (is_zero(a) || is_zero(b)) return is_zero(c) ? c & sign : c;
    Parts x = split(a), y = split(b);
    constexpr int guard = sizeof(W) * 8 - 2 * P - 2;
    int exponent = x.exponent + y.exponent - guard;
    W product = static_cast<W>(x.significand) * y.significand << guard;
    if (is_zero(c)) return round(sign, exponent, product, Rounding::nearest_even);
    Parts z = split(c);
    W addend = static_cast<W>(z.significand) << (P + guard);
    int distance = exponent - (z.exponent - P - guard);
    if (distance >= 0) {
      addend = shift_sticky(addend, distance);
    } else {
      product = shift_sticky(product, -distance);
      exponent -= distance;
    }
    if (sign == (c & sign_bit)) return round(sign, exponent, product + addend, Rounding::nearest_even);
    if (product == addend) return 0;
    if (product > addend) return round(sign, exponent, product - addend, Rounding::nearest_even);
    return round(sign ^ sign_bit, exponent, addend - product, Rounding::nearest_even);
  }
  static constexpr B add(B a, B b) { return multiply_add(a, one, b); }
};

using F32 = SoftFloat<uint32_t, uint64_t, 24>;
__extension__ using Wide128 = unsigned __int128;
using F64 = SoftFloat<uint64_t, Wide128, 53>;

}  // namespace heddle::approx
