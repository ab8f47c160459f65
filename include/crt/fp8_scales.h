// E8M0: a byte that is the exponent of a power of two, 2^-127 to 2^127, by which blocks of narrow numbers are
// scaled; 0xff is its NaN. There is no zero and no sign: conversions take the magnitude. See cuda_fp8.h.
#ifndef HEDDLE_CRT_FP8_SCALES_H
#define HEDDLE_CRT_FP8_SCALES_H

#include "narrow_class.h"

namespace heddle_narrow {

// 2^(bits - 127), where `bits` may be too large for the format.
HEDDLE_NARROW_ unsigned char scale_code(int bits, bool saturate) {
  return (unsigned char)(bits < 0 ? 0 : bits <= 0xfe ? bits : saturate ? 0xfe : 0xff);
}
HEDDLE_NARROW_ unsigned char encode_scale(double a, bool saturate, bool round_up) {
  const u64 magnitude = bits_of(a) & 0x7fffffffffffffffull;
  if (magnitude > 0x7ff0000000000000ull) return 0xff;
  if (magnitude == 0x7ff0000000000000ull) return scale_code(0xff, saturate);
  const int exponent = (int)(magnitude >> 52) - 1023;
  // Above the largest power towards zero is that power.
  if (!round_up) return scale_code(exponent > 127 ? 0xfe : exponent + 127, saturate);
  return scale_code(exponent + 127 + ((magnitude & 0xfffffffffffffull) != 0), saturate);
}
// An integer may have more bits than a double.
HEDDLE_NARROW_ unsigned char encode_scale(u64 magnitude) {
  if (magnitude == 0) return 0;
  return (unsigned char)(127 + 63 - __builtin_clzll(magnitude) + ((magnitude & (magnitude - 1)) != 0));
}
HEDDLE_NARROW_ unsigned char encode_scale(long long a) {
  return encode_scale(a < 0 ? 0ull - (u64)a : (u64)a);
}
HEDDLE_NARROW_ unsigned short decode_scale(u32 bits) {  // as a bfloat16
  return (unsigned short)(bits == 0xff ? 0x7fff : bits == 0 ? 0x0040 : bits << 7);
}

}  // namespace heddle_narrow

// Rounding is cudaRoundZero or cudaRoundPosInf; others are taken for the former.
HEDDLE_NARROW_ __nv_fp8_storage_t __nv_cvt_double_to_e8m0(const double x, const __nv_saturation_t saturate,
                                                          const enum cudaRoundMode rounding) {
  return heddle_narrow::encode_scale(x, saturate == __NV_SATFINITE, rounding == cudaRoundPosInf);
}
HEDDLE_NARROW_ __nv_fp8_storage_t __nv_cvt_float_to_e8m0(const float x, const __nv_saturation_t saturate,
                                                         const enum cudaRoundMode rounding) {
  return __nv_cvt_double_to_e8m0((double)x, saturate, rounding);
}
HEDDLE_NARROW_ __nv_fp8_storage_t __nv_cvt_bfloat16raw_to_e8m0(const __nv_bfloat16_raw x,
                                                               const __nv_saturation_t saturate,
                                                               const enum cudaRoundMode rounding) {
  return __nv_cvt_float_to_e8m0(heddle_narrow::decode<heddle_narrow::Bfloat>(x.x), saturate, rounding);
}
HEDDLE_NARROW_ __nv_fp8x2_storage_t __nv_cvt_double2_to_e8m0x2(const double2 x,
                                                               const __nv_saturation_t saturate,
                                                               const enum cudaRoundMode rounding) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_double_to_e8m0(x.x, saturate, rounding) |
                                __nv_cvt_double_to_e8m0(x.y, saturate, rounding) << 8);
}
HEDDLE_NARROW_ __nv_fp8x2_storage_t __nv_cvt_float2_to_e8m0x2(const float2 x,
                                                              const __nv_saturation_t saturate,
                                                              const enum cudaRoundMode rounding) {
  return __nv_cvt_double2_to_e8m0x2(double2{(double)x.x, (double)x.y}, saturate, rounding);
}
HEDDLE_NARROW_ __nv_fp8x2_storage_t __nv_cvt_bfloat162raw_to_e8m0x2(const __nv_bfloat162_raw x,
                                                                    const __nv_saturation_t saturate,
                                                                    const enum cudaRoundMode rounding) {
  return (__nv_fp8x2_storage_t)(__nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw{x.x}, saturate, rounding) |
                                __nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw{x.y}, saturate, rounding)
                                    << 8);
}
HEDDLE_NARROW_ __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(const __nv_fp8_storage_t x) {
  return __nv_bfloat16_raw{heddle_narrow::decode_scale(x)};
}
HEDDLE_NARROW_ __nv_bfloat162_raw __nv_cvt_e8m0x2_to_bf162raw(const __nv_fp8x2_storage_t x) {
  return __nv_bfloat162_raw{heddle_narrow::decode_scale(x & 0xff), heddle_narrow::decode_scale(x >> 8)};
}

