// Half precision: __half, __half2 and their functions (CUDA Math API, "Half Precision Intrinsics"). For C++
// on both sides.
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#define __CUDA_FP16_TYPES_EXIST__

typedef struct __attribute__((aligned(2))) {
  unsigned short x;
} __half_raw;
typedef struct __attribute__((aligned(4))) {
  unsigned short x;
  unsigned short y;
} __half2_raw;

#if defined(__cplusplus)

// Programs count on what NVIDIA's brings along.
#ifndef __CUDACC_RTC__
#include <cstring>
#include <utility>
#endif

#include "crt/narrow_float.h"
#include "vector_functions.h"
#include "vector_types.h"

struct __half;
struct __half2;
struct __nv_bfloat16;

// What differs between half and bfloat16; crt/narrow_float_types.h and crt/narrow_float_functions.h are the
// rest.
#define HEDDLE_SCALAR __half
#define HEDDLE_VECTOR __half2
#define HEDDLE_RAW __half_raw
#define HEDDLE_VECTOR_RAW __half2_raw
#define HEDDLE_FORMAT heddle_narrow::Half
#define HEDDLE_OTHER __nv_bfloat16
#define HEDDLE_PTX "f16"
#define HEDDLE_NATIVE 530
#define HEDDLE_NATIVE_MAX 800
#define HEDDLE_NATIVE_ATOMIC 700
#define HEDDLE_NATIVE_ATOMIC2 600
#define HEDDLE_FUSED_ONLY 0
#define HEDDLE_NATIVE_CONVERSION 200
#define HEDDLE_NATIVE_OTHER_CONVERSION 200  // from doubles, from and to integers
#ifndef __CUDA_NO_HALF_OPERATORS__
#define HEDDLE_OPERATORS
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
#define HEDDLE_VECTOR_OPERATORS
#endif
#ifndef __CUDA_NO_HALF_CONVERSIONS__
#define HEDDLE_CONVERSIONS
#endif

// Names: __half2int_rn, __int2half_rn, __half22float2, __low2half, __half_as_ushort ...
#define HEDDLE_TO(type) __half2##type
#define HEDDLE_FROM(type) __##type##2half
#define HEDDLE_FROM_(type, rounding) __##type##2half_##rounding
#define HEDDLE_TO_(type, rounding) __half2##type##_##rounding
#define HEDDLE_VECTOR_TO_FLOAT2 __half22float2
#define HEDDLE_VECTOR_FROM_FLOAT2 __float22half2_rn
#define HEDDLE_VECTOR_FROM_FLOATS __floats2half2_rn
#define HEDDLE_VECTOR_FROM_FLOAT __float2half2_rn
#define HEDDLE_BROADCAST __half2half2
#define HEDDLE_JOIN __halves2half2
#define HEDDLE_LOWS __lows2half2
#define HEDDLE_HIGHS __highs2half2
#define HEDDLE_LOW __low2half
#define HEDDLE_HIGH __high2half
#define HEDDLE_LOW_TWICE __low2half2
#define HEDDLE_HIGH_TWICE __high2half2
#define HEDDLE_AS(type) __half_as_##type
#define HEDDLE_OF(type) __##type##_as_half
#define HEDDLE_MAKE make_half2

// In this order.
// clang-format off
#include "crt/narrow_float_types.h"
#include "crt/narrow_float_functions.h"
#include "crt/narrow_float_undef.h"
// clang-format on

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)

#endif

#endif
