// Roots and norms.
#pragma once

#include "math/kernels/exponential.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

// The first 32 bits of positive numbers, as numbers; and numbers as those bits.
template <class V>
HEDDLE_INLINE V leading_bits(V x) {
  if constexpr (is_single<V>)
    return __builtin_convertvector(bits(x), V);
  else  // in the place of the lowest digits of 2^52
    return cast<V>((bits(x) >> 32) | bits(splat<V>(0x1p52))) - splat<V>(0x1p52);
}
template <class V>
HEDDLE_INLINE V with_leading_bits(V number) {
  if constexpr (is_single<V>)
    return cast<V>(__builtin_convertvector(number, Words<V>));
  else
    return cast<V>(bits(number + splat<V>(0x1p52)) << 32);
}
// 1 / cbrt(x) of normal numbers, to some ulps. A third of the bits is a third of the logarithm, to 4 %; then
// steps of the series of (1 - e)^(-1/3), e = 1 - x y^3.
template <class V>
HEDDLE_INLINE V rough_rcbrt(V x) {
  constexpr double start = is_single<V> ? 0x54a2fa8c : 0x553ef0ff;
  V y = with_leading_bits(fma(leading_bits(x), splat<V>(-1.0 / 3), splat<V>(start)));
  constexpr int steps = is_single<V> ? 2 : 3;
#pragma clang loop unroll(full)
  for (int step = 1; step <= steps; ++step) {
    V e = fma(-(x * y), y * y, splat<V>(1));
    V more = fma(e, splat<V>(2.0 / 9), splat<V>(1.0 / 3));
    if (step < steps) more = fma(e, fma(e, splat<V>(14.0 / 81), splat<V>(2.0 / 9)), splat<V>(1.0 / 3));
    y = fma(y * e, more, y);
  }
  return y;
}
template <class V>
HEDDLE_INLINE auto has_no_root(V size) {
  return ~((size > splat<V>(0)) & (size < infinity<V>()));
}
template <class V>
HEDDLE_INLINE V device_cbrt(V x) {
  if constexpr (fuses) {
    V size = abs(x);
    auto tiny = size < splat<V>(is_single<V> ? 0x1p-100 : 0x1p-960);
    V scaled = select(tiny, size * splat<V>(is_single<V> ? 0x1p48 : 0x1p192), size);
    V inverse = rough_rcbrt(scaled), square = inverse * inverse;
    V y = scaled * square;
    Twice<V> of_y = exact_product(y, y);
    V residual = fma(-of_y.low, y, fma(-of_y.high, y, scaled));
    y = fma(residual * splat<V>(1.0 / 3), square, y);
    y = select(tiny, y * splat<V>(is_single<V> ? 0x1p-16 : 0x1p-64), y);
    return select(has_no_root(size), x, copysign(y, x));
  } else {
    return sleef_cbrt(x);
  }
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
  if constexpr (in_single<V>) {
    V size = abs(x);
    auto tiny = size < splat<V>(0x1p-100);
    V scaled = select(tiny, size * splat<V>(0x1p48), size);
    V y = rough_rcbrt(scaled);
    // 1 - x y^3 in twice the precision.
    Twice<V> square = exact_product(y, y);
    Twice<V> most = exact_product(square.high, scaled);
    V residual = fma(-fma(square.low, scaled, most.low), y, fma(-most.high, y, splat<V>(1)));
    y = fma(y * residual, splat<V>(1.0 / 3), y);
    y = select(tiny, y * splat<V>(0x1p16), y);
    return select(has_no_root(size), splat<V>(1) / x, copysign(y, x));
  } else {
    return in_double([](auto v) { return double_rcbrt(v); }, x);
  }
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
  if constexpr (is_single<V>)
    return splat<V>(1) / sqrt(x);
  else
    return double_rsqrt(x);
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
// Where squares of floats overflow or vanish, doubles do not.
template <class V>
HEDDLE_INLINE auto out_of_range(V sum) {
  return ~((sum > splat<V>(0x1p-60)) & (sum < splat<V>(0x1p120)));
}
template <class V, class... Vs>
HEDDLE_INLINE V sum_of_squares(V x, Vs... xs) {
  V sum = x * x;
  ((sum = fma(xs, xs, sum)), ...);
  return sum;
}

// Of numbers, an infinity counts more than a NaN.
template <class V, class... Vs>
HEDDLE_INLINE V any_norm_of(Vs... xs) {
  auto infinite = (is_infinite(xs) | ...);
  auto nan = (is_nan(xs) | ...);
  V result;
  if constexpr (is_single<V>) {
    // Squares of floats neither overflow nor vanish in doubles, and their sum is all but exact.
    result = narrow<V>(sqrt(sum_of_squares(widen(xs)...)));
  } else {
    Norm<V> n = scaled_norm<V>(xs...);
    V root = n.root + n.correction / (n.root + n.root);
    result = select(n.largest == splat<V>(0), splat<V>(0), scaled_by(root, -n.exponent));
  }
  return select(infinite, infinity<V>(), select(nan, quiet_nan<V>(), result));
}
template <class V, class... Vs>
HEDDLE_INLINE V root_of_squares(Vs... xs) {
  V sum = sum_of_squares(xs...);
  return except(out_of_range(sum), sqrt(sum), [&] { return any_norm_of<V>(xs...); });
}
template <class V, class... Vs>
HEDDLE_INLINE V norm_of(Vs... xs) {
  if constexpr (in_single<V>)
    return root_of_squares<V>(xs...);
  else
    return any_norm_of<V>(xs...);
}
template <class V, class... Vs>
HEDDLE_INLINE V reciprocal_norm_of(Vs... xs) {
  auto infinite = (is_infinite(xs) | ...);
  auto nan = (is_nan(xs) | ...);
  V result;
  if constexpr (is_single<V>) {
    result = narrow<V>(Doubles<V>(1) / sqrt(sum_of_squares(widen(xs)...)));
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
  if constexpr (fuses)
    return root_of_squares<V>(x, y);
  else
    return any_norm_of<V>(x, y);
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
