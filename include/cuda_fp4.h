// FP4: E2M1 (CUDA Math API, "FP4 Intrinsics"; OCP Microscaling Formats Specification): 0, 0.5, 1, 1.5, 2, 3,
// 4, 6 and their negatives, no infinities and no NaN. For C++ on both sides. The first of two lies in the
// lower half of a byte.
#ifndef __CUDA_FP4_H__
#define __CUDA_FP4_H__

#if defined(__cplusplus)

#include "crt/narrow_float.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "device_types.h"

#define __CUDA_FP4_TYPES_EXIST__

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;

typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#include "crt/fp4.h"

#endif

#endif
