// What CUDA's headers need from the host before anything else. clang's __clang_cuda_math.h uses INT_MAX, so
// limits.h it is.
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__

#include <limits.h>
#include <stddef.h>

#endif
