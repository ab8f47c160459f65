// What CUDA declares without being asked and clang's wrapper lacks; included once, behind all of the wrapper.
#ifndef HEDDLE_CRT_WRAPPER_END_H
#define HEDDLE_CRT_WRAPPER_END_H

// clang's wrapper leaves it without a value; programs say `#if __CUDACC__`.
#undef __CUDACC__
#define __CUDACC__ 1

// By this name a program knows clang's CUDA mode (CUTLASS then leaves out what is for Blackwell); NVIDIA's
// compilers have no such name.
#if defined(__NVCC__) || defined(__CUDACC_RTC__)
#undef __CUDA__
#endif
#ifndef __CUDA_ARCH_HAS_FEATURE__
#define __CUDA_ARCH_HAS_FEATURE__(feature) __CUDA_ARCH_FEAT_##feature
#endif

// GCC's own headers (omp.h) name the function that frees what another returns. clang 19 has the attribute
// without arguments only.
#define __malloc__(...)

// Programs rely on these being there without asking, as with NVIDIA's compiler.
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <new>
#include <utility>

#include "../surface_functions.h"
#include "../surface_indirect_functions.h"
#include "builtin_math.h"
#include "cache_operators.h"
#include "clang_corrections.h"
#include "device_throws.h"
#include "dpx.h"
#include "fast_math_end.h"
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __all
#undef __any
#undef __ballot
#include "math_overloads.h"
#include "warp_votes.h"

// Over atomicAdd, whose name clang_corrections.h gives back.
#include "atomic_builtins.h"

// Bytes in the other order.
static __inline__ __host__ __device__ unsigned short __nv_bswap16(unsigned short a) {
  return __builtin_bswap16(a);
}
static __inline__ __host__ __device__ unsigned int __nv_bswap32(unsigned int a) {
  return __builtin_bswap32(a);
}
static __inline__ __host__ __device__ unsigned long long __nv_bswap64(unsigned long long a) {
  return __builtin_bswap64(a);
}

// Hints (CUDA C++ Programming Guide, "Compiler Optimization Hint Functions").
#define __nv_assume __builtin_assume

// What a closure was written as (CUDA C++ Programming Guide, "Extended Lambda Type Traits"). nvcc's own clang
// answers for the two marks (src/frontend/lambda_traits.cpp), another one says no. Host code may always ask
// for the type that a closure returns.
#if defined(__CUDACC_EXTENDED_LAMBDA__) && __cplusplus >= 201103L
struct heddle_device_lambda;
struct heddle_host_device_lambda;
template <class Closure>
struct heddle_closure {
  static constexpr bool of_device = __is_same(Closure, heddle_device_lambda);
  static constexpr bool of_both = __is_same(Closure, heddle_host_device_lambda);
};
#define __nv_is_extended_device_lambda_closure_type(...) (::heddle_closure<__VA_ARGS__>::of_device)
#define __nv_is_extended_host_device_lambda_closure_type(...) (::heddle_closure<__VA_ARGS__>::of_both)
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) \
  (::heddle_closure<__VA_ARGS__>::of_device)
#else
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#endif

#endif
