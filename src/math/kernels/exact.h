// Functions whose result is exact, or rounded once: by bits, and by fused multiplication.
#pragma once

#include "math/kernels/vector.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

// ---- exponents

// A number's exponent, and the number with it taken out: in [1, 2). Of zeros, infinities and NaNs nothing.
template <class V>
struct Parts {
  Words<V> exponent;
  V fraction;
};
template <class V>
HEDDLE_INLINE Parts<V> parts_of(V x) {
  using B = Format<V>;
  constexpr int up = B::fraction_bits + 2;
  auto tiny = abs(x) < power_of_two<V>(Words<V>(1 - B::bias));
  V normal = select(tiny, x * power_of_two<V>(Words<V>(up)), x);
  Words<V> exponent = exponent_of(normal) - (cast<Words<V>>(tiny) & up);
  constexpr Word<V> field = static_cast<Word<V>>(2 * B::bias + 1) << B::fraction_bits;
  V fraction = cast<V>((bits(normal) & ~field) | (static_cast<Word<V>>(B::bias) << B::fraction_bits));
  return {exponent, fraction};
}
template <class V>
HEDDLE_INLINE auto is_odd_one(V x) {  // zero, infinite, a NaN
  return (x == splat<V>(0)) | ~(abs(x) < infinity<V>());
}