// Constructors round up and saturate.
struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  explicit __host__ __device__ __nv_fp8_e8m0(const float a)
      : __x(__nv_cvt_float_to_e8m0(a, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8_e8m0(const double a)
      : __x(__nv_cvt_double_to_e8m0(a, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8_e8m0(const __half a) : __nv_fp8_e8m0((float)a) {}
  explicit __host__ __device__ __nv_fp8_e8m0(const __nv_bfloat16 a) : __nv_fp8_e8m0((float)a) {}
#define HEDDLE_FP8_SCALE_FROM_(type, wide) \
  explicit __host__ __device__ __nv_fp8_e8m0(const type a) : __x(heddle_narrow::encode_scale((wide)a)) {}
  HEDDLE_FP8_SCALE_FROM_(short, long long)
  HEDDLE_FP8_SCALE_FROM_(int, long long)
  HEDDLE_FP8_SCALE_FROM_(long, long long)
  HEDDLE_FP8_SCALE_FROM_(long long, long long)
  HEDDLE_FP8_SCALE_FROM_(unsigned short, heddle_narrow::u64)
  HEDDLE_FP8_SCALE_FROM_(unsigned int, heddle_narrow::u64)
  HEDDLE_FP8_SCALE_FROM_(unsigned long, heddle_narrow::u64)
  HEDDLE_FP8_SCALE_FROM_(unsigned long long, heddle_narrow::u64)
#undef HEDDLE_FP8_SCALE_FROM_
  HEDDLE_NARROW_TO_INTEGERS_
  explicit __host__ __device__ operator float() const {
    return heddle_narrow::decode<heddle_narrow::Bfloat>(heddle_narrow::decode_scale(__x));
  }
  explicit __host__ __device__ operator double() const { return (double)(float)*this; }
  explicit __host__ __device__ operator __half() const { return __float2half_rn((float)*this); }
  explicit __host__ __device__ operator __nv_bfloat16() const {
    return __nv_bfloat16(__nv_cvt_e8m0_to_bf16raw(__x));
  }
  explicit __host__ __device__ operator bool() const { return true; }
};

struct __attribute__((aligned(2))) __nv_fp8x2_e8m0 {
  __nv_fp8x2_storage_t __x;
  __nv_fp8x2_e8m0() = default;
  explicit __host__ __device__ __nv_fp8x2_e8m0(const double2 a)
      : __x(__nv_cvt_double2_to_e8m0x2(a, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8x2_e8m0(const float2 a)
      : __x(__nv_cvt_float2_to_e8m0x2(a, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ __nv_fp8x2_e8m0(const __half2 a) : __nv_fp8x2_e8m0(__half22float2(a)) {}
  explicit __host__ __device__ __nv_fp8x2_e8m0(const __nv_bfloat162 a)
      : __x(__nv_cvt_bfloat162raw_to_e8m0x2(a, __NV_SATFINITE, cudaRoundPosInf)) {}
  explicit __host__ __device__ operator float2() const {
    return float2{(float)half_of(__x & 0xff), (float)half_of(__x >> 8)};
  }
  explicit __host__ __device__ operator __half2() const { return __float22half2_rn((float2) * this); }
  explicit __host__ __device__ operator __nv_bfloat162() const {
    return __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(__x));
  }

 private:
  static __host__ __device__ __nv_fp8_e8m0 half_of(unsigned int bits) {
    __nv_fp8_e8m0 one;
    one.__x = (__nv_fp8_storage_t)bits;
    return one;
  }
};
HEDDLE_NARROW_X4_(__nv_fp8x4_e8m0, __nv_fp8x2_e8m0, __nv_fp8x4_storage_t)

#endif
