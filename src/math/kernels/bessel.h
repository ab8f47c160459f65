// Bessel functions, in doubles. Between 0 and 8 by polynomials of the function divided by its distance from
// its nearest zero, so that it is right to a few ulps there too; beyond by Hankel's form, whose error is an
// absolute one. tools/math/fit_bessel.py made the coefficients.
#pragma once

#include "math/bessel.gen.h"
#include "math/kernels/circular.h"
#include "math/kernels/exponential.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

// Of several polynomials the one of the piece that x lies in, times the distance from the piece's zero.
template <class D, class Pieces>
HEDDLE_INLINE D by_pieces(D x, const Pieces& p) {
  constexpr int pieces = Pieces::pieces, count = Pieces::count;
  using M = decltype(x < x);
  M in[pieces];
  for (int i = 1; i < pieces; ++i) in[i] = x >= splat<D>(p.begin[i]);
  const auto pick = [&](auto&& of) {
    D value = splat<D>(of(0));
    for (int i = 1; i < pieces; ++i) value = select(in[i], splat<D>(of(i)), value);
    return value;
  };
  D t = x - pick([&](int i) { return p.centre[i]; });
  D value = pick([&](int i) { return p.coefficients[i][count - 1]; });
  for (int k = count - 2; k >= 0; --k)
    value = fma(value, t, pick([&](int i) { return p.coefficients[i][k]; }));
  D distance = (x - pick([&](int i) { return p.zero[i][0]; })) - pick([&](int i) { return p.zero[i][1]; });
  return value * distance;
}

// Beyond 8, of order 0 and 1: sqrt(2 / (pi x)) times P and Q by cosine and sine of x - (2 order + 1) pi / 4.
template <class D>
struct Hankel {
  D p, q, cosine, sine;
};
template <int order, class D>
HEDDLE_INLINE Hankel<D> hankel(D x) {
  D ratio = splat<D>(8) / x;
  D square = ratio * ratio;
  D amplitude = sqrt(splat<D>(0x1.45f306dc9c883p-2) / x);
  D s = sleef_sin(x), c = sleef_cos(x);
  D p, q;
  if constexpr (order == 0) {
    p = polynomial(square, bessel::p0), q = polynomial(square, bessel::q0) / x;
    return {p, q, amplitude * (c + s), amplitude * (s - c)};
  } else {
    p = polynomial(square, bessel::p1), q = polynomial(square, bessel::q1) / x;
    return {p, q, amplitude * (s - c), -amplitude * (c + s)};
  }
}
template <class D>
HEDDLE_INLINE D first_kind(Hankel<D> h) {
  return h.p * h.cosine - h.q * h.sine;
}
template <class D>
HEDDLE_INLINE D second_kind(Hankel<D> h) {
  return h.p * h.sine + h.q * h.cosine;
}

template <class D>
HEDDLE_INLINE D double_j0(D x) {
  D size = abs(x);
  D result = polynomial(x * x, bessel::j0_small);
  if (any(size >= splat<D>(2))) result = select(size >= splat<D>(2), by_pieces(size, bessel::j0), result);
  if (any(size >= splat<D>(8))) result = select(size >= splat<D>(8), first_kind(hankel<0>(size)), result);
  return select(is_infinite(x), splat<D>(0), select(is_nan(x), x, result));
}
template <class D>
HEDDLE_INLINE D double_j1(D x) {
  D size = abs(x);
  D result = size * polynomial(x * x, bessel::j1_small);
  if (any(size >= splat<D>(2))) result = select(size >= splat<D>(2), by_pieces(size, bessel::j1), result);
  if (any(size >= splat<D>(8))) result = select(size >= splat<D>(8), first_kind(hankel<1>(size)), result);
  // Odd.
  D sign = copysign(splat<D>(1), x);
  return select(is_infinite(x), copysign(splat<D>(0), x), select(is_nan(x), x, result * sign));
}

template <class D>
HEDDLE_INLINE D second_kind_limits(D x, D result) {
  result = select(x == splat<D>(0), -infinity<D>(), result);
  result = select(x == infinity<D>(), splat<D>(0), result);
  return select((x < splat<D>(0)) | is_nan(x), quiet_nan<D>(), result);
}
template <class D>
HEDDLE_INLINE D double_y0(D x) {
  constexpr double two_by_pi = 0x1.45f306dc9c883p-1;
  D high = splat<D>(bessel::y0_zero[0]);
  // The logarithm of x / zero, which vanishes there as the rest does, and with the same sign.
  D distance = (x - high) - splat<D>(bessel::y0_zero[1]);
  D logarithm = select(x < splat<D>(0.5), sleef_log(x / high), sleef_log1p(distance / high));
  D square = x * x;
  D result = splat<D>(two_by_pi) * logarithm * polynomial(square, bessel::j0_small) +
             distance * (x + high) * polynomial(square, bessel::y0_small);
  if (any(x >= splat<D>(2))) result = select(x >= splat<D>(2), by_pieces(x, bessel::y0), result);
  if (any(x >= splat<D>(8))) result = select(x >= splat<D>(8), second_kind(hankel<0>(x)), result);
  return second_kind_limits(x, result);
}
template <class D>
HEDDLE_INLINE D double_y1(D x) {
  constexpr double two_by_pi = 0x1.45f306dc9c883p-1;
  D square = x * x;
  D j1 = x * polynomial(square, bessel::j1_small);
  D smooth =
      fma(splat<D>(two_by_pi) * sleef_log(splat<D>(0.5) * x), j1, x * polynomial(square, bessel::y1_small));
  D result = smooth - splat<D>(two_by_pi) / x;
  if (any(x >= splat<D>(1.5))) result = select(x >= splat<D>(1.5), by_pieces(x, bessel::y1), result);
  if (any(x >= splat<D>(8))) result = select(x >= splat<D>(8), second_kind(hankel<1>(x)), result);
  return second_kind_limits(x, result);
}

