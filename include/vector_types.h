// The built-in vector types (CUDA C++ Programming Guide, "Built-in Vector Types"; its table of alignments)
// and dim3. Plain structures, so that C, host C++ and device code agree on them.
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#include "crt/host_defines.h"

#define HEDDLE_VECTOR_1_(name, type) \
  struct name {                      \
    type x;                          \
  };                                 \
  typedef struct name name;
#define HEDDLE_VECTOR_2_(name, type, bytes)     \
  struct __attribute__((aligned(bytes))) name { \
    type x, y;                                  \
  };                                            \
  typedef struct name name;
#define HEDDLE_VECTOR_3_(name, type) \
  struct name {                      \
    type x, y, z;                    \
  };                                 \
  typedef struct name name;
#define HEDDLE_VECTOR_4_(name, type, bytes)     \
  struct __attribute__((aligned(bytes))) name { \
    type x, y, z, w;                            \
  };                                            \
  typedef struct name name;
// Vectors of two or four are aligned to their size, though never beyond the 16 bytes one load can take.
#define HEDDLE_VECTORS_(name, type, align2, align4) \
  HEDDLE_VECTOR_1_(name##1, type)                   \
  HEDDLE_VECTOR_2_(name##2, type, align2)           \
  HEDDLE_VECTOR_3_(name##3, type)                   \
  HEDDLE_VECTOR_4_(name##4, type, align4)

HEDDLE_VECTORS_(char, signed char, 2, 4)
HEDDLE_VECTORS_(uchar, unsigned char, 2, 4)
HEDDLE_VECTORS_(short, short, 4, 8)
HEDDLE_VECTORS_(ushort, unsigned short, 4, 8)
HEDDLE_VECTORS_(int, int, 8, 16)
HEDDLE_VECTORS_(uint, unsigned int, 8, 16)
HEDDLE_VECTORS_(long, long int, 2 * sizeof(long int), 16)
HEDDLE_VECTORS_(ulong, unsigned long int, 2 * sizeof(unsigned long int), 16)
HEDDLE_VECTORS_(longlong, long long int, 16, 16)
HEDDLE_VECTORS_(ulonglong, unsigned long long int, 16, 16)
HEDDLE_VECTORS_(float, float, 8, 16)
HEDDLE_VECTORS_(double, double, 16, 16)

// CUDA 13's names that say the alignment.
#define HEDDLE_ALIGNED_4_(name, type)     \
  HEDDLE_VECTOR_4_(name##4_16a, type, 16) \
  HEDDLE_VECTOR_4_(name##4_32a, type, 32)
HEDDLE_ALIGNED_4_(long, long int)
HEDDLE_ALIGNED_4_(ulong, unsigned long int)
HEDDLE_ALIGNED_4_(longlong, long long int)
HEDDLE_ALIGNED_4_(ulonglong, unsigned long long int)
HEDDLE_ALIGNED_4_(double, double)

#undef HEDDLE_ALIGNED_4_
#undef HEDDLE_VECTORS_
#undef HEDDLE_VECTOR_4_
#undef HEDDLE_VECTOR_3_
#undef HEDDLE_VECTOR_2_
#undef HEDDLE_VECTOR_1_

struct dim3 {
  unsigned int x, y, z;
#if defined(__cplusplus)
#if __cplusplus >= 201103L
  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
#else
  __host__ __device__ dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ operator uint3() const {
    uint3 v = {x, y, z};
    return v;
  }
#endif
#endif
};
typedef struct dim3 dim3;

#endif
