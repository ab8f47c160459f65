// Powers.
#pragma once

#include "math/kernels/exponential.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

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
  if constexpr (is_single<V>) {
    V result = sleef_pow(x, __builtin_convertvector(n, V));
    auto long_exponent = (n > (1 << 24)) | (n < -(1 << 24));
    if (any(long_exponent))
      result = select(long_exponent, narrow<V>(sleef_pow(widen(x), __builtin_convertvector(n, Doubles<V>))),
                      result);
    return result;
  } else {
    return pow_to_the_end(x, __builtin_convertvector(n, V));
  }
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
