// atomicAdd() of float2 and float4, in global memory, from compute capability 9.0 on (CUDA C++ Programming
// Guide, "atomicAdd()").
#ifndef HEDDLE_CRT_VECTOR_ATOMICS_H
#define HEDDLE_CRT_VECTOR_ATOMICS_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// See crt/sm_70_rt.hpp.
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
