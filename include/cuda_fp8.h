// FP8: E5M2, E4M3 and the scales E8M0 (CUDA Math API, "FP8 Intrinsics"; OCP 8-bit Floating Point
// Specification, OCP Microscaling Formats Specification). For C++ on both sides. E5M2 is a half without its
// lower byte. E4M3 has no infinities: all exponent bits set are numbers, up to 448, and 0x7f is its NaN.
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#if defined(__cplusplus)

#include "crt/narrow_float.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

#define __CUDA_FP8_TYPES_EXIST__

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;

// What becomes of numbers beyond the largest: infinity (or NaN), or the largest.
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#include "crt/fp8_conversions.h"
#include "crt/fp8_scales.h"
#include "crt/fp8_types.h"

#endif

#endif
