// Complex numbers in C and C++, on both sides: a float2 or double2, real part first.
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "vector_functions.h"
#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HEDDLE_COMPLEX_ static __inline__ __host__ __device__ __attribute__((unused))

// One precision: `f` is what its names end in.
#define HEDDLE_COMPLEX_OF_(complex, real, f, make, root, absolute)                               \
  HEDDLE_COMPLEX_ real cuCreal##f(complex x) { return x.x; }                                     \
  HEDDLE_COMPLEX_ real cuCimag##f(complex x) { return x.y; }                                     \
  HEDDLE_COMPLEX_ complex cuConj##f(complex x) { return make(x.x, -x.y); }                       \
  HEDDLE_COMPLEX_ complex cuCadd##f(complex x, complex y) { return make(x.x + y.x, x.y + y.y); } \
  HEDDLE_COMPLEX_ complex cuCsub##f(complex x, complex y) { return make(x.x - y.x, x.y - y.y); } \
  HEDDLE_COMPLEX_ complex cuCmul##f(complex x, complex y) {                                      \
    return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                   \
  }                                                                                              \
  /* Scaled by the divisor's size, so that its square neither overflows nor vanishes. */         \
  HEDDLE_COMPLEX_ complex cuCdiv##f(complex x, complex y) {                                      \
    real s = absolute(y.x) + absolute(y.y), inverse = (real)1 / s;                               \
    real a = x.x * inverse, b = x.y * inverse, c = y.x * inverse, d = y.y * inverse;             \
    real over = (real)1 / (c * c + d * d);                                                       \
    return make((a * c + b * d) * over, (b * c - a * d) * over);                                 \
  }                                                                                              \
  /* The larger part comes out of the root. */                                                   \
  HEDDLE_COMPLEX_ real cuCabs##f(complex x) {                                                    \
    real a = absolute(x.x), b = absolute(x.y), large = a > b ? a : b, small = a > b ? b : a, t;  \
    if (large == (real)0 || large - large != (real)0) return large + small;                      \
    t = small / large;                                                                           \
    return large * root((real)1 + t * t);                                                        \
  }                                                                                              \
  HEDDLE_COMPLEX_ complex cuCfma##f(complex x, complex y, complex d) {                           \
    real re = x.x * y.x + d.x, im = x.x * y.y + d.y;                                             \
    return make(re - x.y * y.y, x.y * y.x + im);                                                 \
  }

HEDDLE_COMPLEX_ cuFloatComplex make_cuFloatComplex(float r, float i) { return make_float2(r, i); }
HEDDLE_COMPLEX_ cuDoubleComplex make_cuDoubleComplex(double r, double i) { return make_double2(r, i); }
HEDDLE_COMPLEX_ cuComplex make_cuComplex(float x, float y) { return make_float2(x, y); }
HEDDLE_COMPLEX_OF_(cuFloatComplex, float, f, make_cuFloatComplex, sqrtf, fabsf)
HEDDLE_COMPLEX_OF_(cuDoubleComplex, double, , make_cuDoubleComplex, sqrt, fabs)

HEDDLE_COMPLEX_ cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) {
  return make_cuDoubleComplex((double)c.x, (double)c.y);
}
HEDDLE_COMPLEX_ cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) {
  return make_cuFloatComplex((float)c.x, (float)c.y);
}

#undef HEDDLE_COMPLEX_OF_
#undef HEDDLE_COMPLEX_

#endif