template <class V>
HEDDLE_INLINE V device_j0(V x) {
  return in_double([](auto v) { return double_j0(v); }, x);
}
template <class V>
HEDDLE_INLINE V device_j1(V x) {
  return in_double([](auto v) { return double_j1(v); }, x);
}
template <class V>
HEDDLE_INLINE V device_y0(V x) {
  return in_double([](auto v) { return double_y0(v); }, x);
}
template <class V>
HEDDLE_INLINE V device_y1(V x) {
  return in_double([](auto v) { return double_y1(v); }, x);
}

// ---- any order: by recurrence, one number at a time, since each has its own number of steps

using One = Vec<double, 1>;

// Upwards from the orders 0 and 1, which is stable for the second kind, and for the first where n <= x.
inline double upwards(int64_t n, double x, double f0, double f1) {
  for (int64_t i = 1; i < n && f1 - f1 == 0; ++i) {
    const double next = 2 * static_cast<double>(i) / x * f1 - f0;
    f0 = f1;
    f1 = next;
  }
  return f1;
}
// Downwards from an order where the function is all but 0, scaled by J0 + 2 (J2 + J4 + ...) = 1.
inline double downwards(int64_t n, double x) {
  const auto distance = static_cast<int64_t>(__builtin_sqrt(160 * static_cast<double>(n)));
  double above = 0, here = 0x1p-1000, wanted = 0, sum = 0;
  for (int64_t i = 2 * ((n + distance) / 2) + 2; i > 0; --i) {
    const double below = 2 * static_cast<double>(i) / x * here - above;
    above = here;
    here = below;
    if (__builtin_fabs(here) > 0x1p500) {
      here *= 0x1p-500, above *= 0x1p-500, sum *= 0x1p-500, wanted *= 0x1p-500;
    }
    // `here` is now of order i - 1.
    if ((i - 1) % 2 == 0 && i > 1) sum += here;
    if (i - 1 == n) wanted = here;
  }
  return wanted / (2 * sum + here);
}

inline double one_jn(int64_t n, double x) {
  if (n < 0) return __builtin_nan("");
  if (n == 0) return double_j0(One(x))[0];
  if (n == 1) return double_j1(One(x))[0];
  const double size = __builtin_fabs(x), sign = x < 0 && n % 2 != 0 ? -1.0 : 1.0;
  if (x != x) return x;
  if (size == 0 || size == __builtin_inf()) return 0 * sign;
  const auto order = static_cast<double>(n);
  // Below (e x / 2 n)^n: no number is left.
  if (order > size && order * sleef_log(One(1.36 * (size / order)))[0] < -760) return 0 * sign;
  if (order <= size) return sign * upwards(n, size, double_j0(One(size))[0], double_j1(One(size))[0]);
  return sign * downwards(n, size);
}
inline double one_yn(int64_t n, double x) {
  if (n < 0 || x < 0 || x != x) return __builtin_nan("");
  if (x == __builtin_inf()) return 0;
  const double y0 = double_y0(One(x))[0];
  if (n == 0 || x == 0) return y0;
  const double y = upwards(n, x, y0, double_y1(One(x))[0]);
  return y == y ? y : -__builtin_inf();
}

template <class V>
HEDDLE_INLINE V device_jn(Words<V> n, V x) {
  V result = x;
#pragma clang loop unroll(disable)
  for (int i = 0; i < lanes<V>; ++i) result[i] = static_cast<Element<V>>(one_jn(n[i], x[i]));
  return result;
}
template <class V>
HEDDLE_INLINE V device_yn(Words<V> n, V x) {
  V result = x;
#pragma clang loop unroll(disable)
  for (int i = 0; i < lanes<V>; ++i) result[i] = static_cast<Element<V>>(one_yn(n[i], x[i]));
  return result;
}

// ---- modified, of the first kind: exp(x) / sqrt(x) times something smooth beyond 8. The exponential comes
// in two factors, since it is too large before the function is.

template <class D, class Coefficients>
HEDDLE_INLINE D modified_large(D x, const Coefficients& coefficients) {
  D factor = polynomial(fma(splat<D>(16), splat<D>(1) / x, splat<D>(-1)), coefficients) / sqrt(x);
  D half = sleef_exp(splat<D>(0.5) * x);
  D result = half * factor * half;
  return select(x > splat<D>(720), infinity<D>(), result);
}
template <class D>
HEDDLE_INLINE D double_i0(D x) {
  D size = abs(x);
  D result = polynomial(x * x, bessel::i0_small);
  if (any(size >= splat<D>(8)))
    result = select(size >= splat<D>(8), modified_large(size, bessel::i0_large), result);
  return select(is_nan(x), x, result);
}
template <class D>
HEDDLE_INLINE D double_i1(D x) {
  D size = abs(x);
  D result = size * polynomial(x * x, bessel::i1_small);
  if (any(size >= splat<D>(8)))
    result = select(size >= splat<D>(8), modified_large(size, bessel::i1_large), result);
  return select(is_nan(x), x, copysign(result, x));
}
template <class V>
HEDDLE_INLINE V device_cyl_bessel_i0(V x) {
  return in_double([](auto v) { return double_i0(v); }, x);
}
template <class V>
HEDDLE_INLINE V device_cyl_bessel_i1(V x) {
  return in_double([](auto v) { return double_i1(v); }, x);
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
