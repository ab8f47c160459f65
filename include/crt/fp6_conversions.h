// Conversions to and from E2M3 and E3M2. See cuda_fp6.h.
#ifndef HEDDLE_CRT_FP6_CONVERSIONS_H
#define HEDDLE_CRT_FP6_CONVERSIONS_H

#include "finite_float.h"

namespace heddle_narrow {

typedef Format<2, 3> E2m3;
typedef Format<3, 2> E3m2;

HEDDLE_NARROW_ float decode_fp6(u32 bits, bool e2m3) {
  return e2m3 ? decode_finite<E2m3>(bits) : decode_finite<E3m2>(bits);
}

}  // namespace heddle_narrow

HEDDLE_NARROW_ __nv_fp6_storage_t __nv_cvt_double_to_fp6(const double x, const __nv_fp6_interpretation_t kind,
                                                         const enum cudaRoundMode rounding) {
  const heddle_narrow::Rounding how = heddle_narrow::rounding_of(rounding);
  return (__nv_fp6_storage_t)(kind == __NV_E2M3 ? heddle_narrow::encode_finite<heddle_narrow::E2m3>(x, how)
                                                : heddle_narrow::encode_finite<heddle_narrow::E3m2>(x, how));
}
HEDDLE_NARROW_ __nv_fp6_storage_t __nv_cvt_float_to_fp6(const float x, const __nv_fp6_interpretation_t kind,
                                                        const enum cudaRoundMode rounding) {
  return __nv_cvt_double_to_fp6((double)x, kind, rounding);
}
HEDDLE_NARROW_ __nv_fp6x2_storage_t __nv_cvt_double2_to_fp6x2(const double2 x,
                                                              const __nv_fp6_interpretation_t kind,
                                                              const enum cudaRoundMode rounding) {
  return (__nv_fp6x2_storage_t)(__nv_cvt_double_to_fp6(x.x, kind, rounding) |
                                __nv_cvt_double_to_fp6(x.y, kind, rounding) << 8);
}
HEDDLE_NARROW_ __nv_fp6x2_storage_t __nv_cvt_float2_to_fp6x2(const float2 x,
                                                             const __nv_fp6_interpretation_t kind,
                                                             const enum cudaRoundMode rounding) {
  return (__nv_fp6x2_storage_t)(__nv_cvt_float_to_fp6(x.x, kind, rounding) |
                                __nv_cvt_float_to_fp6(x.y, kind, rounding) << 8);
}

// From and to the 16-bit formats. Every FP6 number is a half.
HEDDLE_NARROW_ __nv_fp6_storage_t __nv_cvt_halfraw_to_fp6(const __half_raw x,
                                                          const __nv_fp6_interpretation_t kind,
                                                          const enum cudaRoundMode rounding) {
  return __nv_cvt_float_to_fp6(heddle_narrow::decode<heddle_narrow::Half>(x.x), kind, rounding);
}
HEDDLE_NARROW_ __nv_fp6x2_storage_t __nv_cvt_halfraw2_to_fp6x2(const __half2_raw x,
                                                               const __nv_fp6_interpretation_t kind,
                                                               const enum cudaRoundMode rounding) {
  return (__nv_fp6x2_storage_t)(__nv_cvt_halfraw_to_fp6(__half_raw{x.x}, kind, rounding) |
                                __nv_cvt_halfraw_to_fp6(__half_raw{x.y}, kind, rounding) << 8);
}
HEDDLE_NARROW_ __nv_fp6_storage_t __nv_cvt_bfloat16raw_to_fp6(const __nv_bfloat16_raw x,
                                                              const __nv_fp6_interpretation_t kind,
                                                              const enum cudaRoundMode rounding) {
  return __nv_cvt_float_to_fp6(heddle_narrow::decode<heddle_narrow::Bfloat>(x.x), kind, rounding);
}
HEDDLE_NARROW_ __nv_fp6x2_storage_t __nv_cvt_bfloat16raw2_to_fp6x2(const __nv_bfloat162_raw x,
                                                                   const __nv_fp6_interpretation_t kind,
                                                                   const enum cudaRoundMode rounding) {
  return (__nv_fp6x2_storage_t)(__nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw{x.x}, kind, rounding) |
                                __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw{x.y}, kind, rounding) << 8);
}
HEDDLE_NARROW_ __half_raw __nv_cvt_fp6_to_halfraw(const __nv_fp6_storage_t x,
                                                  const __nv_fp6_interpretation_t kind) {
  return __half_raw{(unsigned short)heddle_narrow::encode<heddle_narrow::Half>(
      (double)heddle_narrow::decode_fp6(x, kind == __NV_E2M3), heddle_narrow::nearest_even)};
}
HEDDLE_NARROW_ __half2_raw __nv_cvt_fp6x2_to_halfraw2(const __nv_fp6x2_storage_t x,
                                                      const __nv_fp6_interpretation_t kind) {
  return __half2_raw{__nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)x, kind).x,
                     __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x >> 8), kind).x};
}

#endif
