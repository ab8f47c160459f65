// The classes of FP6 numbers: one, two and four of them. Converting constructors are explicit and saturate,
// those to wider types are exact; four are read as float4. See cuda_fp6.h.
#ifndef HEDDLE_CRT_FP6_TYPES_H
#define HEDDLE_CRT_FP6_TYPES_H

#include "narrow_class.h"

#define HEDDLE_FP6_(name, kind)                                                           \
  struct name {                                                                           \
    __nv_fp6_storage_t __x;                                                               \
    name() = default;                                                                     \
    explicit __host__ __device__ name(const float a)                                      \
        : __x(__nv_cvt_float_to_fp6(a, kind, cudaRoundNearest)) {}                        \
    explicit __host__ __device__ name(const double a)                                     \
        : __x(__nv_cvt_double_to_fp6(a, kind, cudaRoundNearest)) {}                       \
    explicit __host__ __device__ name(const __half a)                                     \
        : __x(__nv_cvt_halfraw_to_fp6(a, kind, cudaRoundNearest)) {}                      \
    explicit __host__ __device__ name(const __nv_bfloat16 a)                              \
        : __x(__nv_cvt_bfloat16raw_to_fp6(a, kind, cudaRoundNearest)) {}                  \
    HEDDLE_NARROW_INTEGERS_(name)                                                         \
    explicit __host__ __device__ operator float() const {                                 \
      return heddle_narrow::decode_fp6(__x, kind == __NV_E2M3);                           \
    }                                                                                     \
    explicit __host__ __device__ operator double() const { return (double)(float)*this; } \
    explicit __host__ __device__ operator __half() const {                                \
      return __half(__nv_cvt_fp6_to_halfraw(__x, kind));                                  \
    }                                                                                     \
    explicit __host__ __device__ operator __nv_bfloat16() const {                         \
      return __float2bfloat16_rn((float)*this);                                           \
    }                                                                                     \
    explicit __host__ __device__ operator bool() const { return (__x & 0x1f) != 0; }      \
  };

#define HEDDLE_FP6X2_(name, kind)                                             \
  struct __attribute__((aligned(2))) name {                                   \
    __nv_fp6x2_storage_t __x;                                                 \
    name() = default;                                                         \
    explicit __host__ __device__ name(const float2 a)                         \
        : __x(__nv_cvt_float2_to_fp6x2(a, kind, cudaRoundNearest)) {}         \
    explicit __host__ __device__ name(const double2 a)                        \
        : __x(__nv_cvt_double2_to_fp6x2(a, kind, cudaRoundNearest)) {}        \
    explicit __host__ __device__ name(const __half2 a)                        \
        : __x(__nv_cvt_halfraw2_to_fp6x2(a, kind, cudaRoundNearest)) {}       \
    explicit __host__ __device__ name(const __nv_bfloat162 a)                 \
        : __x(__nv_cvt_bfloat16raw2_to_fp6x2(a, kind, cudaRoundNearest)) {}   \
    explicit __host__ __device__ operator __half2() const {                   \
      return __half2(__nv_cvt_fp6x2_to_halfraw2(__x, kind));                  \
    }                                                                         \
    explicit __host__ __device__ operator float2() const {                    \
      return float2{heddle_narrow::decode_fp6(__x & 0xff, kind == __NV_E2M3), \
                    heddle_narrow::decode_fp6(__x >> 8, kind == __NV_E2M3)};  \
    }                                                                         \
  };

HEDDLE_FP6_(__nv_fp6_e3m2, __NV_E3M2)
HEDDLE_FP6_(__nv_fp6_e2m3, __NV_E2M3)
HEDDLE_FP6X2_(__nv_fp6x2_e3m2, __NV_E3M2)
HEDDLE_FP6X2_(__nv_fp6x2_e2m3, __NV_E2M3)
HEDDLE_NARROW_X4_(__nv_fp6x4_e3m2, __nv_fp6x2_e3m2, __nv_fp6x4_storage_t)
HEDDLE_NARROW_X4_(__nv_fp6x4_e2m3, __nv_fp6x2_e2m3, __nv_fp6x4_storage_t)

#undef HEDDLE_FP6X2_
#undef HEDDLE_FP6_

#endif
