// Conversions to and from E2M1, and its classes of one, two and four numbers. See cuda_fp4.h.
#ifndef HEDDLE_CRT_FP4_H
#define HEDDLE_CRT_FP4_H

#include "finite_float.h"

namespace heddle_narrow {

typedef Format<2, 1> E2m1;

}  // namespace heddle_narrow

HEDDLE_NARROW_ __nv_fp4_storage_t __nv_cvt_double_to_fp4(const double x, const __nv_fp4_interpretation_t,
                                                         const enum cudaRoundMode rounding) {
  return (__nv_fp4_storage_t)heddle_narrow::encode_finite<heddle_narrow::E2m1>(
      x, heddle_narrow::rounding_of(rounding));
}
HEDDLE_NARROW_ __nv_fp4_storage_t __nv_cvt_float_to_fp4(const float x, const __nv_fp4_interpretation_t kind,
                                                        const enum cudaRoundMode rounding) {
  return __nv_cvt_double_to_fp4((double)x, kind, rounding);
}
HEDDLE_NARROW_ __nv_fp4x2_storage_t __nv_cvt_double2_to_fp4x2(const double2 x,
                                                              const __nv_fp4_interpretation_t kind,
                                                              const enum cudaRoundMode rounding) {
  return (__nv_fp4x2_storage_t)(__nv_cvt_double_to_fp4(x.x, kind, rounding) |
                                __nv_cvt_double_to_fp4(x.y, kind, rounding) << 4);
}
HEDDLE_NARROW_ __nv_fp4x2_storage_t __nv_cvt_float2_to_fp4x2(const float2 x,
                                                             const __nv_fp4_interpretation_t kind,
                                                             const enum cudaRoundMode rounding) {
  return (__nv_fp4x2_storage_t)(__nv_cvt_float_to_fp4(x.x, kind, rounding) |
                                __nv_cvt_float_to_fp4(x.y, kind, rounding) << 4);
}

// From and to the 16-bit formats. Every FP4 number is a half.
HEDDLE_NARROW_ __nv_fp4_storage_t __nv_cvt_halfraw_to_fp4(const __half_raw x,
                                                          const __nv_fp4_interpretation_t kind,
                                                          const enum cudaRoundMode rounding) {
  return __nv_cvt_float_to_fp4(heddle_narrow::decode<heddle_narrow::Half>(x.x), kind, rounding);
}
HEDDLE_NARROW_ __nv_fp4x2_storage_t __nv_cvt_halfraw2_to_fp4x2(const __half2_raw x,
                                                               const __nv_fp4_interpretation_t kind,
                                                               const enum cudaRoundMode rounding) {
  return (__nv_fp4x2_storage_t)(__nv_cvt_halfraw_to_fp4(__half_raw{x.x}, kind, rounding) |
                                __nv_cvt_halfraw_to_fp4(__half_raw{x.y}, kind, rounding) << 4);
}
HEDDLE_NARROW_ __nv_fp4_storage_t __nv_cvt_bfloat16raw_to_fp4(const __nv_bfloat16_raw x,
                                                              const __nv_fp4_interpretation_t kind,
                                                              const enum cudaRoundMode rounding) {
  return __nv_cvt_float_to_fp4(heddle_narrow::decode<heddle_narrow::Bfloat>(x.x), kind, rounding);
}
HEDDLE_NARROW_ __nv_fp4x2_storage_t __nv_cvt_bfloat16raw2_to_fp4x2(const __nv_bfloat162_raw x,
                                                                   const __nv_fp4_interpretation_t kind,
                                                                   const enum cudaRoundMode rounding) {
  return (__nv_fp4x2_storage_t)(__nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw{x.x}, kind, rounding) |
                                __nv_cvt_bfloat16raw_to_fp4(__nv_bfloat16_raw{x.y}, kind, rounding) << 4);
}
HEDDLE_NARROW_ __half_raw __nv_cvt_fp4_to_halfraw(const __nv_fp4_storage_t x,
                                                  const __nv_fp4_interpretation_t) {
  return __half_raw{(unsigned short)heddle_narrow::encode<heddle_narrow::Half>(
      (double)heddle_narrow::decode_finite<heddle_narrow::E2m1>(x), heddle_narrow::nearest_even)};
}
HEDDLE_NARROW_ __half2_raw __nv_cvt_fp4x2_to_halfraw2(const __nv_fp4x2_storage_t x,
                                                      const __nv_fp4_interpretation_t kind) {
  return __half2_raw{__nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x & 15), kind).x,
                     __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x >> 4), kind).x};
}

