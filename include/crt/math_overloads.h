// The overloads of CUDA's math functions that clang's wrapper leaves out (CUDA Math API, "Integer
// Mathematical Functions", "Single Precision Mathematical Functions"): min() and max() of every pair of
// types, on both sides, and float arguments to functions named without an f.
#ifndef HEDDLE_CRT_MATH_OVERLOADS_H
#define HEDDLE_CRT_MATH_OVERLOADS_H

#define HEDDLE_BOTH_ static __inline__ __host__ __device__ __attribute__((always_inline))
#define HEDDLE_DEVICE_ static __device__ __forceinline__

// Mixed signs compare as unsigned, as C's usual conversions have it.
#define HEDDLE_MIN_MAX_(left, right, type)                                                 \
  HEDDLE_BOTH_ type min(left a, right b) { return (type)a < (type)b ? (type)a : (type)b; } \
  HEDDLE_BOTH_ type max(left a, right b) { return (type)a > (type)b ? (type)a : (type)b; }
HEDDLE_MIN_MAX_(unsigned int, int, unsigned int)
HEDDLE_MIN_MAX_(int, unsigned int, unsigned int)
HEDDLE_MIN_MAX_(unsigned int, unsigned int, unsigned int)
HEDDLE_MIN_MAX_(long, long, long)
HEDDLE_MIN_MAX_(unsigned long, unsigned long, unsigned long)
HEDDLE_MIN_MAX_(long, unsigned long, unsigned long)
HEDDLE_MIN_MAX_(unsigned long, long, unsigned long)
HEDDLE_MIN_MAX_(long long, long long, long long)
HEDDLE_MIN_MAX_(unsigned long long, unsigned long long, unsigned long long)
HEDDLE_MIN_MAX_(long long, unsigned long long, unsigned long long)
HEDDLE_MIN_MAX_(unsigned long long, long long, unsigned long long)
#undef HEDDLE_MIN_MAX_
// clang has the device's min(int, int).
static __inline__ __host__ int min(int a, int b) { return a < b ? a : b; }
static __inline__ __host__ int max(int a, int b) { return a > b ? a : b; }

HEDDLE_BOTH_ float min(float a, float b) { return fminf(a, b); }
HEDDLE_BOTH_ float max(float a, float b) { return fmaxf(a, b); }
HEDDLE_BOTH_ double min(double a, double b) { return fmin(a, b); }
HEDDLE_BOTH_ double max(double a, double b) { return fmax(a, b); }
HEDDLE_BOTH_ double min(float a, double b) { return fmin((double)a, b); }
HEDDLE_BOTH_ double max(float a, double b) { return fmax((double)a, b); }
HEDDLE_BOTH_ double min(double a, float b) { return fmin(a, (double)b); }
HEDDLE_BOTH_ double max(double a, float b) { return fmax(a, (double)b); }

#define HEDDLE_FLOAT_(name) \
  HEDDLE_DEVICE_ float name(float a) { return name##f(a); }
// The wrapper has these for the host alone.
HEDDLE_FLOAT_(rsqrt)
HEDDLE_FLOAT_(rcbrt)
HEDDLE_FLOAT_(sinpi)
HEDDLE_FLOAT_(cospi)
HEDDLE_FLOAT_(erfcinv)
HEDDLE_FLOAT_(normcdfinv)
HEDDLE_FLOAT_(normcdf)
HEDDLE_FLOAT_(erfcx)
HEDDLE_DEVICE_ void sincospi(float a, float* s, float* c) { sincospif(a, s, c); }

HEDDLE_FLOAT_(erfinv)
HEDDLE_FLOAT_(exp10)
HEDDLE_FLOAT_(cyl_bessel_i0)
HEDDLE_FLOAT_(cyl_bessel_i1)
HEDDLE_FLOAT_(j0)
HEDDLE_FLOAT_(j1)
HEDDLE_FLOAT_(y0)
HEDDLE_FLOAT_(y1)
#undef HEDDLE_FLOAT_
HEDDLE_DEVICE_ float jn(int n, float a) { return jnf(n, a); }
HEDDLE_DEVICE_ float yn(int n, float a) { return ynf(n, a); }
HEDDLE_DEVICE_ void sincos(float a, float* s, float* c) { sincosf(a, s, c); }
HEDDLE_DEVICE_ float fdivide(float a, float b) { return fdividef(a, b); }
HEDDLE_DEVICE_ float rhypot(float a, float b) { return rhypotf(a, b); }
static __inline__ __host__ float exp10(float a) { return exp10f(a); }
static __inline__ __host__ float erfinv(float a) { return erfinvf(a); }
static __inline__ __host__ void sincos(float a, float* s, float* c) { sincosf(a, s, c); }

#undef HEDDLE_DEVICE_
#undef HEDDLE_BOTH_

#endif
