// What the sources of the OpenCL built-in library share. Compiled at build time, linked into programs by
// src/frontend/opencl; functions of vectors that go element by element are made there, from the scalar ones
// here.
#ifndef HEDDLE_OPENCL_H
#define HEDDLE_OPENCL_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT ON

#pragma clang diagnostic ignored "-Wunused-function"
#define API __attribute__((overloadable, always_inline))
#define INLINE static __attribute__((always_inline))
#define PURE __attribute__((const, nothrow))

// The device math functions, which executors have.
#define NV1(name)                   \
  PURE float __nv_##name##f(float); \
  PURE double __nv_##name(double)
#define NV2(name)                          \
  PURE float __nv_##name##f(float, float); \
  PURE double __nv_##name(double, double)
NV1(acos);
NV1(acosh);
NV1(asin);
NV1(asinh);
NV1(atan);
NV1(atanh);
NV1(cbrt);
NV1(cos);
NV1(cosh);
NV1(cospi);
NV1(erf);
NV1(erfc);
NV1(exp);
NV1(exp2);
NV1(exp10);
NV1(expm1);
NV1(lgamma);
NV1(log);
NV1(log2);
NV1(log10);
NV1(log1p);
NV1(logb);
NV1(round);
NV1(rsqrt);
NV1(sin);
NV1(sinh);
NV1(sinpi);
NV1(tan);
NV1(tanh);
NV1(tgamma);
NV2(atan2);
NV2(fdim);
NV2(fmod);
NV2(hypot);
NV2(nextafter);
NV2(pow);
NV2(remainder);
PURE int __nv_ilogbf(float);
PURE int __nv_ilogb(double);
PURE float __nv_ldexpf(float, int);
PURE double __nv_ldexp(double, int);
PURE float __nv_powif(float, int);
PURE double __nv_powi(double, int);
float __nv_frexpf(float, int*);
double __nv_frexp(double, int*);
float __nv_modff(float, float*);
double __nv_modf(double, double*);
float __nv_remquof(float, float, int*);
double __nv_remquo(double, double, int*);

// clang's builtins of these names take numbers of 128 bits in OpenCL C.
#define MUL_HI(T, type)                                                           \
  static __attribute__((overloadable, always_inline)) T heddle_mul_hi(T a, T b) { \
    T high;                                                                       \
    __asm("mul.hi." type " %0, %1, %2;" : "=l"(high) : "l"(a), "l"(b));           \
    return high;                                                                  \
  }
MUL_HI(long, "s64")
MUL_HI(ulong, "u64")

// %envreg<n>: src/frontend/opencl.h, OpenClEnvironment.
#define ENVIRONMENT(n)                                  \
  ({                                                    \
    uint value;                                         \
    __asm("mov.u32 %0, %%envreg" #n ";" : "=r"(value)); \
    value;                                              \
  })

#endif
