// The gamma function and its logarithm.
#pragma once

#include "math/kernels/exponential.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

template <class V>
HEDDLE_INLINE V device_lgamma(V x) {
  return in_double([](auto v) { return sleef_lgamma(v); }, x);
}

// gamma(x + 16) / (x (x + 1) ... (x + 15)), which is subnormal where gamma(x + 16) is not yet.
template <class D>
HEDDLE_INLINE D tgamma_of_little(D x) {
  Twice<D> product{x, splat<D>(0)};
  for (int i = 1; i < 16; ++i) {
    D factor = x + splat<D>(i);  // exact: it has no more digits than x
    Twice<D> next = exact_product(product.high, factor);
    product = exact_sum(next.high, fma(product.low, factor, next.low));
  }
  D quotient = sleef_tgamma(x + splat<D>(16)) / product.high;
  return quotient;
}
template <class V>
HEDDLE_INLINE V device_tgamma(V x) {
  if constexpr (is_single<V>) {
    return narrow<V>(sleef_tgamma(widen(x)));
  } else {
    V result = sleef_tgamma(x);
    auto little = (x < splat<V>(-165)) & (x > splat<V>(-186));
    return except(little, result, [&] { return tgamma_of_little(x); });
  }
}

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
