// Operations of floats, rounded once in any direction; subnormals are numbers. Each is worked out in double
// first, rounded to odd: its last bit is set where digits were lost. A double has more than two digits more
// than a float, so that rounding it again gives what rounding the exact result would.
#pragma once

#include "math/kernels/vector.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

enum class Rounding { rn, rz, ru, rd };

// `near` is the result to the nearest, `error` of the sign of what the exact one is more.
template <class D>
HEDDLE_INLINE D to_odd(D near, D error) {
  auto above = error > splat<D>(0), inexact = above | (error < splat<D>(0));
  auto outward = above == (near > splat<D>(0));
  Words<D> odd = bits(near) + (outward ? Words<D>(1) : Words<D>(-1));
  return cast<D>((inexact & ((bits(near) & 1) == 0)) ? odd : bits(near));
}

template <Rounding R, class V>
HEDDLE_INLINE V from_odd(Doubles<V> exact) {
  V result = narrow<V>(exact);
  if constexpr (R != Rounding::rn) {
    Doubles<V> rounded = widen(result);
    auto past = R == Rounding::ru   ? rounded < exact
                : R == Rounding::rd ? rounded > exact
                                    : abs(rounded) > abs(exact);
    // One step: bits ascend away from zero.
    auto inward = R == Rounding::ru ? bits(result) < 0 : R == Rounding::rd ? bits(result) >= 0 : Words<V>(-1);
    Words<V> step = inward ? Words<V>(-1) : Words<V>(1);
    result = cast<V>(bits(result) + (__builtin_convertvector(past, Words<V>) & step));
  }
  return result;
}

template <Rounding R, class V>
HEDDLE_INLINE V rounded_sum(Doubles<V> a, Doubles<V> b) {
  Twice<Doubles<V>> sum = exact_sum(a, b);
  Doubles<V> odd = to_odd(sum.high, sum.low);
  // IEEE 754, 6.3: a sum of nothing is +0, downward -0, but for two zeros of one sign.
  if constexpr (R == Rounding::rd) {
    auto minus = (odd == splat<Doubles<V>>(0)) & ((bits(a) | bits(b)) != 0);
    odd = select(minus, splat<Doubles<V>>(-0.0), odd);
  }
  return from_odd<R, V>(odd);
}

template <Rounding R, class V>
HEDDLE_INLINE V device_rounded_fadd(V a, V b) {
  return rounded_sum<R, V>(widen(a), widen(b));
}
template <Rounding R, class V>
HEDDLE_INLINE V device_rounded_fsub(V a, V b) {
  return rounded_sum<R, V>(widen(a), -widen(b));
}
template <Rounding R, class V>
HEDDLE_INLINE V device_rounded_fmul(V a, V b) {
  return from_odd<R, V>(widen(a) * widen(b));  // exact
}
template <Rounding R, class V>
HEDDLE_INLINE V device_rounded_fmaf(V a, V b, V c) {
  return rounded_sum<R, V>(widen(a) * widen(b), widen(c));
}
template <Rounding R, class V>
HEDDLE_INLINE V device_rounded_fdiv(V a, V b) {
  Doubles<V> x = widen(a), y = widen(b);
  Doubles<V> quotient = x / y, rest = fma(-quotient, y, x);
  return from_odd<R, V>(to_odd(quotient, select(bits(y) < 0, -rest, rest)));
}
template <Rounding R, class V>
HEDDLE_INLINE V device_rounded_frcp(V a) {
  return device_rounded_fdiv<R>(splat<V>(1), a);
}
template <Rounding R, class V>
HEDDLE_INLINE V device_rounded_fsqrt(V a) {
  Doubles<V> x = widen(a), root = sqrt(x);
  return from_odd<R, V>(to_odd(root, fma(-root, root, x)));
}

// PTX ISA 9.7.3.7, mad.f32 before sm_20: the product's significand is cut to 24 digits and keeps its
// exponent, whatever it is; then the sum is rounded to nearest. A zero addend makes it a mul and an add.
// There are no subnormals: what is less than the least normal number by rounding to 24 digits is zero.
template <class V>
HEDDLE_INLINE V without_subnormals(V v, Doubles<V> exact) {
  auto tiny = __builtin_convertvector(abs(exact) < splat<Doubles<V>>(0x1p-126 - 0x1p-151), Words<V>);
  return select(tiny, copysign(splat<V>(0), v), v);
}
template <class V>
HEDDLE_INLINE V device_truncating_mad(V a, V b, V c) {
  a = without_subnormals(a, widen(a)), b = without_subnormals(b, widen(b));
  c = without_subnormals(c, widen(c));
  Doubles<V> product = widen(a) * widen(b);
  constexpr int64_t dropped = (int64_t{1} << (52 - 23)) - 1;
  Twice<Doubles<V>> sum = exact_sum(cast<Doubles<V>>(bits(product) & ~dropped), widen(c));
  Doubles<V> odd = to_odd(sum.high, sum.low);
  V separate = without_subnormals(narrow<V>(product), product) + c;
  return select(c == splat<V>(0), separate, without_subnormals(narrow<V>(odd), odd));
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