struct __nv_fp4_e2m1 {
  __nv_fp4_storage_t __x;
  __nv_fp4_e2m1() = default;
  explicit __host__ __device__ __nv_fp4_e2m1(const double a)
      : __x(__nv_cvt_double_to_fp4(a, __NV_E2M1, cudaRoundNearest)) {}
  explicit __host__ __device__ __nv_fp4_e2m1(const float a) : __nv_fp4_e2m1((double)a) {}
  explicit __host__ __device__ __nv_fp4_e2m1(const __half a)
      : __x(__nv_cvt_halfraw_to_fp4(a, __NV_E2M1, cudaRoundNearest)) {}
  explicit __host__ __device__ __nv_fp4_e2m1(const __nv_bfloat16 a)
      : __x(__nv_cvt_bfloat16raw_to_fp4(a, __NV_E2M1, cudaRoundNearest)) {}
#define HEDDLE_FP4_INTEGER_(type)                                                        \
  explicit __host__ __device__ __nv_fp4_e2m1(const type a) : __nv_fp4_e2m1((double)a) {} \
  explicit __host__ __device__ operator type() const {                                   \
    return heddle_narrow::to_integer<type>((float)*this, heddle_narrow::toward_zero);    \
  }
  HEDDLE_FP4_INTEGER_(short)
  HEDDLE_FP4_INTEGER_(unsigned short)
  HEDDLE_FP4_INTEGER_(int)
  HEDDLE_FP4_INTEGER_(unsigned int)
  HEDDLE_FP4_INTEGER_(long)
  HEDDLE_FP4_INTEGER_(unsigned long)
  HEDDLE_FP4_INTEGER_(long long)
  HEDDLE_FP4_INTEGER_(unsigned long long)
#undef HEDDLE_FP4_INTEGER_
  explicit __host__ __device__ operator float() const {
    return heddle_narrow::decode_finite<heddle_narrow::E2m1>(__x);
  }
  explicit __host__ __device__ operator double() const { return (double)(float)*this; }
  explicit __host__ __device__ operator __half() const {
    return __half(__nv_cvt_fp4_to_halfraw(__x, __NV_E2M1));
  }
  explicit __host__ __device__ operator __nv_bfloat16() const { return __float2bfloat16_rn((float)*this); }
  explicit __host__ __device__ operator bool() const { return (__x & 7) != 0; }
};

struct __nv_fp4x2_e2m1 {
  __nv_fp4x2_storage_t __x;
  __nv_fp4x2_e2m1() = default;
  explicit __host__ __device__ __nv_fp4x2_e2m1(const float2 a)
      : __x(__nv_cvt_float2_to_fp4x2(a, __NV_E2M1, cudaRoundNearest)) {}
  explicit __host__ __device__ __nv_fp4x2_e2m1(const double2 a)
      : __x(__nv_cvt_double2_to_fp4x2(a, __NV_E2M1, cudaRoundNearest)) {}
  explicit __host__ __device__ __nv_fp4x2_e2m1(const __half2 a)
      : __x(__nv_cvt_halfraw2_to_fp4x2(a, __NV_E2M1, cudaRoundNearest)) {}
  explicit __host__ __device__ __nv_fp4x2_e2m1(const __nv_bfloat162 a)
      : __x(__nv_cvt_bfloat16raw2_to_fp4x2(a, __NV_E2M1, cudaRoundNearest)) {}
  explicit __host__ __device__ operator __half2() const {
    return __half2(__nv_cvt_fp4x2_to_halfraw2(__x, __NV_E2M1));
  }
  explicit __host__ __device__ operator float2() const {
    return float2{heddle_narrow::decode_finite<heddle_narrow::E2m1>(__x & 15),
                  heddle_narrow::decode_finite<heddle_narrow::E2m1>(__x >> 4)};
  }
};

struct __attribute__((aligned(2))) __nv_fp4x4_e2m1 {
  __nv_fp4x4_storage_t __x;
  __nv_fp4x4_e2m1() = default;
  explicit __host__ __device__ __nv_fp4x4_e2m1(const float4 a)
      : __x((__nv_fp4x4_storage_t)(__nv_fp4x2_e2m1(float2{a.x, a.y}).__x |
                                   __nv_fp4x2_e2m1(float2{a.z, a.w}).__x << 8)) {}
  explicit __host__ __device__ __nv_fp4x4_e2m1(const double4 a)
      : __x((__nv_fp4x4_storage_t)(__nv_fp4x2_e2m1(double2{a.x, a.y}).__x |
                                   __nv_fp4x2_e2m1(double2{a.z, a.w}).__x << 8)) {}
  explicit __host__ __device__ __nv_fp4x4_e2m1(const __half2 low, const __half2 high)
      : __x((__nv_fp4x4_storage_t)(__nv_fp4x2_e2m1(low).__x | __nv_fp4x2_e2m1(high).__x << 8)) {}
  explicit __host__ __device__ __nv_fp4x4_e2m1(const __nv_bfloat162 low, const __nv_bfloat162 high)
      : __x((__nv_fp4x4_storage_t)(__nv_fp4x2_e2m1(low).__x | __nv_fp4x2_e2m1(high).__x << 8)) {}
  explicit __host__ __device__ operator float4() const {
    return float4{heddle_narrow::decode_finite<heddle_narrow::E2m1>(__x & 15),
                  heddle_narrow::decode_finite<heddle_narrow::E2m1>(__x >> 4 & 15),
                  heddle_narrow::decode_finite<heddle_narrow::E2m1>(__x >> 8 & 15),
                  heddle_narrow::decode_finite<heddle_narrow::E2m1>(__x >> 12)};
  }
};

#endif
