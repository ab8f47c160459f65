// Hyperbolic functions and their inverses.
#pragma once

#include "math/kernels/exponential.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

// exp(size) and exp(-size) by r of one reduction: 2^n (cosh r + sinh r) and 2^-n (cosh r - sinh r). Their sum
// and difference, in half of the functions' sizes.
template <class V>
struct Hyperbolic {
  Twice<V> sum, difference;  // of 2^(n-2) and 2^(-n-2)
  V sine, cosine_less_1;     // of r
};
template <class V>
HEDDLE_INLINE Hyperbolic<V> hyperbolic_of(V size) {
  V end = splat<V>(is_single<V> ? 89.5 : 710.6);  // where they are infinite, and 2^(n-2) is a number
  Reduced<V> e = reduced_by_ln_2(at_most(size, end));
  V s = e.r * e.r;
  V sine = e.r + fma(e.r * s, polynomial(s, fitted::sinh_single, fitted::sinh_double), e.low);
  V cosine_less_1 = s * polynomial(s, fitted::cosh_single, fitted::cosh_double);
  V up = power_of_two<V>(e.n - 2);
  Words<V> least = Words<V>(1 - Format<V>::bias), down_power = -e.n - 2;
  V down = power_of_two<V>(down_power < least ? least : down_power);
  V sum = up + down, difference = up - down;
  return {{sum, down - (sum - up)}, {difference, (up - difference) - down}, sine, cosine_less_1};
}

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

// Of doubles: `usual`, but near the end what half an exponential is, signed as `sign`.
template <class V>
HEDDLE_INLINE V half_exp_or(V usual, V size, V sign) {
  auto large = (size >= splat<V>(1024 * ln_2)) & (size < splat<V>(711));
  return except(large, usual, [&] { return copysign(half_exp_at_the_end(size), sign); });
}
template <class V>
HEDDLE_INLINE V sleef_sinh_to_the_end(V x) {
  if constexpr (is_single<V>)
    return except(abs(x) > splat<V>(88), sleef_sinh(x), [&] { return narrow<V>(sleef_sinh(widen(x))); });
  else
    return half_exp_or(sleef_sinh(x), abs(x), x);
}
template <class V>
HEDDLE_INLINE V sleef_cosh_to_the_end(V x) {
  if constexpr (is_single<V>)
    return except(abs(x) > splat<V>(88), sleef_cosh(x), [&] { return narrow<V>(sleef_cosh(widen(x))); });
  else
    return half_exp_or(sleef_cosh(x), abs(x), abs(x));
}
template <class V>
HEDDLE_INLINE V device_sinh(V x) {
  if constexpr (in_single<V>) {
    Hyperbolic<V> h = hyperbolic_of(abs(x));
    V rest = fma(h.difference.high, h.cosine_less_1, fma(h.sum.high, h.sine, h.difference.low));
    V half = h.difference.high + rest;
    // Behind the least numbers half of one is none.
    return select(abs(x) < splat<V>(0x1p-20), x, copysign(half + half, x));
  } else {
    return sleef_sinh_to_the_end(x);
  }
}
template <class V>
HEDDLE_INLINE V device_cosh(V x) {
  if constexpr (fuses) {
    Hyperbolic<V> h = hyperbolic_of(abs(x));
    V half = h.sum.high + fma(h.sum.high, h.cosine_less_1, fma(h.difference.high, h.sine, h.sum.low));
    if constexpr (is_single<V>)
      return half + half;
    else  // near the end a double's last digit is worth many of the function's
      return half_exp_or(half + half, abs(x), abs(x));
  } else {
    return sleef_cosh_to_the_end(x);
  }
}
template <class V>
HEDDLE_INLINE V device_tanh(V x) {
  if constexpr (in_single<V>) {
    V size = abs(x), s = size * size;
    V near = fma(size * s, polynomial(s, fitted::tanh_single), size);
    V within = at_most(size, splat<V>(10));  // where it is 1
    V far = splat<V>(1) - splat<V>(2) / (exp_in_range(within + within) + splat<V>(1));
    return copysign(select(size < splat<V>(0.625), near, far), x);
  } else {
    return sleef_tanh(x);
  }
}

// log(2 x), for x so large that x + 1 is x.
template <class V>
HEDDLE_INLINE V log_of_twice(V x) {
  return sleef_log(x) + splat<V>(ln_2);
}
template <class V>
HEDDLE_INLINE V device_asinh(V x) {
  V size = abs(x), result;
  if constexpr (fuses) {
    V s = x * x;
    V argument = size + s / (splat<V>(1) + sqrt(s + splat<V>(1)));
    result = copysign(
        select(size < splat<V>(is_single<V> ? 0x1p-20 : 0x1p-50), size, log1p_in_range(argument)), x);
  } else {
    result = sleef_asinh(x);
  }
  auto huge = size > splat<V>(is_single<V> ? 0x1p50 : 0x1p400);
  return except(huge, result, [&] { return copysign(log_of_twice(size), x); });
}
template <class V>
HEDDLE_INLINE V device_acosh(V x) {
  V result;
  if constexpr (fuses) {
    V more = x - splat<V>(1);
    result = log1p_in_range(more + sqrt(fma(more, more, more + more)));
    result = select(more < splat<V>(0), quiet_nan<V>(), result);
  } else {
    result = sleef_acosh(x);
  }
  auto huge = x > splat<V>(is_single<V> ? 0x1p50 : 0x1p400);
  return except(huge, result, [&] { return log_of_twice(x); });
}
template <class V>
HEDDLE_INLINE V device_atanh(V x) {
  if constexpr (fuses) {
    V size = abs(x);
    V twice = log1p_in_range((size + size) / (splat<V>(1) - size));
    V result = select(size < splat<V>(is_single<V> ? 0x1p-20 : 0x1p-50), size, splat<V>(0.5) * twice);
    auto special = ~(size < splat<V>(1));
    return except(special, copysign(result, x), [&] { return sleef_atanh(x); });
  } else {
    return sleef_atanh(x);
  }
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
