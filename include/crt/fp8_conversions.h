// Conversions to and from FP8, all of them to the nearest, halves to even. See cuda_fp8.h.
#ifndef HEDDLE_CRT_FP8_CONVERSIONS_H
#define HEDDLE_CRT_FP8_CONVERSIONS_H

namespace heddle_narrow {

typedef Format<4, 3> E4m3;
typedef Format<5, 2> E5m2;

HEDDLE_NARROW_ unsigned char encode_fp8(double a, bool saturate, bool e4m3) {
  const u64 bits = bits_of(a), magnitude = bits & 0x7fffffffffffffffull;
  const u32 sign = (u32)(bits >> 63) << 7;
  // The code of infinity or overflow, and of the largest number.
  const u32 beyond = e4m3 ? 0x7f : E5m2::infinity, largest = e4m3 ? 0x7e : E5m2::infinity - 1;
  if (magnitude > 0x7ff0000000000000ull) return 0x7f;  // NaN, whose sign is lost
  if (magnitude == 0x7ff0000000000000ull) return (unsigned char)(sign | (saturate ? largest : beyond));
  const u64 fraction = magnitude & 0xfffffffffffffull;
  const int field = (int)(magnitude >> 52);
  const u64 number = field ? fraction | 1ull << 52 : fraction;
  const int exponent = (field ? field : 1) - 1075;
  u32 code = e4m3 ? round_to<E4m3>(number, exponent, false, nearest_even)
                  : round_to<E5m2>(number, exponent, false, nearest_even);
  if (code > largest) code = saturate ? largest : beyond;
  return (unsigned char)(sign | code);
}

HEDDLE_NARROW_ float decode_fp8(u32 bits, bool e4m3) {
  if (!e4m3) return decode<E5m2>(bits);
  if ((bits & 0x7f) == 0x7f) return float_of(0x7fffffffu);
  const u32 field = bits >> 3 & 15, fraction = bits & 7;
  const float magnitude =
      field ? float_of((field + 120) << 23 | fraction << 20) : (float)fraction * 0.001953125f;
  return bits & 0x80 ? -magnitude : magnitude;
}

}  // namespace heddle_narrow

HEDDLE_NARROW_ __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double x, const __nv_saturation_t saturate,
                                                         const __nv_fp8_interpretation_t fp8_interpretation) {
  return heddle_narrow::encode_fp8(x, saturate == __NV_SATFINITE, fp8_interpretation == __NV_E4M3);
}
HEDDLE_NARROW_ __nv_fp8_storage_t __nv_cvt_float_to_fp8(const float x, const __nv_saturation_t saturate,
                                                        const __nv_fp8_interpretation_t fp8_interpretation) {
  return __nv_cvt_double_to_fp8((double)x, saturate, fp8_interpretation);
}
HEDDLE_NARROW_ __nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(
    const float2 x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t fp8_interpretation) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890 && __CUDA_ARCH__ != 9999
  if (saturate == __NV_SATFINITE) {
    unsigned short both;
    if (fp8_interpretation == __NV_E4M3)
      asm("cvt.rn.satfinite.e4m3x2.f32 %0, %2, %1;" : "=h"(both) : "f"(x.x), "f"(x.y));
    else
      asm("cvt.rn.satfinite.e5m2x2.f32 %0, %2, %1;" : "=h"(both) : "f"(x.x), "f"(x.y));
    return both;
  }
#endif
  return (__nv_fp8x2_storage_t)(__nv_cvt_float_to_fp8(x.x, saturate, fp8_interpretation) |
                                __nv_cvt_float_to_fp8(x.y, saturate, fp8_interpretation) << 8);
}
HEDDLE_NARROW_ __nv_fp8x2_storage_t __nv_cvt_double2_to_fp8x2(
    const double2 x, const __nv_saturation_t saturate, const __nv_fp8_interpretation_t fp8_interpretation) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_fp8(x.x, saturate, fp8_interpretation) |
                                __nv_cvt_double_to_fp8(x.y, saturate, fp8_interpretation) << 8);
}

// From the 16-bit formats.
HEDDLE_NARROW_ __nv_fp8_storage_t
__nv_cvt_halfraw_to_fp8(const __half_raw x, const __nv_saturation_t saturate,
                        const __nv_fp8_interpretation_t fp8_interpretation) {
  return __nv_cvt_float_to_fp8(heddle_narrow::decode<heddle_narrow::Half>(x.x), saturate, fp8_interpretation);
}
HEDDLE_NARROW_ __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_fp8(const __nv_bfloat16_raw x, const __nv_saturation_t saturate,
                            const __nv_fp8_interpretation_t fp8_interpretation) {
  return __nv_cvt_float_to_fp8(heddle_narrow::decode<heddle_narrow::Bfloat>(x.x), saturate,
                               fp8_interpretation);
}
HEDDLE_NARROW_ __nv_fp8x2_storage_t
__nv_cvt_halfraw2_to_fp8x2(const __half2_raw x, const __nv_saturation_t saturate,
                           const __nv_fp8_interpretation_t fp8_interpretation) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_halfraw_to_fp8(__half_raw{x.x}, saturate, fp8_interpretation) |
                                __nv_cvt_halfraw_to_fp8(__half_raw{x.y}, saturate, fp8_interpretation) << 8);
}
HEDDLE_NARROW_ __nv_fp8x2_storage_t
__nv_cvt_bfloat16raw2_to_fp8x2(const __nv_bfloat162_raw x, const __nv_saturation_t saturate,
                               const __nv_fp8_interpretation_t fp8_interpretation) {
  return (
      __nv_fp8x2_storage_t)(__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.x}, saturate,
                                                        fp8_interpretation) |
                            __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw{x.y}, saturate, fp8_interpretation)
                                << 8);
}

// Every FP8 number is a half.
HEDDLE_NARROW_ __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t x,
                                                  const __nv_fp8_interpretation_t fp8_interpretation) {
  const float value = heddle_narrow::decode_fp8(x, fp8_interpretation == __NV_E4M3);
  return __half_raw{
      (unsigned short)heddle_narrow::encode<heddle_narrow::Half>((double)value, heddle_narrow::nearest_even)};
}
HEDDLE_NARROW_ __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t x,
                                                      const __nv_fp8_interpretation_t fp8_interpretation) {
  return __half2_raw{__nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, fp8_interpretation).x,
                     __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), fp8_interpretation).x};
}

#endif
