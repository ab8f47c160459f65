// bfloat16: __nv_bfloat16, __nv_bfloat162 and their functions (CUDA Math API, "Bfloat16 Precision
// Intrinsics"). For C++ on both sides.
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#define __CUDA_BF16_TYPES_EXIST__

typedef struct __attribute__((aligned(2))) {
  unsigned short x;
} __nv_bfloat16_raw;
typedef struct __attribute__((aligned(4))) {
  unsigned short x;
  unsigned short y;
} __nv_bfloat162_raw;

#if defined(__cplusplus)

#include "cuda_fp16.h"

struct __nv_bfloat16;
struct __nv_bfloat162;

// What differs from half; crt/narrow_float_types.h and crt/narrow_float_functions.h are the rest. Compute
// capability 8.x has only fma.
#define HEDDLE_SCALAR __nv_bfloat16
#define HEDDLE_VECTOR __nv_bfloat162
#define HEDDLE_RAW __nv_bfloat16_raw
#define HEDDLE_VECTOR_RAW __nv_bfloat162_raw
#define HEDDLE_FORMAT heddle_narrow::Bfloat
#define HEDDLE_OTHER __half
#define HEDDLE_PTX "bf16"
#define HEDDLE_NATIVE 800
#define HEDDLE_NATIVE_MAX 800
#define HEDDLE_NATIVE_ATOMIC 900
#define HEDDLE_NATIVE_ATOMIC2 900
#define HEDDLE_FUSED_ONLY 1
#define HEDDLE_NATIVE_CONVERSION 800
#define HEDDLE_NATIVE_OTHER_CONVERSION 900  // from doubles, from and to integers
#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
#define HEDDLE_OPERATORS
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
#define HEDDLE_VECTOR_OPERATORS
#endif
#ifndef __CUDA_NO_BFLOAT16_CONVERSIONS__
#define HEDDLE_CONVERSIONS
#endif

#define HEDDLE_TO(type) __bfloat162##type
#define HEDDLE_FROM(type) __##type##2bfloat16
#define HEDDLE_FROM_(type, rounding) __##type##2bfloat16_##rounding
#define HEDDLE_TO_(type, rounding) __bfloat162##type##_##rounding
#define HEDDLE_VECTOR_TO_FLOAT2 __bfloat1622float2
#define HEDDLE_VECTOR_FROM_FLOAT2 __float22bfloat162_rn
#define HEDDLE_VECTOR_FROM_FLOATS __floats2bfloat162_rn
#define HEDDLE_VECTOR_FROM_FLOAT __float2bfloat162_rn
#define HEDDLE_BROADCAST __bfloat162bfloat162
#define HEDDLE_JOIN __halves2bfloat162
#define HEDDLE_LOWS __lows2bfloat162
#define HEDDLE_HIGHS __highs2bfloat162
#define HEDDLE_LOW __low2bfloat16
#define HEDDLE_HIGH __high2bfloat16
#define HEDDLE_LOW_TWICE __low2bfloat162
#define HEDDLE_HIGH_TWICE __high2bfloat162
#define HEDDLE_AS(type) __bfloat16_as_##type
#define HEDDLE_OF(type) __##type##_as_bfloat16
#define HEDDLE_MAKE make_bfloat162

// In this order.
// clang-format off
#include "crt/narrow_float_types.h"
#include "crt/narrow_float_functions.h"
#include "crt/narrow_float_undef.h"
// clang-format on

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// From one narrow format to the other, through float, which holds both.
__inline__ __host__ __device__ __half::__half(const __nv_bfloat16 a) { *this = __half(__bfloat162float(a)); }
__inline__ __host__ __device__ __nv_bfloat16::__nv_bfloat16(const __half a) {
  *this = __nv_bfloat16(__half2float(a));
}

#define CUDART_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define CUDART_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define CUDART_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)

#endif

#endif
