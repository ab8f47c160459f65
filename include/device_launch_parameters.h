// threadIdx and its kin. In CUDA mode the compiler has declared them already; for a host compiler (and an
// editor) they are plain declarations.
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#if !defined(__HEDDLE_CUDA__) && defined(__cplusplus)
extern const uint3 threadIdx;
extern const uint3 blockIdx;
extern const dim3 blockDim;
extern const dim3 gridDim;
extern const int warpSize;
#endif

#endif
