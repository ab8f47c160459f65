// Atomic operations clang 19 has no built-in for: compare-and-swap of 16 bits, and of 128 (CUDA C++
// Programming Guide, "atomicCAS()").
#ifndef HEDDLE_CRT_ATOMIC_WIDE_H
#define HEDDLE_CRT_ATOMIC_WIDE_H

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define HEDDLE_CAS16_(scope, ptx)                                              \
  static __device__ __forceinline__ unsigned short __usAtomicCAS##scope(       \
      unsigned short* address, unsigned short compare, unsigned short value) { \
    unsigned short old;                                                        \
    asm volatile("atom" ptx ".cas.b16 %0, [%1], %2, %3;"                       \
                 : "=h"(old)                                                   \
                 : "l"(address), "h"(compare), "h"(value)                      \
                 : "memory");                                                  \
    return old;                                                                \
  }
HEDDLE_CAS16_(, "")
HEDDLE_CAS16_(_block, ".cta")
HEDDLE_CAS16_(_system, ".sys")
#undef HEDDLE_CAS16_
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
namespace heddle_atomic {
template <bool, class T>
struct If {};
template <class T>
struct If<true, T> {
  typedef T type;
};
// Any trivially copyable type of 16 bytes, aligned to them.
template <class T>
struct Wide : If<sizeof(T) == 16 && alignof(T) >= 16 && __is_trivially_copyable(T), T> {};
struct Pair {
  unsigned long long low, high;
};
template <class T>
static __device__ __forceinline__ Pair pair_of(const T& value) {
  Pair pair;
  __builtin_memcpy(&pair, &value, 16);
  return pair;
}
template <class T>
static __device__ __forceinline__ T value_of(const Pair& pair) {
  T value;
  __builtin_memcpy(&value, &pair, 16);
  return value;
}
}  // namespace heddle_atomic

#define HEDDLE_WIDE_(scope, ptx)                                                                     \
  template <class T>                                                                                 \
  static __device__ __forceinline__                                                                  \
      typename heddle_atomic::Wide<T>::type atomicCAS##scope(T* address, T compare, T value) {       \
    heddle_atomic::Pair old, c = heddle_atomic::pair_of(compare), v = heddle_atomic::pair_of(value); \
    asm volatile("{ .reg .b128 o, c, v; mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6}; atom" ptx        \
                 ".cas.b128 o, [%2], c, v; mov.b128 {%0, %1}, o; }"                                  \
                 : "=l"(old.low), "=l"(old.high)                                                     \
                 : "l"(address), "l"(c.low), "l"(c.high), "l"(v.low), "l"(v.high)                    \
                 : "memory");                                                                        \
    return heddle_atomic::value_of<T>(old);                                                          \
  }                                                                                                  \
  template <class T>                                                                                 \
  static __device__ __forceinline__                                                                  \
      typename heddle_atomic::Wide<T>::type atomicExch##scope(T* address, T value) {                 \
    heddle_atomic::Pair old, v = heddle_atomic::pair_of(value);                                      \
    asm volatile("{ .reg .b128 o, v; mov.b128 v, {%3, %4}; atom" ptx                                 \
                 ".exch.b128 o, [%2], v; mov.b128 {%0, %1}, o; }"                                    \
                 : "=l"(old.low), "=l"(old.high)                                                     \
                 : "l"(address), "l"(v.low), "l"(v.high)                                             \
                 : "memory");                                                                        \
    return heddle_atomic::value_of<T>(old);                                                          \
  }
HEDDLE_WIDE_(, "")
HEDDLE_WIDE_(_block, ".cta")
HEDDLE_WIDE_(_system, ".sys")
#undef HEDDLE_WIDE_
#endif

#endif
