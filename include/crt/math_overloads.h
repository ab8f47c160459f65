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

// It declares these, so that the host's constexpr functions of the same names stay the host's, and leaves
// their definitions to CUDA.
HEDDLE_FLOAT_(acosh)
HEDDLE_FLOAT_(asinh)
HEDDLE_FLOAT_(atanh)
HEDDLE_FLOAT_(cbrt)
HEDDLE_FLOAT_(erf)
HEDDLE_FLOAT_(erfc)
HEDDLE_FLOAT_(exp2)
HEDDLE_FLOAT_(expm1)
HEDDLE_FLOAT_(lgamma)
HEDDLE_FLOAT_(log1p)
HEDDLE_FLOAT_(log2)
HEDDLE_FLOAT_(logb)
HEDDLE_FLOAT_(nearbyint)
HEDDLE_FLOAT_(rint)
HEDDLE_FLOAT_(round)
HEDDLE_FLOAT_(tgamma)
HEDDLE_FLOAT_(trunc)
#define HEDDLE_FLOATS_(name) \
  HEDDLE_DEVICE_ float name(float a, float b) { return name##f(a, b); }
HEDDLE_FLOATS_(copysign)
HEDDLE_FLOATS_(fdim)
HEDDLE_FLOATS_(fmax)
HEDDLE_FLOATS_(fmin)
HEDDLE_FLOATS_(hypot)
HEDDLE_FLOATS_(nextafter)
HEDDLE_FLOATS_(remainder)
#undef HEDDLE_FLOATS_
HEDDLE_DEVICE_ float fma(float a, float b, float c) { return fmaf(a, b, c); }
HEDDLE_DEVICE_ float remquo(float a, float b, int* quotient) { return remquof(a, b, quotient); }
HEDDLE_DEVICE_ float scalbn(float a, int n) { return scalbnf(a, n); }
HEDDLE_DEVICE_ float scalbln(float a, long n) { return scalblnf(a, n); }
HEDDLE_DEVICE_ int ilogb(float a) { return ilogbf(a); }
HEDDLE_DEVICE_ long lrint(float a) { return lrintf(a); }
HEDDLE_DEVICE_ long lround(float a) { return lroundf(a); }
HEDDLE_DEVICE_ long long llrint(float a) { return llrintf(a); }
HEDDLE_DEVICE_ long long llround(float a) { return llroundf(a); }

// The tag is a number as C writes them, the payload of the NaN; what is none is 0 (C17 7.12.11.2, 7.22.1.3).
HEDDLE_DEVICE_ unsigned long long __heddle_nan_payload(const char* tag) {
  unsigned base = 10;
  if (*tag == '0') base = 8, ++tag;
  if (base == 8 && (*tag == 'x' || *tag == 'X')) base = 16, ++tag;
  unsigned long long value = 0;
  for (; *tag != 0; ++tag) {
    const unsigned letter = (unsigned char)*tag | 0x20u;
    const unsigned digit = *tag <= '9' ? (unsigned)(*tag - '0') : letter - 'a' + 10;
    if (digit >= base) return 0;
    value = value * base + digit;
  }
  return value;
}
HEDDLE_DEVICE_ double nan(const char* tag) {
  return __longlong_as_double(
      (long long)(0x7ff8000000000000ull | (__heddle_nan_payload(tag) & 0x7ffffffffffffull)));
}
HEDDLE_DEVICE_ float nanf(const char* tag) {
  return __int_as_float((int)(0x7fc00000u | (__heddle_nan_payload(tag) & 0x3fffffu)));
}

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