template <class V>
HEDDLE_INLINE V device_logb(V x) {
  V e = __builtin_convertvector(parts_of(x).exponent, V);
  e = select(x == splat<V>(0), -infinity<V>(), e);
  return select(is_infinite(x), infinity<V>(), select(is_nan(x), x, e));
}
template <class V>
HEDDLE_INLINE Words<V> device_ilogb(V x) {
  // FP_ILOGB0 and FP_ILOGBNAN are INT_MIN; an infinity gives INT_MAX.
  Words<V> e = parts_of(x).exponent;
  constexpr Word<V> least = -0x7fff'ffff - 1;
  e = (x == splat<V>(0)) | is_nan(x) ? Words<V>(least) : e;
  return is_infinite(x) ? Words<V>(0x7fff'ffff) : e;
}
template <class V>
HEDDLE_INLINE V device_frexp(V x, Words<V>* exponent) {
  Parts<V> parts = parts_of(x);
  auto odd = is_odd_one(x);
  *exponent = odd ? Words<V>(0) : parts.exponent + 1;
  return select(odd, x, parts.fraction * splat<V>(0.5));
}
template <class V>
HEDDLE_INLINE V device_ldexp(V x, Words<V> n) {
  using B = Format<V>;
  // Everything beyond these is zero or infinite.
  constexpr Word<V> most = 2 * B::bias + 200, lowest = -B::bias - B::fraction_bits - 4,
                    step = is_single<V> ? 64 : 200;
  n = n > most + B::bias ? Words<V>(most + B::bias) : n;
  n = n < -most - B::bias ? Words<V>(-most - B::bias) : n;
  Parts<V> parts = parts_of(x);
  Words<V> e = parts.exponent + n;
  e = e > B::bias + 1 ? Words<V>(B::bias + 1) : e;
  e = e < lowest ? Words<V>(lowest) : e;
  // Two factors, of which the first one is exact.
  Words<V> first = e < 0 ? e + step : e - step;
  Words<V> second = e < 0 ? Words<V>(-step) : Words<V>(step);
  V scaled = parts.fraction * power_of_two<V>(first) * power_of_two<V>(second);
  return select(is_odd_one(x), x, scaled);
}
template <class V>
HEDDLE_INLINE V device_scalbn(V x, Words<V> n) {
  return device_ldexp(x, n);
}

// ---- whole numbers and neighbours

template <class V>
HEDDLE_INLINE V device_modf(V x, V* whole) {
  V part = trunc(x);
  *whole = part;
  // An infinity has no fraction.
  return copysign(select(is_infinite(x), splat<V>(0), x - part), x);
}
// Halves away from zero.
template <class V>
HEDDLE_INLINE V device_round(V x) {
  V whole = trunc(x);
  V more = select(abs(x - whole) >= splat<V>(0.5), splat<V>(1), splat<V>(0));
  return copysign(whole + copysign(more, x), x);
}
template <class V>
HEDDLE_INLINE V device_fdim(V x, V y) {
  V result = select(x > y, x - y, splat<V>(0));
  return select(is_nan(x) | is_nan(y), quiet_nan<V>(), result);
}
template <class V>
HEDDLE_INLINE V device_nextafter(V x, V y) {
  // Bits of numbers ascend away from zero.
  Words<V> up = (x < y) == (x > splat<V>(0)) ? bits(x) + 1 : bits(x) - 1;
  V least = copysign(cast<V>(Words<V>(1)), y);
  V next = select(x == splat<V>(0), least, cast<V>(up));
  next = select(x == y, y, next);
  return select(is_nan(x) | is_nan(y), quiet_nan<V>(), next);
}

// ---- remainders

// |x| modulo |y| for doubles, with the low bits of the whole quotient. Long division: each round takes off
// a multiple of |y| 2^k by a quotient of at most 52 bits, and what is left is exact.
template <class D>
HEDDLE_INLINE D long_division(D x, D y, Words<D>* quotient) {
  constexpr int round_bits = 51;  // then the widest gap is two times the largest exponent
  D rest = abs(x);
  D divisor = abs(y);
  Words<D> q = Words<D>(0), least = parts_of(divisor).exponent;
  auto valid = (rest < infinity<D>()) & (divisor > splat<D>(0)) & ~is_nan(y);
  auto active = valid & (rest >= divisor);
  while (any(active)) {
    Words<D> gap = exponent_of(rest) - least - round_bits;
    Words<D> shift = gap > 0 ? gap : Words<D>(0);
    // In two factors: the gap may be wider than an exponent.
    Words<D> half = shift >> 1;
    D scaled = divisor * power_of_two<D>(half) * power_of_two<D>(shift - half);
    D count = trunc(rest / scaled);
    D left = fma(-count, scaled, rest);
    // The quotient may have been rounded up to a whole number.
    auto below = left < splat<D>(0);
    left = select(below, left + scaled, left);
    count = select(below, count - splat<D>(1), count);
    // No more of it than its low 62 bits are ever asked for.
    Words<D> part = __builtin_convertvector(select(active, count, splat<D>(0)), Words<D>);
    q += shift > 62 ? Words<D>(0) : part << (shift & 63);
    rest = select(active, left, rest);
    active = active & (rest >= divisor);
  }
  *quotient = q;
  return rest;
}
template <class D>
HEDDLE_INLINE auto has_no_remainder(D x, D y) {
  return ~(abs(x) < infinity<D>()) | (y == splat<D>(0)) | is_nan(y);
}
template <class D>
HEDDLE_INLINE D double_fmod(D x, D y) {
  Words<D> quotient;
  D rest = long_division(x, y, &quotient);
  return select(has_no_remainder(x, y), quiet_nan<D>(), copysign(rest, x));
}
// To the nearest multiple, of two the even one; the low seven bits of its number with the quotient's sign, as
// OpenCL C 3.0, 6.15.2, has it: CUDA promises three.
template <class D>
HEDDLE_INLINE D double_remquo(D x, D y, Words<D>* number) {
  Words<D> quotient;
  D rest = long_division(x, y, &quotient);
  D divisor = abs(y);
  // rest > divisor - rest, of which the difference is exact where it matters; a divisor near the end of the
  // range must not be doubled.
  D other = divisor - rest;
  auto odd = (quotient & 1) != 0;
  auto up = (rest > other) | ((rest == other) & odd);
  up = up & (divisor < infinity<D>());
  D result = select(up, rest - divisor, rest);
  quotient = (up ? quotient + 1 : quotient) & 127;
  auto negative = (bits(x) ^ bits(y)) < 0;
  auto none = has_no_remainder(x, y);
  *number = none ? Words<D>(0) : negative ? -quotient : quotient;
  // A remainder of nothing has the sign of x.
  D sign = copysign(splat<D>(1), x);
  return select(none, quiet_nan<D>(), select(result == splat<D>(0), copysign(result, x), result * sign));
}

template <class V>
HEDDLE_INLINE V device_fmod(V x, V y) {
  if constexpr (is_single<V>)
    return narrow<V>(double_fmod(widen(x), widen(y)));
  else
    return double_fmod(x, y);
}
template <class V>
HEDDLE_INLINE V device_remquo(V x, V y, Words<V>* quotient) {
  if constexpr (is_single<V>) {
    Words<Doubles<V>> number;
    Doubles<V> result = double_remquo(widen(x), widen(y), &number);
    *quotient = __builtin_convertvector(number, Words<V>);
    return narrow<V>(result);
  } else {
    return double_remquo(x, y, quotient);
  }
}
template <class V>
HEDDLE_INLINE V device_remainder(V x, V y) {
  Words<V> quotient;
  return device_remquo(x, y, &quotient);
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
