// The error function, the normal distribution, and their inverses.
#pragma once

#include "math/kernels/exponential.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

inline constexpr double half_root = 0x1.6a09e667f3bcdp-1;  // of 2

// exp(-square) exp(t^2) erfc(t) from 0 to where it vanishes, t being its root; `low` is what `square` lost.
template <class V>
HEDDLE_INLINE V tail_of(V t, V square, V low) {
  V inverse = splat<V>(1) / (t + splat<V>(2));
  V u = (t - splat<V>(2)) * inverse;
  V slow = polynomial(u, fitted::erfcx_single, fitted::erfcx_double) * inverse;
  Reduced<V> e = reduced_by_ln_2(-square);
  V rest = expm1_less_r(e.r), lost = e.low - low;
  V less_1 = e.r + (rest + fma(lost, e.r + rest, lost));
  return scaled_by(fma(less_1, slow, slow), e.n);
}

template <class V>
HEDDLE_INLINE V device_erf(V x) {
  if constexpr (fuses) {
    V size = abs(x);
    V within = at_most(size, splat<V>(is_single<V> ? 4 : 6));  // where it is 1
    V near = fma(size, polynomial(size * size, fitted::erf_single, fitted::erf_double), size);
    V logarithm = polynomial(within - splat<V>(1), fitted::log_erfc_single, fitted::log_erfc_double);
    return copysign(select(size < splat<V>(1), near, splat<V>(1) - exp_in_range(logarithm)), x);
  } else {
    return sleef_erf(x);
  }
}
template <class V>
HEDDLE_INLINE V device_erfc(V x) {
  if constexpr (fuses) {
    V size = at_most(abs(x), splat<V>(is_single<V> ? 10.5 : 27.5));  // where it is 0
    V square = size * size;
    V tail = tail_of(size, square, fma(size, size, -square));
    return select(x < splat<V>(0), splat<V>(2) - tail, tail);
  } else {
    return sleef_erfc(x);
  }
}

// ---- exp(x^2) erfc(x)

template <class D>
HEDDLE_INLINE D double_erfcx(D x) {
  // Of x^2 every digit counts: its error is one of the exponent.
  D clamped = select(x > splat<D>(10), splat<D>(10), select(x < splat<D>(-30), splat<D>(-30), x));
  Twice<D> square = exact_product(clamped, clamped);
  D e = sleef_exp(square.high);
  D near = select(is_infinite(e), e, fma(e, square.low, e)) * sleef_erfc(clamped);
  // An asymptotic series, the sum of (-1)^n (2n - 1)!! / (2 x^2)^n: beyond 10 its terms fall below any ulp.
  constexpr double terms[] = {1,
                              -0.5,
                              0.75,
                              -1.875,
                              6.5625,
                              -29.53125,
                              162.421875,
                              -1055.7421875,
                              7918.06640625,
                              -67303.564453125,
                              639383.8623046875,
                              -6713530.554199219,
                              77205601.37329102,
                              -965070017.1661377};
  D inverse = splat<D>(1) / x;
  D far = splat<D>(0x1.20dd750429b6dp-1) * inverse * polynomial(inverse * inverse, terms);
  return select(is_nan(x), x, select(x > splat<D>(10), far, near));
}
template <class V>
HEDDLE_INLINE V device_erfcx(V x) {
  return in_double([](auto v) { return double_erfcx(v); }, x);
}

// ---- the normal distribution

// erfc(-x / sqrt(2)) / 2. Far out the argument's last digit is worth hundreds of ulps, so it has two doubles.
template <class D>
HEDDLE_INLINE D double_normcdf(D x) {
  constexpr double high = -0x1.6a09e667f3bcdp-1, low = 0x1.bdd3413b26456p-55;
  D clamped = select(abs(x) > splat<D>(40), copysign(splat<D>(40), x), x);
  Twice<D> t = exact_product(clamped, splat<D>(high));
  t.low = fma(clamped, splat<D>(low), t.low);
  D slope = splat<D>(-0x1.20dd750429b6dp+0) * sleef_exp(-t.high * t.high);
  D result = splat<D>(0.5) * fma(slope, t.low, sleef_erfc(t.high));
  return select(is_nan(x), x, result);
}
template <class V>
HEDDLE_INLINE V device_normcdf(V x) {
  if constexpr (fuses) {
    V size = at_most(abs(x), splat<V>(is_single<V> ? 14.8 : 38.8));  // where it is 0
    V half = splat<V>(0.5) * size, square = half * size;
    V tail = splat<V>(0.5) * tail_of(size * splat<V>(half_root), square, fma(half, size, -square));
    return select(x > splat<V>(0), splat<V>(1) - tail, tail);
  } else {
    return in_double([](auto v) { return double_normcdf(v); }, x);
  }
}

