// FP6: E2M3, up to 7.5, and E3M2, up to 28 (CUDA Math API, "FP6 Intrinsics"; OCP Microscaling Formats
// Specification), without infinities and NaN. For C++ on both sides. Each number lies in the lower six bits
// of a byte, the first of several in the lowest.
#ifndef __CUDA_FP6_H__
#define __CUDA_FP6_H__

#if defined(__cplusplus)

#include "crt/narrow_float.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

#define __CUDA_FP6_TYPES_EXIST__

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned int __nv_fp6x4_storage_t;

typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#include "crt/fp6_conversions.h"
#include "crt/fp6_types.h"

#endif

#endif
