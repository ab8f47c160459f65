// What CUDA's headers need from the host before anything else. clang's __clang_cuda_math.h uses INT_MAX, so
// limits.h it is.
#ifndef HEDDLE_CRT_HOST_CONFIG_H
#define HEDDLE_CRT_HOST_CONFIG_H

#include <limits.h>
#include <stddef.h>

#endif
