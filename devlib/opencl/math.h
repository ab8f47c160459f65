// Parts of math functions that no device math function has.
#ifndef HEDDLE_OPENCL_MATH_H
#define HEDDLE_OPENCL_MATH_H

// Rounded to nearest: calls in this library, since devices without such instructions keep them
// (src/frontend/software_floats.h).
PURE __attribute__((noinline)) float __nv_frcp_rn(float a) { return 1.0f / a; }
PURE __attribute__((noinline)) float __nv_fsqrt_rn(float a) { return __builtin_sqrtf(a); }

// fract: "x - floor(x)", but never 1; floor(x) goes to *whole.
#define FRACT(T, F, largest)                                             \
  INLINE T heddle_fract_##T(T x, T* whole) {                             \
    F down = __builtin_elementwise_floor((F)x);                          \
    *whole = (T)down;                                                    \
    if (__builtin_isinf((F)x)) return (T)__builtin_copysign((F)0, (F)x); \
    if (x != x) return x;                                                \
    T rest = (T)((F)x - down);                                           \
    rest = rest > (T)largest ? (T)largest : rest;                        \
    return x == 0 ? x : rest;                                            \
  }
FRACT(half, float, 0x1.ffcp-1f)
FRACT(float, float, 0x1.fffffep-1f)
FRACT(double, double, 0x1.fffffffffffffp-1)

// half_sin, half_cos: what is left of x behind a multiple of pi/2, which four parts make up so that their
// products are exact up to 65536, beyond which OpenCL asks for nothing; polynomials within 2^-11 on it.
INLINE float heddle_half_sine(float x, int turn) {
  float number = __builtin_elementwise_rint(x * 0x1.45f3060000000p-1f);
  float rest = x - number * 0x1.9200000000000p+0f;
  rest = rest - number * 0x1.fa00000000000p-12f;
  rest = rest - number * 0x1.5400000000000p-20f;
  rest = rest - number * 0x1.10b4620000000p-30f;
  float square = rest * rest;
  int quarter = (int)number + turn;
  float sine = rest + rest * square * (-0x1.5555560000000p-3f + square * 0x1.1111120000000p-7f);
  float cosine =
      1.0f + square * (-0.5f + square * (0x1.5555560000000p-5f + square * -0x1.6c16c20000000p-10f));
  float result = (quarter & 1) != 0 ? cosine : sine;
  return (quarter & 2) != 0 ? -result : result;
}

// The sign of gamma(x).
#define GAMMA_SIGN(T)                                                    \
  INLINE int heddle_gamma_sign_##T(T x) {                                \
    T down = __builtin_elementwise_floor(x);                             \
    if (x == 0) return __builtin_signbit(x) ? -1 : 1;                    \
    if (x > 0) return 1;                                                 \
    if (x != x || down == x) return 0;                                   \
    T half_down = down * (T)0.5;                                         \
    return __builtin_elementwise_floor(half_down) == half_down ? 1 : -1; \
  }
GAMMA_SIGN(float)
GAMMA_SIGN(double)

// powr: exp2(y log2(x)), so only of x >= 0, and not a number where pow guesses.
#define POWR(T, pow)                                                                      \
  INLINE T heddle_powr_##T(T x, T y) {                                                    \
    T r = pow(__builtin_elementwise_abs(x), y);                                           \
    int none = x < 0 || x != x || y != y || (y == 0 && (x == 0 || __builtin_isinf(x))) || \
               (x == 1 && __builtin_isinf(y));                                            \
    return none ? (T)__builtin_nanf("") : r;                                              \
  }
POWR(float, __nv_powf)
POWR(double, __nv_pow)

// The n-th root: a power, and for double a Newton step, since 1/n is rounded.
INLINE float heddle_rootn_float(float x, int n) {
  float magnitude = __builtin_fabsf(x);
  float r = (float)__nv_pow((double)magnitude, 1.0 / (double)n);
  if ((n & 1) != 0) return __builtin_copysignf(r, x);
  return n == 0 || x < 0 ? __builtin_nanf("") : r;
}
INLINE double heddle_rootn_double(double x, int n) {
  double magnitude = __builtin_fabs(x);
  double r = __nv_pow(magnitude, 1.0 / (double)n);
  if (n == 1 || n == -1) {
    r = n == 1 ? magnitude : 1.0 / magnitude;
  } else if (r > 0 && !__builtin_isinf(r) && !__builtin_isinf(magnitude) && magnitude > 0) {
    // r^n by x as (r^(n/2) by x) r^(n/2), of which nothing overflows.
    double half_power = __nv_powi(r, n / 2), ratio = half_power / magnitude * half_power;
    if ((n & 1) != 0) ratio = n > 0 ? ratio * r : ratio / r;
    r += r * ((1 - ratio) / (double)n);
  }
  if ((n & 1) != 0) return __builtin_copysign(r, x);
  return n == 0 || x < 0 ? __builtin_nan("") : r;
}

INLINE half heddle_nextafter_half(half x, half y) {
  short a = __builtin_bit_cast(short, x);
  if (x != x || y != y) return x != x ? x : y;
  if (x == y) return y;
  if ((a & 0x7fff) == 0)
    return __builtin_bit_cast(half, (short)((__builtin_bit_cast(short, y) & 0x8000) | 1));
  return __builtin_bit_cast(half, (short)((x < y) == (a >= 0) ? a + 1 : a - 1));
}

#define SMOOTH(T) \
  API T heddle_smooth(T t) { return t * t * ((T)3 - (T)2 * t); }
SMOOTH(half)
SMOOTH(float)
SMOOTH(double)

#define MAD_SAT(T, W, least, most)                                      \
  API T heddle_mad_sat(T a, T b, T c) {                                 \
    W all = (W)a * b + c;                                               \
    return (T)(all<(W)least ? (W)least : all>(W) most ? (W)most : all); \
  }
MAD_SAT(char, int, CHAR_MIN, CHAR_MAX)
MAD_SAT(uchar, uint, 0, UCHAR_MAX)
MAD_SAT(short, int, SHRT_MIN, SHRT_MAX)
MAD_SAT(ushort, ulong, 0, USHRT_MAX)
MAD_SAT(int, long, INT_MIN, INT_MAX)
MAD_SAT(uint, ulong, 0, UINT_MAX)
// The product in 128 bits.
API ulong heddle_mad_sat(ulong a, ulong b, ulong c) {
  if (heddle_mul_hi(a, b) != 0) return ULONG_MAX;
  return __builtin_elementwise_add_sat(a * b, c);
}
API long heddle_mad_sat(long a, long b, long c) {
  long high = heddle_mul_hi(a, b);
  ulong low = (ulong)a * (ulong)b, sum = low + (ulong)c;
  high += (c >> 63) + (sum < low);
  if (high == (long)sum >> 63) return (long)sum;
  return high < 0 ? LONG_MIN : LONG_MAX;
}

#endif
