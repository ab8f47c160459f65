// Circular, exponential, logarithmic and hyperbolic functions, powers. SLEEF's, with its gaps closed: it
// gives up early near the ends of some functions' ranges (hyperbolic functions and their inverses, log1p),
// and takes remainders of 2 of large arguments wrongly (sinpi, cospi).
#pragma once

#include "math/kernels/sleef.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

inline constexpr double ln_2 = 0x1.62e42fefa39efp-1;
// ln(2) less that: its error.
inline constexpr double ln_2_low = 0x1.abc9e3b39803fp-56;

// f of a float as that of a double, rounded.
template <class V, class F>
HEDDLE_INLINE V in_double(const F& f, V x) {
  if constexpr (is_single<V>)
    return narrow<V>(f(widen(x)));
  else
    return f(x);
}

// ---- circular

template <class V>
HEDDLE_INLINE V device_sin(V x) {
  return sleef_sin(x);
}
template <class V>
HEDDLE_INLINE V device_cos(V x) {
  return sleef_cos(x);
}
template <class V>
HEDDLE_INLINE V device_tan(V x) {
  return sleef_tan(x);
}
template <class V>
HEDDLE_INLINE V device_sincos(V x, V* cosine) {
  *cosine = device_cos(x);
  return device_sin(x);
}

// x less the nearest multiple of 2, exactly. Of an infinity a NaN.
template <class V>
HEDDLE_INLINE V remainder_of_2(V x) {
  V half = rint(x * splat<V>(0.5));
  return x - (half + half);
}
template <class V>
HEDDLE_INLINE V device_sinpi(V x) {
  V r = remainder_of_2(x);
  V size = abs(r);
  // Whole numbers give a zero of their own sign (IEEE 754, 9.2.1: sinPi).
  return select((size == splat<V>(0)) | (size == splat<V>(1)), copysign(splat<V>(0), x), sleef_sinpi(r));
}
template <class V>
HEDDLE_INLINE V device_cospi(V x) {
  V r = remainder_of_2(x);
  return select(abs(r) == splat<V>(0.5), splat<V>(0), sleef_cospi(r));
}
template <class V>
HEDDLE_INLINE V device_sincospi(V x, V* cosine) {
  *cosine = device_cospi(x);
  return device_sinpi(x);
}

template <class V>
HEDDLE_INLINE V device_asin(V x) {
  return sleef_asin(x);
}
template <class V>
HEDDLE_INLINE V device_acos(V x) {
  return sleef_acos(x);
}
template <class V>
HEDDLE_INLINE V device_atan(V x) {
  return sleef_atan(x);
}
template <class V>
HEDDLE_INLINE V device_atan2(V y, V x) {
  return sleef_atan2(y, x);
}

// ---- exponential and logarithmic

template <class V>
HEDDLE_INLINE V device_exp(V x) {
  V result = sleef_exp(x);
  if constexpr (!is_single<V>) {
    // SLEEF has infinity from 709.7827111 on, where exp is below its largest number by 2e-9 of it; its expm1
    // goes to the end.
    auto end = x > splat<V>(709.78) & x < splat<V>(709.79);
    if (any(end)) result = select(end, sleef_expm1(x), result);
  }
  return result;
}
template <class V>
HEDDLE_INLINE V device_exp2(V x) {
  return sleef_exp2(x);
}
template <class V>
HEDDLE_INLINE V device_exp10(V x) {
  return sleef_exp10(x);
}
template <class V>
HEDDLE_INLINE V device_expm1(V x) {
  return in_double([](auto v) { return sleef_expm1(v); }, x);
}
template <class V>
HEDDLE_INLINE V device_log(V x) {
  return sleef_log(x);
}
template <class V>
HEDDLE_INLINE V device_log2(V x) {
  return sleef_log2(x);
}
template <class V>
HEDDLE_INLINE V device_log10(V x) {
  return sleef_log10(x);
}
template <class V>
HEDDLE_INLINE V device_log1p(V x) {
  V result = sleef_log1p(x);
  auto huge = x > splat<V>(is_single<V> ? 0x1p60 : 0x1p200);  // 1 does not matter any more
  if (any(huge)) result = select(huge, sleef_log(x), result);
  return result;
}

// ---- powers

