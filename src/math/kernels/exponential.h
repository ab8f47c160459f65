// Exponential functions and logarithms. SLEEF's where it is as fast as our own, with its gaps closed: it
// gives up early near the ends of some ranges.
#pragma once

#include "math/elementary.gen.h"
#include "math/kernels/sleef.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

inline constexpr double ln_2 = 0x1.62e42fefa39efp-1;
// ln(2) less that: its error.
inline constexpr double ln_2_low = 0x1.abc9e3b39803fp-56;
// The same in V's numbers.
template <class V>
inline constexpr double ln_2_high = is_single<V> ? 0x1.62e43p-1 : ln_2;
template <class V>
inline constexpr double ln_2_rest = is_single<V> ? -0x1.05c61p-29 : ln_2_low;

// f of a float as that of a double, rounded.
template <class V, class F>
HEDDLE_INLINE V in_double(const F& f, V x) {
  if constexpr (is_single<V>)
    return narrow<V>(f(widen(x)));
  else
    return f(x);
}

// ---- exp in parts: x = n ln(2) + r + low, |r| <= ln(2) / 2

template <class V>
struct Reduced {
  V r, low;
  Words<V> n;
};
template <class V>
HEDDLE_INLINE Reduced<V> reduced_by_ln_2(V x) {
  Rounded<V> n = rounded_product(x, splat<V>(0x1.71547652b82fep+0));
  V high = fma(-n.value, splat<V>(ln_2_high<V>), x);  // exact
  V r = fma(-n.value, splat<V>(ln_2_rest<V>), high);
  return {r, fma(-n.value, splat<V>(ln_2_rest<V>), high - r), n.word};
}
// exp(r) - 1 - r.
template <class V>
HEDDLE_INLINE V expm1_less_r(V r) {
  return r * r * polynomial(r, fitted::expm1_single, fitted::expm1_double);
}
// exp(x), where that is a normal number.
template <class V>
HEDDLE_INLINE V exp_in_range(V x) {
  Reduced<V> e = reduced_by_ln_2(x);
  V scale = power_of_two<V>(e.n);
  return fma(scale, e.r + expm1_less_r(e.r), scale);
}

// ---- log in parts: x = 2^n (1 + f), 1 + f from sqrt(1 / 2) to sqrt(2)

template <class V>
struct Logarithm {
  V n, f, rest;  // rest: log(1 + f) - f
};
// log(1 + f) - f.
template <class V>
HEDDLE_INLINE V log1p_less_f(V f) {
  return f * f * fma(f, polynomial(f, fitted::log_single, fitted::log_double), splat<V>(-0.5));
}
// The exponent of the power of two that goes from x, and leaves what is nearest 1.
template <class V>
HEDDLE_INLINE Words<V> exponent_by_root(V x) {
  return (bits(x) - bits(splat<V>(is_single<V> ? 0x1.6a09e6p-1 : 0x1.6a09e667f3bcdp-1))) >>
         Format<V>::fraction_bits;
}
template <class V>
HEDDLE_INLINE Logarithm<V> logarithm_of(V x) {
  Words<V> n = exponent_by_root(x);
  V f = cast<V>(bits(x) - (n << Format<V>::fraction_bits)) - splat<V>(1);
  return {__builtin_convertvector(n, V), f, log1p_less_f(f)};
}
// n ln(2) + f + rest.
template <class V>
HEDDLE_INLINE V natural(Logarithm<V> l) {
  return fma(l.n, splat<V>(ln_2_high<V>), l.f + fma(l.n, splat<V>(ln_2_rest<V>), l.rest));
}
template <class V>
HEDDLE_INLINE auto not_normal(V x) {
  return ~((x >= splat<V>(is_single<V> ? 0x1p-126 : 0x1p-1022)) & (x < infinity<V>()));
}

// ---- the functions

