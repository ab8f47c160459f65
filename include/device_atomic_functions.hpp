// The atomic functions (CUDA C++ Programming Guide, "Atomic Functions"), over the operations of clang's CUDA wrapper.
// Every function exists for the device, as _block and as _system; those scopes, like 64-bit floating point, begin with 6.0, and programs
// for older devices define their own atomicAdd(double*, double) under exactly that condition.
#ifndef HEDDLE_DEVICE_ATOMIC_FUNCTIONS_HPP
#define HEDDLE_DEVICE_ATOMIC_FUNCTIONS_HPP

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#include "crt/atomic_wide.h"

#define HEDDLE_ATOMIC_ static __device__ __forceinline__

#define HEDDLE_ATOMIC_SCOPE_(name, scope, type, function) \
  HEDDLE_ATOMIC_ type atomic##name##scope(type* address, type value) { return function##scope(address, value); }
#define HEDDLE_CAS_SCOPE_(scope, type, function)                                            \
  HEDDLE_ATOMIC_ type atomicCAS##scope(type* address, type compare, type value) {           \
    return function##scope(address, compare, value);                                        \
  }
#define HEDDLE_SUB_SCOPE_(scope, type, function) \
  HEDDLE_ATOMIC_ type atomicSub##scope(type* address, type value) { return function##scope(address, 0u - value); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define HEDDLE_SCOPES_(macro, name, type, function) \
  macro(name, , type, function) macro(name, _block, type, function) macro(name, _system, type, function)
#define HEDDLE_CAS_(type, function) \
  HEDDLE_CAS_SCOPE_(, type, function) HEDDLE_CAS_SCOPE_(_block, type, function) HEDDLE_CAS_SCOPE_(_system, type, function)
#define HEDDLE_SUB_(type, function) \
  HEDDLE_SUB_SCOPE_(, type, function) HEDDLE_SUB_SCOPE_(_block, type, function) HEDDLE_SUB_SCOPE_(_system, type, function)
#else
#define HEDDLE_SCOPES_(macro, name, type, function) macro(name, , type, function)
#define HEDDLE_CAS_(type, function) HEDDLE_CAS_SCOPE_(, type, function)
#define HEDDLE_SUB_(type, function) HEDDLE_SUB_SCOPE_(, type, function)
#endif
#define HEDDLE_ATOMIC_OF_(name, type, function) HEDDLE_SCOPES_(HEDDLE_ATOMIC_SCOPE_, name, type, function)

HEDDLE_ATOMIC_OF_(Add, int, __iAtomicAdd)
HEDDLE_ATOMIC_OF_(Add, unsigned int, __uAtomicAdd)
HEDDLE_ATOMIC_OF_(Add, unsigned long long, __ullAtomicAdd)
HEDDLE_ATOMIC_OF_(Add, float, __fAtomicAdd)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
HEDDLE_ATOMIC_OF_(Add, double, __dAtomicAdd)
#endif
HEDDLE_SUB_(int, __iAtomicAdd)
HEDDLE_SUB_(unsigned int, __uAtomicAdd)
HEDDLE_ATOMIC_OF_(Exch, int, __iAtomicExch)
HEDDLE_ATOMIC_OF_(Exch, unsigned int, __uAtomicExch)
HEDDLE_ATOMIC_OF_(Exch, unsigned long long, __ullAtomicExch)
HEDDLE_ATOMIC_OF_(Exch, float, __fAtomicExch)
HEDDLE_ATOMIC_OF_(Min, int, __iAtomicMin)
HEDDLE_ATOMIC_OF_(Min, unsigned int, __uAtomicMin)
HEDDLE_ATOMIC_OF_(Max, int, __iAtomicMax)
HEDDLE_ATOMIC_OF_(Max, unsigned int, __uAtomicMax)
HEDDLE_ATOMIC_OF_(Inc, unsigned int, __uAtomicInc)
HEDDLE_ATOMIC_OF_(Dec, unsigned int, __uAtomicDec)
HEDDLE_ATOMIC_OF_(And, int, __iAtomicAnd)
HEDDLE_ATOMIC_OF_(And, unsigned int, __uAtomicAnd)
HEDDLE_ATOMIC_OF_(Or, int, __iAtomicOr)
HEDDLE_ATOMIC_OF_(Or, unsigned int, __uAtomicOr)
HEDDLE_ATOMIC_OF_(Xor, int, __iAtomicXor)
HEDDLE_ATOMIC_OF_(Xor, unsigned int, __uAtomicXor)
HEDDLE_CAS_(int, __iAtomicCAS)
HEDDLE_CAS_(unsigned int, __uAtomicCAS)
HEDDLE_CAS_(unsigned long long, __ullAtomicCAS)
// 64 bits wide beyond add, exchange and CAS: from 3.2 on.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
HEDDLE_ATOMIC_OF_(Min, long long, __illAtomicMin)
HEDDLE_ATOMIC_OF_(Min, unsigned long long, __ullAtomicMin)
HEDDLE_ATOMIC_OF_(Max, long long, __illAtomicMax)
HEDDLE_ATOMIC_OF_(Max, unsigned long long, __ullAtomicMax)
HEDDLE_ATOMIC_OF_(And, long long, __llAtomicAnd)
HEDDLE_ATOMIC_OF_(And, unsigned long long, __ullAtomicAnd)
HEDDLE_ATOMIC_OF_(Or, long long, __llAtomicOr)
HEDDLE_ATOMIC_OF_(Or, unsigned long long, __ullAtomicOr)
HEDDLE_ATOMIC_OF_(Xor, long long, __llAtomicXor)
HEDDLE_ATOMIC_OF_(Xor, unsigned long long, __ullAtomicXor)
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
HEDDLE_CAS_(unsigned short, __usAtomicCAS)
#endif

#undef HEDDLE_ATOMIC_OF_
#undef HEDDLE_SUB_
#undef HEDDLE_CAS_
#undef HEDDLE_SCOPES_
#undef HEDDLE_SUB_SCOPE_
#undef HEDDLE_CAS_SCOPE_
#undef HEDDLE_ATOMIC_SCOPE_
#undef HEDDLE_ATOMIC_

#endif

#endif
