// make_<vector>(): the constructors of the built-in vector types.
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define HEDDLE_MAKE_ static __inline__ __host__ __device__ __attribute__((unused))
#define HEDDLE_MAKE_4_(name, type)                                \
  HEDDLE_MAKE_ name make_##name(type x, type y, type z, type w) { \
    name v;                                                       \
    v.x = x, v.y = y, v.z = z, v.w = w;                           \
    return v;                                                     \
  }
#define HEDDLE_MAKES_(name, type)                               \
  HEDDLE_MAKE_ name##1 make_##name##1(type x) {                 \
    name##1 v;                                                  \
    v.x = x;                                                    \
    return v;                                                   \
  }                                                             \
  HEDDLE_MAKE_ name##2 make_##name##2(type x, type y) {         \
    name##2 v;                                                  \
    v.x = x, v.y = y;                                           \
    return v;                                                   \
  }                                                             \
  HEDDLE_MAKE_ name##3 make_##name##3(type x, type y, type z) { \
    name##3 v;                                                  \
    v.x = x, v.y = y, v.z = z;                                  \
    return v;                                                   \
  }                                                             \
  HEDDLE_MAKE_4_(name##4, type)

HEDDLE_MAKES_(char, signed char)
HEDDLE_MAKES_(uchar, unsigned char)
HEDDLE_MAKES_(short, short)
HEDDLE_MAKES_(ushort, unsigned short)
HEDDLE_MAKES_(int, int)
HEDDLE_MAKES_(uint, unsigned int)
HEDDLE_MAKES_(long, long int)
HEDDLE_MAKES_(ulong, unsigned long int)
HEDDLE_MAKES_(longlong, long long int)
HEDDLE_MAKES_(ulonglong, unsigned long long int)
HEDDLE_MAKES_(float, float)
HEDDLE_MAKES_(double, double)
HEDDLE_MAKE_4_(long4_16a, long int)
HEDDLE_MAKE_4_(long4_32a, long int)
HEDDLE_MAKE_4_(ulong4_16a, unsigned long int)
HEDDLE_MAKE_4_(ulong4_32a, unsigned long int)
HEDDLE_MAKE_4_(longlong4_16a, long long int)
HEDDLE_MAKE_4_(longlong4_32a, long long int)
HEDDLE_MAKE_4_(ulonglong4_16a, unsigned long long int)
HEDDLE_MAKE_4_(ulonglong4_32a, unsigned long long int)
HEDDLE_MAKE_4_(double4_16a, double)
HEDDLE_MAKE_4_(double4_32a, double)

#undef HEDDLE_MAKES_
#undef HEDDLE_MAKE_4_
#undef HEDDLE_MAKE_

#endif