template <class V>
HEDDLE_INLINE V device_exp(V x) {
  if constexpr (is_single<V>) {
    return sleef_exp(x);
  } else if constexpr (fuses) {
    // Infinite above, 0 below; n fits the two factors to the end.
    Reduced<V> e = reduced_by_ln_2(at_most(at_least(x, splat<V>(-746)), splat<V>(711)));
    V less_1 = e.r + (expm1_less_r(e.r) + e.low);
    return scaled_by(splat<V>(1) + less_1, e.n);
  } else {
    V result = sleef_exp(x);
    // SLEEF has infinity from 709.7827111 on, where exp is below its largest number by 2e-9 of it; its expm1
    // goes to the end.
    auto end = x > splat<V>(709.78) & x < splat<V>(709.79);
    return except(end, result, [&] { return sleef_expm1(x); });
  }
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
  if constexpr (fuses) {
    // 2^n (exp(r) - 1) + (2^n - 1), in half its size, so that 2^n is a number to the end. Behind -40 it is
    // -1.
    V end = splat<V>(is_single<V> ? 89 : 710);
    Reduced<V> e = reduced_by_ln_2(at_most(at_least(x, splat<V>(-40)), end));
    V more = expm1_less_r(e.r) + e.low;
    V part = e.r + more;
    V part_low = (e.r - part) + more;
    V scale = power_of_two<V>(e.n - 1);
    V whole = scale - splat<V>(0.5);  // exact, or the 0.5 does not matter
    V sum = fma(scale, part, whole);
    V low = fma(scale, part, whole - sum);
    V half = sum + fma(scale, part_low, low);
    auto tiny = abs(x) < splat<V>(is_single<V> ? 0x1p-30 : 0x1p-60);
    return select(tiny, x, half + half);
  } else {
    return in_double([](auto v) { return sleef_expm1(v); }, x);
  }
}
template <class V>
HEDDLE_INLINE V device_log(V x) {
  if constexpr (fuses) {
    auto special = not_normal(x);
    return except(special, natural(logarithm_of(x)), [&] { return sleef_log(x); });
  } else {
    return sleef_log(x);
  }
}
template <class V>
HEDDLE_INLINE V device_log2(V x) {
  if constexpr (fuses) {
    Logarithm<V> l = logarithm_of(x);
    constexpr double factor = is_single<V> ? 0x1.715476p+0 : 0x1.71547652b82fep+0;
    constexpr double factor_low = is_single<V> ? 0x1.4ae0cp-26 : 0x1.777d0ffda0d24p-56;
    V low = fma(l.rest, splat<V>(factor), l.f * splat<V>(factor_low));
    auto special = not_normal(x);
    return except(special, l.n + fma(l.f, splat<V>(factor), low), [&] { return sleef_log2(x); });
  } else {
    return sleef_log2(x);
  }
}
template <class V>
HEDDLE_INLINE V device_log10(V x) {
  if constexpr (fuses) {
    Logarithm<V> l = logarithm_of(x);
    constexpr double factor = is_single<V> ? 0x1.bcb7b2p-2 : 0x1.bcb7b1526e50ep-2;
    constexpr double factor_low = is_single<V> ? -0x1.5b235ep-27 : 0x1.95355baaafad3p-57;
    constexpr double of_2 = is_single<V> ? 0x1.344136p-2 : 0x1.34413509f79ffp-2;
    constexpr double of_2_low = is_single<V> ? -0x1.ec10cp-27 : -0x1.9dc1da994fd21p-59;
    V low = fma(l.n, splat<V>(of_2_low), fma(l.rest, splat<V>(factor), l.f * splat<V>(factor_low)));
    auto special = not_normal(x);
    return except(special, fma(l.n, splat<V>(of_2), fma(l.f, splat<V>(factor), low)),
                  [&] { return sleef_log10(x); });
  } else {
    return sleef_log10(x);
  }
}
// log(1 + x), x above -1, and where the power of two that goes from 1 + x is a number.
template <class V>
HEDDLE_INLINE V log1p_in_range(V x) {
  V u = splat<V>(1) + x;
  Words<V> n = exponent_by_root(u);
  V scale = power_of_two<V>(-n);
  // What the sum lost counts as much less as 1 + x is reduced. Without a reduction f is x, exactly.
  V lost = select(x > splat<V>(1), splat<V>(1) - (u - x), x - (u - splat<V>(1)));
  V f = select(n == 0, x, fma(u, scale, splat<V>(-1)));
  V low = select(n == 0, splat<V>(0), lost * scale);
  V near = fma(low, splat<V>(1) / (splat<V>(1) + f), log1p_less_f(f));
  return natural(Logarithm<V>{__builtin_convertvector(n, V), f, near});
}
template <class V>
HEDDLE_INLINE V sleef_log1p_to_the_end(V x) {
  V result = sleef_log1p(x);
  auto huge = x > splat<V>(is_single<V> ? 0x1p60 : 0x1p200);  // 1 does not matter any more
  return except(huge, result, [&] { return sleef_log(x); });
}
template <class V>
HEDDLE_INLINE V device_log1p(V x) {
  if constexpr (fuses) {
    auto special = ~((x > splat<V>(-1)) & (x < splat<V>(0x1p60)));
    V result = except(special, log1p_in_range(x), [&] { return sleef_log1p_to_the_end(x); });
    return select(x == splat<V>(0), x, result);  // its sign
  } else {
    return sleef_log1p_to_the_end(x);
  }
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
