// Right versions of functions that clang 19's __clang_cuda_intrinsics.h has wrong; see crt/sm_70_rt.hpp.
#ifndef HEDDLE_CRT_CLANG_CORRECTIONS_H
#define HEDDLE_CRT_CLANG_CORRECTIONS_H

// ---- Reductions over a warp (CUDA C++ Programming Guide, "Warp Reduce Functions"), from compute
// capability 8.0 on

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#pragma pop_macro("__reduce_add_sync")
#pragma pop_macro("__reduce_min_sync")
#pragma pop_macro("__reduce_max_sync")
#pragma pop_macro("__reduce_and_sync")
#pragma pop_macro("__reduce_or_sync")
#pragma pop_macro("__reduce_xor_sync")

#define HEDDLE_REDUCE_(name, type, ptx)                                                          \
  static __device__ __forceinline__                                                              \
      __attribute__((convergent)) type __reduce_##name##_sync(unsigned int mask, type value) {   \
    type result;                                                                                 \
    asm volatile("redux.sync." #name ptx " %0, %1, %2;" : "=r"(result) : "r"(value), "r"(mask)); \
    return result;                                                                               \
  }
HEDDLE_REDUCE_(add, unsigned int, ".u32")
HEDDLE_REDUCE_(add, int, ".s32")
HEDDLE_REDUCE_(min, unsigned int, ".u32")
HEDDLE_REDUCE_(min, int, ".s32")
HEDDLE_REDUCE_(max, unsigned int, ".u32")
HEDDLE_REDUCE_(max, int, ".s32")
HEDDLE_REDUCE_(and, unsigned int, ".b32")
HEDDLE_REDUCE_(or, unsigned int, ".b32")
HEDDLE_REDUCE_(xor, unsigned int, ".b32")
#undef HEDDLE_REDUCE_
#endif

// ---- atomicAdd() of float2 and float4, in global memory, from compute capability 9.0 on (the same guide,
// "atomicAdd()")

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#pragma pop_macro("atomicAdd")
#pragma pop_macro("atomicAdd_block")
#pragma pop_macro("atomicAdd_system")

#define HEDDLE_VECTOR_ADD_(name, scope)                                                              \
  static __device__ __forceinline__ float2 name(float2* address, float2 value) {                     \
    float2 old;                                                                                      \
    asm volatile("atom" scope ".global.add.v2.f32 {%0, %1}, [%2], {%3, %4};"                         \
                 : "=f"(old.x), "=f"(old.y)                                                          \
                 : "l"(__cvta_generic_to_global(address)), "f"(value.x), "f"(value.y)                \
                 : "memory");                                                                        \
    return old;                                                                                      \
  }                                                                                                  \
  static __device__ __forceinline__ float4 name(float4* address, float4 value) {                     \
    float4 old;                                                                                      \
    asm volatile("atom" scope ".global.add.v4.f32 {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"         \
                 : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)                                \
                 : "l"(__cvta_generic_to_global(address)), "f"(value.x), "f"(value.y), "f"(value.z), \
                   "f"(value.w)                                                                      \
                 : "memory");                                                                        \
    return old;                                                                                      \
  }
HEDDLE_VECTOR_ADD_(atomicAdd, ".gpu")
HEDDLE_VECTOR_ADD_(atomicAdd_block, ".cta")
HEDDLE_VECTOR_ADD_(atomicAdd_system, ".sys")
#undef HEDDLE_VECTOR_ADD_
#endif

#endif
