// Powers.
#pragma once

#include "math/kernels/exponential.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

// SLEEF has infinity where the result is below the largest number by 2e-9 of it or less: there the square of
// the root is, and the first power, which is exact. (Squares: device_pow.)
template <class D>
HEDDLE_INLINE D pow_to_the_end(D x, D y) {
  D result = sleef_pow(x, y);
  const D infinity = splat<D>(__builtin_inf());
  auto end = abs(result) == infinity & abs(x) < infinity & abs(y) < infinity & x != splat<D>(0);
  if (any(end)) {
    D root = sleef_pow(abs(x), y * splat<D>(0.5));
    D square = select(y == splat<D>(1), abs(x), root * root);
    result = select(end, copysign(square, result), result);
  }
  return result;
}

// x^y of floats, 0 < x, by doubles: 2^(y log2(x)) to more than a float's digits, rounded once.
template <class V>
HEDDLE_INLINE V positive_pow(V x, V y) {
  using D = Doubles<V>;
  D wide = widen(x);
  Words<D> n = exponent_by_root(wide);
  D f = cast<D>(bits(wide) - (n << Format<D>::fraction_bits)) - splat<D>(1);
  D whole = __builtin_convertvector(__builtin_convertvector(n, Vec<int32_t, lanes<V>>), D);
  D t = widen(y) * fma(f, polynomial(f, fitted::log2_of_float), whole);
  // Beyond that it is infinite, or 0.
  t = at_most(at_least(t, splat<D>(-200)), splat<D>(200));
  Rounded<D> power = rounded_product(t, splat<D>(1));
  D part = polynomial(t - power.value, fitted::exp2_of_float);
  return narrow<V>(cast<D>(bits(part) + (power.word << Format<D>::fraction_bits)));
}
template <class V>
HEDDLE_INLINE V single_pow(V x, V y) {
  V size = abs(x);
  V result = positive_pow(size, y);
  V zero_power = select(y < splat<V>(0), infinity<V>(), select(y > splat<V>(0), splat<V>(0), splat<V>(1)));
  result = select(size == splat<V>(0), zero_power, result);
  auto whole = trunc(y) == y, odd = whole & (trunc(y * splat<V>(0.5)) != y * splat<V>(0.5));
  V of_negative = select(whole | (size == splat<V>(0)), select(odd, -result, result), quiet_nan<V>());
  result = select(bits(x) < 0, of_negative, result);
  auto special = ~((size < infinity<V>()) & (abs(y) < infinity<V>()));
  return except(special, result, [&] { return sleef_pow(x, y); });
}
// Squares are products, rounded once: where the exponent is known, they are nothing else (exec/jit/math).
template <class V>
HEDDLE_INLINE V device_pow(V x, V y) {
  V result;
  if constexpr (in_single<V>)
    result = single_pow(x, y);
  else if constexpr (is_single<V>)
    result = sleef_pow(x, y);
  else
    result = pow_to_the_end(x, y);
  return select(y == splat<V>(2), x * x, result);
}
// The exponent may have more digits than a float.
template <class V>
HEDDLE_INLINE V device_powi(V x, Words<V> n) {
  if constexpr (is_single<V>) {
    V result = device_pow(x, __builtin_convertvector(n, V));
    auto long_exponent = (n > (1 << 24)) | (n < -(1 << 24));
    if (any(long_exponent))
      result = select(long_exponent, narrow<V>(sleef_pow(widen(x), __builtin_convertvector(n, Doubles<V>))),
                      result);
    return result;
  } else {
    return device_pow(x, __builtin_convertvector(n, V));
  }
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
