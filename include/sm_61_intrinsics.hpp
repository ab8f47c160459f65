// Dot products of bytes (CUDA Math API, "Integer Intrinsics"): dp4a and dp2a, from compute capability 6.1 on.
#ifndef HEDDLE_SM_61_INTRINSICS_HPP
#define HEDDLE_SM_61_INTRINSICS_HPP

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#define HEDDLE_DOT_(name, instruction, type)                                                          \
  static __device__ __forceinline__ type name(type a, type b, type c) {                               \
    type d;                                                                                           \
    asm(instruction " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));                           \
    return d;                                                                                         \
  }
#define HEDDLE_DOT_VECTOR_(name, type, left, right)                                                   \
  static __device__ __forceinline__ type name(left a, right b, type c) {                              \
    type x, y;                                                                                        \
    __builtin_memcpy(&x, &a, 4);                                                                      \
    __builtin_memcpy(&y, &b, 4);                                                                      \
    return name(x, y, c);                                                                             \
  }
HEDDLE_DOT_(__dp4a, "dp4a.s32.s32", int)
HEDDLE_DOT_(__dp4a, "dp4a.u32.u32", unsigned int)
HEDDLE_DOT_(__dp2a_lo, "dp2a.lo.s32.s32", int)
HEDDLE_DOT_(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int)
HEDDLE_DOT_(__dp2a_hi, "dp2a.hi.s32.s32", int)
HEDDLE_DOT_(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int)
HEDDLE_DOT_VECTOR_(__dp4a, int, char4, char4)
HEDDLE_DOT_VECTOR_(__dp4a, unsigned int, uchar4, uchar4)
HEDDLE_DOT_VECTOR_(__dp2a_lo, int, short2, char4)
HEDDLE_DOT_VECTOR_(__dp2a_lo, unsigned int, ushort2, uchar4)
HEDDLE_DOT_VECTOR_(__dp2a_hi, int, short2, char4)
HEDDLE_DOT_VECTOR_(__dp2a_hi, unsigned int, ushort2, uchar4)
#undef HEDDLE_DOT_VECTOR_
#undef HEDDLE_DOT_

#endif

#endif
