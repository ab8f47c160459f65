// Roots and norms.
#pragma once

#include "math/kernels/elementary.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

template <class V>
HEDDLE_INLINE V device_cbrt(V x) {
  return sleef_cbrt(x);
}
// One Newton step behind the quotient, with the residual 1 - x y^3 in twice the precision.
template <class D>
HEDDLE_INLINE D double_rcbrt(D x) {
  D y = splat<D>(1) / sleef_cbrt(x);
  Twice<D> square = exact_product(y, y);
  // x y^2 is near 1 / y, and neither overflows.
  Twice<D> most = exact_product(square.high, x);
  D low = fma(square.low, x, most.low);
  D residual = fma(-most.high, y, splat<D>(1));
  residual = fma(-low, y, residual);
  D better = fma(y * residual, splat<D>(1.0 / 3), y);
  return select((x == splat<D>(0)) | ~(abs(x) < infinity<D>()), y, better);
}
template <class V>
HEDDLE_INLINE V device_rcbrt(V x) {
  return in_double([](auto v) { return double_rcbrt(v); }, x);
}

template <class D>
HEDDLE_INLINE D double_rsqrt(D x) {
  auto tiny = x < splat<D>(0x1p-900);
  D scaled = select(tiny, x * splat<D>(0x1p200), x);
  D root = sqrt(scaled);
  D y = splat<D>(1) / root;
  D of_root = fma(-root, root, scaled), of_quotient = fma(-root, y, splat<D>(1));
  D better = fma(y, fma(splat<D>(-0.5) * of_root * y, y, of_quotient), y);
  better = select(tiny, better * splat<D>(0x1p100), better);
  return select((x > splat<D>(0)) & (x < infinity<D>()), better, y);
}
template <class V>
HEDDLE_INLINE V device_rsqrt(V x) {
  return in_double([](auto v) { return double_rsqrt(v); }, x);
}

// ---- norms

template <class D>
struct Norm {
  D root;             // of the scaled squares' sum
  D correction;       // the sum less the root's square
  Words<D> exponent;  // the numbers were multiplied with 2 to it
  D largest;
};
template <class D, class... Ds>
HEDDLE_INLINE Norm<D> scaled_norm(Ds... xs) {
  D largest = splat<D>(0);
  ((largest = larger(abs(xs), largest)), ...);
  Words<D> e = -exponent_of(largest);
  e = e < -1022 ? Words<D>(-1022) : e;
  e = e > 1022 ? Words<D>(1022) : e;
  D scale = power_of_two<D>(e);
  Twice<D> sum{splat<D>(0), splat<D>(0)};
  const auto add = [&](D x) {
    D scaled = x * scale;
    Twice<D> square = exact_product(scaled, scaled);
    Twice<D> next = exact_sum(sum.high, square.high);
    sum = {next.high, sum.low + (next.low + square.low)};
  };
  (add(xs), ...);
  D root = sqrt(sum.high);
  return {root, fma(-root, root, sum.high) + sum.low, e, largest};
}
// x 2^e, rounded once: the first of two factors is exact for an x near 1.
template <class D>
HEDDLE_INLINE D scaled_by(D x, Words<D> e) {
  Words<D> half = e >> 1;
  return x * power_of_two<D>(half) * power_of_two<D>(e - half);
}
// Of numbers, an infinity counts more than a NaN.
template <class V, class... Vs>
HEDDLE_INLINE V norm_of(Vs... xs) {
  auto infinite = (is_infinite(xs) | ...);
  auto nan = (is_nan(xs) | ...);
  V result;
  if constexpr (is_single<V>) {
    // Squares of floats neither overflow nor vanish in doubles, and their sum is all but exact.
    Doubles<V> sum = Doubles<V>(0);
    ((sum = fma(widen(xs), widen(xs), sum)), ...);
    result = narrow<V>(sqrt(sum));
  } else {
    Norm<V> n = scaled_norm<V>(xs...);
    V root = n.root + n.correction / (n.root + n.root);
    result = select(n.largest == splat<V>(0), splat<V>(0), scaled_by(root, -n.exponent));
  }
  return select(infinite, infinity<V>(), select(nan, quiet_nan<V>(), result));
}
template <class V, class... Vs>
HEDDLE_INLINE V reciprocal_norm_of(Vs... xs) {
  auto infinite = (is_infinite(xs) | ...);
  auto nan = (is_nan(xs) | ...);
  V result;
  if constexpr (is_single<V>) {
    Doubles<V> sum = Doubles<V>(0);
    ((sum = fma(widen(xs), widen(xs), sum)), ...);
    result = narrow<V>(Doubles<V>(1) / sqrt(sum));
  } else {
    Norm<V> n = scaled_norm<V>(xs...);
    V y = splat<V>(1) / n.root;
    V residual = fma(splat<V>(-0.5) * n.correction * y, y, fma(-n.root, y, splat<V>(1)));
    result = select(n.largest == splat<V>(0), infinity<V>(), scaled_by(fma(y, residual, y), n.exponent));
  }
  return select(infinite, splat<V>(0), select(nan, quiet_nan<V>(), result));
}

template <class V>
HEDDLE_INLINE V device_hypot(V x, V y) {
  return norm_of<V>(x, y);
}
template <class V>
HEDDLE_INLINE V device_rhypot(V x, V y) {
  return reciprocal_norm_of<V>(x, y);
}
template <class V>
HEDDLE_INLINE V device_norm3d(V x, V y, V z) {
  return norm_of<V>(x, y, z);
}
template <class V>
HEDDLE_INLINE V device_rnorm3d(V x, V y, V z) {
  return reciprocal_norm_of<V>(x, y, z);
}
template <class V>
HEDDLE_INLINE V device_norm4d(V x, V y, V z, V w) {
  return norm_of<V>(x, y, z, w);
}
template <class V>
HEDDLE_INLINE V device_rnorm4d(V x, V y, V z, V w) {
  return reciprocal_norm_of<V>(x, y, z, w);
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