// M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics 37
// (1988): the argument of the distribution where it is 1/2 + offset. Far from the middle it goes by the
// smaller tail, of which `minus_log` is the negated logarithm.
template <class D>
HEDDLE_INLINE D quantile(D offset, D minus_log) {
  constexpr double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                          1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                          3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double b[] = {1,
                          4.2313330701600911252e+1,
                          6.8718700749205790830e+2,
                          5.3941960214247511077e+3,
                          2.1213794301586595867e+4,
                          3.9307895800092710610e+4,
                          2.8729085735721942674e+4,
                          5.2264952788528545610e+3};
  constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                          3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                          2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double d[] = {1,
                          2.05319162663775882187e0,
                          1.67638483018380384940e0,
                          6.89767334985100004550e-1,
                          1.48103976427480074590e-1,
                          1.51986665636164571966e-2,
                          5.47593808499534494600e-4,
                          1.05075007164441684324e-9};
  constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                          2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                          2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double f[] = {1,
                          5.99832206555887937690e-1,
                          1.36929880922735805310e-1,
                          1.48753612908506148525e-2,
                          7.86869131145613259100e-4,
                          1.84631831751005468180e-5,
                          1.42151175831644588870e-7,
                          2.04426310338993978564e-15};
  D r = fma(-offset, offset, splat<D>(0.180625));
  D middle = offset * polynomial(r, a) / polynomial(r, b);
  D root = sqrt(minus_log);
  D t = root - splat<D>(1.6);
  D outer = polynomial(t, c) / polynomial(t, d);
  D u = root - splat<D>(5);
  D far = polynomial(u, e) / polynomial(u, f);
  outer = select(root > splat<D>(5), far, outer);
  outer = select(is_infinite(root), root, outer);
  D result = select(abs(offset) <= splat<D>(0.425), middle, copysign(outer, offset));
  return select(is_nan(root) | is_nan(offset), quiet_nan<D>(), result);
}

template <class D>
HEDDLE_INLINE D double_normcdfinv(D x) {
  D offset = x - splat<D>(0.5);
  D tail = select(offset > splat<D>(0), splat<D>(1) - x, x);
  return quantile(offset, -sleef_log(tail));
}
template <class V>
HEDDLE_INLINE V device_normcdfinv(V x) {
  return in_double([](auto v) { return double_normcdfinv(v); }, x);
}

// The argument of erf where it is `value`, of erfc where that is `tail` for positive ones.
template <class D>
HEDDLE_INLINE D inverse_erf(D value, D tail) {
  return splat<D>(half_root) * quantile(splat<D>(0.5) * value, splat<D>(ln_2) - sleef_log(tail));
}
// Wichura's digits end some ulps before a double's: a Newton step by whichever is small, except where the
// tail has too few digits for it.
template <class D>
HEDDLE_INLINE D improved(D y, D value, D tail) {
  D size = abs(y);
  D slope = splat<D>(0x1.20dd750429b6dp+0) * sleef_exp(-size * size);
  auto outside = abs(value) > splat<D>(0.5);
  D beyond = select(outside, tail - sleef_erfc(size), sleef_erf(size) - abs(value));
  D better = copysign(size - beyond / slope, y);
  return select((tail > splat<D>(0x1p-900)) & (size < infinity<D>()), better, y);
}

template <class V>
HEDDLE_INLINE V device_erfinv(V x) {
  if constexpr (is_single<V>) {
    Doubles<V> wide = widen(x);
    return narrow<V>(inverse_erf(wide, Doubles<V>(1) - abs(wide)));
  } else {
    V tail = splat<V>(1) - abs(x);
    return improved(inverse_erf(x, tail), x, tail);
  }
}
template <class D>
HEDDLE_INLINE D double_erfcinv(D x, bool improve) {
  D value = splat<D>(1) - x;
  D tail = select(value > splat<D>(0), x, splat<D>(2) - x);
  D y = inverse_erf(value, tail);
  return improve ? improved(y, value, tail) : y;
}
template <class V>
HEDDLE_INLINE V device_erfcinv(V x) {
  return in_double([](auto v) { return double_erfcinv(v, !is_single<V>); }, x);
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
