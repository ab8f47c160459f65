// Matrices that a warp multiplies together: nvcuda::wmma (CUDA C++ Programming Guide, "Warp Matrix
// Functions").
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#if defined(__cplusplus) && defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#include "crt/wmma_fragments.h"
#include "crt/wmma_instructions.h"
#endif

#endif

#endif
