// What compute capability 7.0 brought (CUDA C++ Programming Guide, "Warp Match Functions", "Nanosleep Function").
// clang's __clang_cuda_intrinsics.h includes this file in its middle, behind its own __match32_any_sync() and the like.
#ifndef HEDDLE_CRT_SM_70_RT_HPP
#define HEDDLE_CRT_SM_70_RT_HPP

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#define HEDDLE_MATCH_(type, bits, word)                                                                              \
  static __device__ __forceinline__ unsigned int __match_any_sync(unsigned int mask, type value) {                   \
    word raw;                                                                                                        \
    __builtin_memcpy(&raw, &value, sizeof(type));                                                                    \
    return __match##bits##_any_sync(mask, raw);                                                                      \
  }                                                                                                                  \
  static __device__ __forceinline__ unsigned int __match_all_sync(unsigned int mask, type value, int* pred) {        \
    word raw;                                                                                                        \
    __builtin_memcpy(&raw, &value, sizeof(type));                                                                    \
    return __match##bits##_all_sync(mask, raw, pred);                                                                \
  }
HEDDLE_MATCH_(int, 32, unsigned int)
HEDDLE_MATCH_(unsigned int, 32, unsigned int)
HEDDLE_MATCH_(float, 32, unsigned int)
HEDDLE_MATCH_(long, 64, unsigned long long)
HEDDLE_MATCH_(unsigned long, 64, unsigned long long)
HEDDLE_MATCH_(long long, 64, unsigned long long)
HEDDLE_MATCH_(unsigned long long, 64, unsigned long long)
HEDDLE_MATCH_(double, 64, unsigned long long)
#undef HEDDLE_MATCH_

static __device__ __forceinline__ void __nanosleep(unsigned int ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory"); }

// Next in clang's header come functions that are wrong in version 19: __reduce_*_sync() pass value and mask in each other's place, and
// atomicAdd() of float2 and float4 is assembly that may be thrown away when the result is not used. They get other names;
// crt/clang_corrections.h has right ones and gives the names back.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#pragma push_macro("__reduce_add_sync")
#pragma push_macro("__reduce_min_sync")
#pragma push_macro("__reduce_max_sync")
#pragma push_macro("__reduce_and_sync")
#pragma push_macro("__reduce_or_sync")
#pragma push_macro("__reduce_xor_sync")
#define __reduce_add_sync heddle_replaced__reduce_add_sync
#define __reduce_min_sync heddle_replaced__reduce_min_sync
#define __reduce_max_sync heddle_replaced__reduce_max_sync
#define __reduce_and_sync heddle_replaced__reduce_and_sync
#define __reduce_or_sync heddle_replaced__reduce_or_sync
#define __reduce_xor_sync heddle_replaced__reduce_xor_sync
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#pragma push_macro("atomicAdd")
#pragma push_macro("atomicAdd_block")
#pragma push_macro("atomicAdd_system")
#define atomicAdd heddle_replaced_atomicAdd
#define atomicAdd_block heddle_replaced_atomicAdd_block
#define atomicAdd_system heddle_replaced_atomicAdd_system
#endif

#endif

#endif
