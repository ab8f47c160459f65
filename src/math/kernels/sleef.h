// SLEEF's functions for the level's vectors. Its deterministic variants: `finz` with fused operations, one
// set of bits for all of AVX-512, AVX2 and scalars; `cinz` without, for hosts that have none.
#pragma once

#include "math/kernels/vector.h"

namespace heddle::math::HEDDLE_MATH_LEVEL {

// One overload of a function: of one lane, of more.
#define HEDDLE_SLEEF_ONE(T, symbol)                                                           \
  extern "C" T symbol(T);                                                                     \
  struct symbol##_of {                                                                        \
    HEDDLE_INLINE Vec<T, 1> operator()(Vec<T, 1> x) const { return Vec<T, 1>(symbol(x[0])); } \
  };
#define HEDDLE_SLEEF_MANY(T, N, symbol)                                         \
  extern "C" Vec<T, N> symbol(Vec<T, N>);                                       \
  struct symbol##_of {                                                          \
    HEDDLE_INLINE Vec<T, N> operator()(Vec<T, N> x) const { return symbol(x); } \
  };
#define HEDDLE_SLEEF_ONE_2(T, symbol)                                    \
  extern "C" T symbol(T, T);                                             \
  struct symbol##_of {                                                   \
    HEDDLE_INLINE Vec<T, 1> operator()(Vec<T, 1> x, Vec<T, 1> y) const { \
      return Vec<T, 1>(symbol(x[0], y[0]));                              \
    }                                                                    \
  };
#define HEDDLE_SLEEF_MANY_2(T, N, symbol)                                                       \
  extern "C" Vec<T, N> symbol(Vec<T, N>, Vec<T, N>);                                            \
  struct symbol##_of {                                                                          \
    HEDDLE_INLINE Vec<T, N> operator()(Vec<T, N> x, Vec<T, N> y) const { return symbol(x, y); } \
  };

#define HEDDLE_SLEEF_SCALARS(A, name, ulp, set, variant)              \
  HEDDLE_SLEEF_ONE##A(float, Sleef_##set##_##name##f1_##ulp##variant) \
      HEDDLE_SLEEF_ONE##A(double, Sleef_##set##_##name##d1_##ulp##variant)
#define HEDDLE_SLEEF_VECTORS(A, name, ulp, set, variant, F, D)                \
  HEDDLE_SLEEF_MANY##A(float, F, Sleef_##set##_##name##f##F##_##ulp##variant) \
      HEDDLE_SLEEF_MANY##A(double, D, Sleef_##set##_##name##d##D##_##ulp##variant)
#define HEDDLE_SLEEF_SCALARS_OF(name, ulp, set, variant) \
  Sleef_##set##_##name##f1_##ulp##variant##_of, Sleef_##set##_##name##d1_##ulp##variant##_of
#define HEDDLE_SLEEF_VECTORS_OF(name, ulp, set, variant, F, D) \
  Sleef_##set##_##name##f##F##_##ulp##variant##_of, Sleef_##set##_##name##d##D##_##ulp##variant##_of

template <class... Ones>
struct Overloads : Ones... {
  using Ones::operator()...;
};

#if defined(HEDDLE_MATH_AVX512)
#define HEDDLE_SLEEF_FUNCTION(A, name, ulp)                                            \
  HEDDLE_SLEEF_SCALARS(A, name, ulp, finz, purecfma)                                   \
  HEDDLE_SLEEF_VECTORS(A, name, ulp, finz, avx512f, 16, 8)                             \
  inline constexpr Overloads<HEDDLE_SLEEF_SCALARS_OF(name, ulp, finz, purecfma),       \
                             HEDDLE_SLEEF_VECTORS_OF(name, ulp, finz, avx512f, 16, 8)> \
      all_of_##name;
#elif defined(HEDDLE_MATH_FMA)
#define HEDDLE_SLEEF_FUNCTION(A, name, ulp)                                           \
  HEDDLE_SLEEF_SCALARS(A, name, ulp, finz, purecfma)                                  \
  HEDDLE_SLEEF_VECTORS(A, name, ulp, finz, avx2128, 4, 2)                             \
  HEDDLE_SLEEF_VECTORS(A, name, ulp, finz, avx2, 8, 4)                                \
  inline constexpr Overloads<HEDDLE_SLEEF_SCALARS_OF(name, ulp, finz, purecfma),      \
                             HEDDLE_SLEEF_VECTORS_OF(name, ulp, finz, avx2128, 4, 2), \
                             HEDDLE_SLEEF_VECTORS_OF(name, ulp, finz, avx2, 8, 4)>    \
      all_of_##name;
#else
#define HEDDLE_SLEEF_FUNCTION(A, name, ulp)                                        \
  HEDDLE_SLEEF_SCALARS(A, name, ulp, cinz, purec)                                  \
  HEDDLE_SLEEF_VECTORS(A, name, ulp, cinz, sse2, 4, 2)                             \
  inline constexpr Overloads<HEDDLE_SLEEF_SCALARS_OF(name, ulp, cinz, purec),      \
                             HEDDLE_SLEEF_VECTORS_OF(name, ulp, cinz, sse2, 4, 2)> \
      all_of_##name;
#endif

#define HEDDLE_SLEEF(name, ulp)        \
  HEDDLE_SLEEF_FUNCTION(, name, ulp)   \
  template <class V>                   \
  HEDDLE_INLINE V sleef_##name(V x) {  \
    return by_parts(all_of_##name, x); \
  }
#define HEDDLE_SLEEF_2(name, ulp)          \
  HEDDLE_SLEEF_FUNCTION(_2, name, ulp)     \
  template <class V>                       \
  HEDDLE_INLINE V sleef_##name(V x, V y) { \
    return by_parts(all_of_##name, x, y);  \
  }

HEDDLE_SLEEF(sin, u10)
HEDDLE_SLEEF(cos, u10)
HEDDLE_SLEEF(tan, u10)
HEDDLE_SLEEF(sinpi, u05)
HEDDLE_SLEEF(cospi, u05)
HEDDLE_SLEEF(asin, u10)
HEDDLE_SLEEF(acos, u10)
HEDDLE_SLEEF(atan, u10)
HEDDLE_SLEEF_2(atan2, u10)
HEDDLE_SLEEF(exp, u10)
HEDDLE_SLEEF(exp2, u10)
HEDDLE_SLEEF(exp10, u10)
HEDDLE_SLEEF(expm1, u10)
HEDDLE_SLEEF(log, u10)
HEDDLE_SLEEF(log2, u10)
HEDDLE_SLEEF(log10, u10)
HEDDLE_SLEEF(log1p, u10)
HEDDLE_SLEEF_2(pow, u10)
HEDDLE_SLEEF(sinh, u10)
HEDDLE_SLEEF(cosh, u10)
HEDDLE_SLEEF(tanh, u10)
HEDDLE_SLEEF(asinh, u10)
HEDDLE_SLEEF(acosh, u10)
HEDDLE_SLEEF(atanh, u10)
HEDDLE_SLEEF(cbrt, u10)
HEDDLE_SLEEF(erf, u10)
HEDDLE_SLEEF(erfc, u15)
HEDDLE_SLEEF(lgamma, u10)
HEDDLE_SLEEF(tgamma, u10)

#undef HEDDLE_SLEEF
#undef HEDDLE_SLEEF_2

}  // namespace heddle::math::HEDDLE_MATH_LEVEL
