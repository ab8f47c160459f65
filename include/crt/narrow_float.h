// Floating point formats of 16 and 8 bits, in software: what a host compiler needs always, and device code
// where PTX has no instruction. Used by cuda_fp16.h, cuda_bf16.h and cuda_fp8.h.
#ifndef HEDDLE_CRT_NARROW_FLOAT_H
#define HEDDLE_CRT_NARROW_FLOAT_H

#ifndef __CUDACC_RTC__  // there the functions are, and headers of these names are the program's own
#include <math.h>
#endif

#include "host_defines.h"

#define HEDDLE_NARROW_ static __inline__ __host__ __device__ __attribute__((unused))

namespace heddle_narrow {

typedef unsigned int u32;
typedef unsigned long long u64;

template <class A, class B, class T>
struct IfSame {};
template <class A, class T>
struct IfSame<A, A, T> {
  typedef T type;
};

enum Rounding { nearest_even, toward_zero, up, down };

// IEEE 754's layout with so many exponent and mantissa bits.
template <int exponent_bits, int mantissa_bits>
struct Format {
  static const int mantissa = mantissa_bits;
  static const int exponent_min = 2 - (1 << (exponent_bits - 1));
  static const u32 infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  static const u32 sign = 1u << (exponent_bits + mantissa_bits);
};
typedef Format<5, 10> Half;
typedef Format<8, 7> Bfloat;

HEDDLE_NARROW_ u32 bits_of(float a) {
  u32 bits;
  __builtin_memcpy(&bits, &a, 4);
  return bits;
}
HEDDLE_NARROW_ u64 bits_of(double a) {
  u64 bits;
  __builtin_memcpy(&bits, &a, 8);
  return bits;
}
HEDDLE_NARROW_ float float_of(u32 bits) {
  float a;
  __builtin_memcpy(&a, &bits, 4);
  return a;
}

// The encoding of +-number * 2^exponent, without sign and without regard to overflow: what is above the
// format's largest number comes out as a larger code, so that each format can decide for itself.
template <class F>
HEDDLE_NARROW_ u32 round_to(u64 number, int exponent, bool negative, Rounding rounding) {
  if (number == 0) return 0;
  int top = 63 - __builtin_clzll(number) + exponent;  // of the leading one
  int last = (top > F::exponent_min ? top : F::exponent_min) - F::mantissa;
  int dropped = last - exponent;
  u64 kept;
  bool half = false, rest = false;
  if (dropped <= 0) {
    kept = number << -dropped;
  } else if (dropped > 64) {
    kept = 0;
    rest = true;
  } else {
    kept = dropped == 64 ? 0 : number >> dropped;
    u64 bit = 1ull << (dropped - 1);
    half = (number & bit) != 0;
    rest = (number & (bit - 1)) != 0;
  }
  bool more = rounding == nearest_even ? half && (rest || (kept & 1))
              : rounding == up         ? !negative && (half || rest)
              : rounding == down       ? negative && (half || rest)
                                       : false;
  // `kept` has the hidden one, so a normal number's exponent field is one more than this adds; a carry runs
  // into it by itself.
  u32 above = top > F::exponent_min ? (u32)(top - F::exponent_min) : 0;
  if (above > 4096) above = 4096;
  return (above << F::mantissa) + (u32)(kept + more);
}

template <class F>
HEDDLE_NARROW_ u32 encode(u64 number, int exponent, bool negative, Rounding rounding) {
  u32 code = round_to<F>(number, exponent, negative, rounding);
  if (code >= F::infinity) {
    bool to_infinity =
        rounding == nearest_even || (rounding == up && !negative) || (rounding == down && negative);
    code = to_infinity ? F::infinity : F::infinity - 1;
  }
  return negative ? code | F::sign : code;
}

// Any NaN becomes the canonical one, 0x7fff, as the instruction cvt makes it.
template <class F>
HEDDLE_NARROW_ u32 encode(double a, Rounding rounding) {
  u64 bits = bits_of(a), magnitude = bits & 0x7fffffffffffffffull;
  bool negative = bits >> 63;
  if (magnitude > 0x7ff0000000000000ull) return F::sign - 1;
  if (magnitude == 0x7ff0000000000000ull) return negative ? F::sign | F::infinity : F::infinity;
  u64 fraction = magnitude & 0xfffffffffffffull;
  int field = (int)(magnitude >> 52);
  return encode<F>(field ? fraction | 1ull << 52 : fraction, (field ? field : 1) - 1075, negative, rounding);
}
template <class F>
HEDDLE_NARROW_ u32 encode_signed(long long a, Rounding rounding) {
  return encode<F>(a < 0 ? 0ull - (u64)a : (u64)a, 0, a < 0, rounding);
}
template <class F>
HEDDLE_NARROW_ u32 encode_unsigned(u64 a, Rounding rounding) {
  return encode<F>(a, 0, false, rounding);
}

template <class F>
HEDDLE_NARROW_ u32 encode_float(float a, Rounding rounding) {
  return encode<F>((double)a, rounding);
}
// A bfloat16 is the upper half of a float, so to the nearest is an addition.
template <>
__inline__ __host__ __device__ u32 encode_float<Bfloat>(float a, Rounding rounding) {
  if (rounding != nearest_even || a != a) return encode<Bfloat>((double)a, rounding);
  u32 bits = bits_of(a);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

HEDDLE_NARROW_ float saturated(float a) { return a > 1.0f ? 1.0f : a > 0.0f ? a : 0.0f; }  // NaN becomes 0

template <class F>
HEDDLE_NARROW_ float decode(u32 bits) {
  u32 magnitude = bits & (F::sign - 1), sign = bits & F::sign ? 0x80000000u : 0;
  if (magnitude >= F::infinity) return float_of(magnitude > F::infinity ? 0x7fffffffu : sign | 0x7f800000u);
  u32 field = magnitude >> F::mantissa, fraction = magnitude & ((1u << F::mantissa) - 1);
  if (field == 0) {
    // fraction is exact in a float, and so is the power of two for every format with fewer exponent bits than
    // float's.
    float scaled = (float)fraction * float_of((u32)(F::exponent_min - F::mantissa + 127) << 23);
    return sign ? -scaled : scaled;
  }
  return float_of(sign | (field - 1 + F::exponent_min + 127) << 23 | fraction << (23 - F::mantissa));
}
// The same exponents as a float's: its upper half.
template <>
__inline__ __host__ __device__ float decode<Bfloat>(u32 bits) {
  return float_of(bits << 16);
}

// a * b + c with one rounding. Both factors' significands together fit a double; the sum is rounded to odd,
// so that rounding it again to a narrow format is exact (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums", 2008).
HEDDLE_NARROW_ double fused_to_odd(double a, double b, double c) {
  double product = a * b, sum = product + c;
  double part = sum - product;
  double error = (product - (sum - part)) + (c - part);
  u64 bits = bits_of(sum);
  if (error != 0.0 && error - error == 0.0 && !(bits & 1)) {
    bits = (error > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
    __builtin_memcpy(&sum, &bits, 8);
  }
  return sum;
}

// To an integer, saturating; NaN becomes zero, or the sign bit alone at 64 bits (CUDA Math API, "Half
// Precision Conversion and Data Movement").
template <class Integer>
HEDDLE_NARROW_ Integer to_integer(float a, Rounding rounding) {
  const bool is_signed = (Integer)-1 < (Integer)0;
  const Integer lowest = is_signed ? (Integer)((u64)1 << (8 * sizeof(Integer) - 1)) : (Integer)0;
  const Integer highest = (Integer)~lowest;
  if (a != a) return sizeof(Integer) == 8 ? (Integer)(1ull << 63) : (Integer)0;
  float whole = rounding == nearest_even ? rintf(a)
                : rounding == up         ? ceilf(a)
                : rounding == down       ? floorf(a)
                                         : truncf(a);
  // The bounds are powers of two, so exact as floats; the highest number itself may not be.
  if (whole >= (is_signed ? -(float)lowest : 2.0f * (float)(1ull << (8 * sizeof(Integer) - 1))))
    return highest;
  if (whole <= (float)lowest) return lowest;
  return (Integer)whole;
}

}  // namespace heddle_narrow

#endif