// SLEEF has infinity where the result is below the largest number by 2e-9 of it or less: there the square of
// the root is, and the powers that are exact, or rounded once, as they are.
template <class D>
HEDDLE_INLINE D pow_to_the_end(D x, D y) {
  D result = sleef_pow(x, y);
  const D infinity = splat<D>(__builtin_inf());
  auto end = abs(result) == infinity & abs(x) < infinity & abs(y) < infinity & x != splat<D>(0);
  if (any(end)) {
    D root = sleef_pow(abs(x), y * splat<D>(0.5));
    D square = select(y == splat<D>(2), x * x, root * root);
    square = select(y == splat<D>(1), abs(x), square);
    result = select(end, copysign(square, result), result);
  }
  return result;
}
template <class V>
HEDDLE_INLINE V device_pow(V x, V y) {
  if constexpr (is_single<V>)
    return sleef_pow(x, y);
  else
    return pow_to_the_end(x, y);
}
// The exponent may have more digits than a float.
template <class V>
HEDDLE_INLINE V device_powi(V x, Words<V> n) {
  Doubles<V> y = __builtin_convertvector(n, Doubles<V>);
  if constexpr (is_single<V>)
    return narrow<V>(sleef_pow(widen(x), y));
  else
    return pow_to_the_end(x, y);
}

// ---- hyperbolic

// exp(x) / 2 where exp(x) is too large, 1024 ln(2) <= x: 2^1023 exp(r) with r = x - 1024 ln(2) in [0, 0.7],
// by its series in twice the precision.
HEDDLE_INLINE auto half_exp_at_the_end(auto x) {
  using D = decltype(x);
  // All digits of 1024 ln(2) down to those of x, and the rest.
  D high = x - splat<D>(1024 * 0x1.62e42fefa38p-1);
  Twice<D> r = exact_sum(high, splat<D>(-1024 * 0x1.ef35793c7673p-45));
  // Terms from the last, each with its error: sum = 1 + r / k sum.
  Twice<D> sum{splat<D>(1), splat<D>(0)};
  for (int k = 22; k >= 1; --k) {
    Twice<D> product = exact_product(sum.high, r.high);
    D low = fma(sum.high, r.low, fma(sum.low, r.high, product.low));
    D divisor = splat<D>(k);
    D quotient = product.high / divisor;
    D rest = (fma(-quotient, divisor, product.high) + low) / divisor;
    Twice<D> next = exact_sum(splat<D>(1), quotient);
    sum = exact_sum(next.high, next.low + rest);
  }
  return sum.high * splat<D>(0x1p1023);
}

template <class V>
HEDDLE_INLINE V device_sinh(V x) {
  V result = sleef_sinh(x);
  V size = abs(x);
  if constexpr (is_single<V>) {
    auto large = size > splat<V>(88);
    if (any(large)) result = select(large, narrow<V>(sleef_sinh(widen(x))), result);
  } else {
    auto large = size >= splat<V>(1024 * ln_2);
    if (any(large))
      result = select(large & (size < splat<V>(711)), copysign(half_exp_at_the_end(size), x), result);
  }
  return result;
}
template <class V>
HEDDLE_INLINE V device_cosh(V x) {
  V result = sleef_cosh(x);
  V size = abs(x);
  if constexpr (is_single<V>) {
    auto large = size > splat<V>(88);
    if (any(large)) result = select(large, narrow<V>(sleef_cosh(widen(x))), result);
  } else {
    auto large = size >= splat<V>(1024 * ln_2);
    if (any(large)) result = select(large & (size < splat<V>(711)), half_exp_at_the_end(size), result);
  }
  return result;
}
template <class V>
HEDDLE_INLINE V device_tanh(V x) {
  return sleef_tanh(x);
}

// log(2 x), for x so large that x + 1 is x.
template <class V>
HEDDLE_INLINE V log_of_twice(V x) {
  return sleef_log(x) + splat<V>(ln_2);
}
template <class V>
HEDDLE_INLINE V device_asinh(V x) {
  V result = sleef_asinh(x);
  auto huge = abs(x) > splat<V>(is_single<V> ? 0x1p50 : 0x1p400);
  if (any(huge)) result = select(huge, copysign(log_of_twice(abs(x)), x), result);
  return result;
}
template <class V>
HEDDLE_INLINE V device_acosh(V x) {
  V result = sleef_acosh(x);
  auto huge = x > splat<V>(is_single<V> ? 0x1p50 : 0x1p400);
  if (any(huge)) result = select(huge, log_of_twice(x), result);
  return result;
}
template <class V>
HEDDLE_INLINE V device_atanh(V x) {
  return sleef_atanh(x);
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
