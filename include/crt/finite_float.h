// Formats that have finite numbers alone, as FP4 and FP6: no infinities and no NaN. See cuda_fp4.h,
// cuda_fp6.h.
#ifndef HEDDLE_CRT_FINITE_FLOAT_H
#define HEDDLE_CRT_FINITE_FLOAT_H

namespace heddle_narrow {

// Beyond the largest is the largest; so is NaN, with a positive sign (PTX ISA, "cvt", .satfinite).
template <class F>
HEDDLE_NARROW_ u32 encode_finite(double a, Rounding rounding) {
  const u64 bits = bits_of(a), magnitude = bits & 0x7fffffffffffffffull;
  const bool negative = bits >> 63;
  const u32 largest = F::sign - 1;
  if (magnitude > 0x7ff0000000000000ull) return largest;
  const u64 fraction = magnitude & 0xfffffffffffffull;
  const int field = (int)(magnitude >> 52);
  u32 code = magnitude == 0x7ff0000000000000ull ? largest
                                                : round_to<F>(field ? fraction | 1ull << 52 : fraction,
                                                              (field ? field : 1) - 1075, negative, rounding);
  if (code > largest) code = largest;
  return negative ? code | F::sign : code;
}
template <class F>
HEDDLE_NARROW_ float decode_finite(u32 bits) {
  const u32 magnitude = bits & (F::sign - 1);
  const u32 field = magnitude >> F::mantissa, fraction = magnitude & ((1u << F::mantissa) - 1);
  const float a = field ? float_of((field - 1 + F::exponent_min + 127) << 23 | fraction << (23 - F::mantissa))
                        : (float)fraction * float_of((u32)(F::exponent_min - F::mantissa + 127) << 23);
  return bits & F::sign ? -a : a;
}
HEDDLE_NARROW_ Rounding rounding_of(enum cudaRoundMode mode) {
  return mode == cudaRoundNearest  ? nearest_even
         : mode == cudaRoundZero   ? toward_zero
         : mode == cudaRoundPosInf ? up
                                   : down;
}

}  // namespace heddle_narrow

#endif
