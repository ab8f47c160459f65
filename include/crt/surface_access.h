// Surface loads and stores, for objects and references alike: suld.b and sust.b, which move bytes and leave
// formats alone (PTX ISA, "Surface Instructions"). The element's size alone picks the instruction; x counts
// bytes.
#ifndef HEDDLE_CRT_SURFACE_ACCESS_H
#define HEDDLE_CRT_SURFACE_ACCESS_H

#include "../surface_types.h"

namespace heddle_surface {

template <int bytes>
struct Bits;
template <>
struct Bits<1> {
  unsigned short value[1];
};
template <>
struct Bits<2> {
  unsigned short value[1];
};
template <>
struct Bits<4> {
  unsigned int value[1];
};
template <>
struct Bits<8> {
  unsigned int value[2];
};
template <>
struct Bits<16> {
  unsigned int value[4];
};

template <class T>
static __device__ __forceinline__ Bits<sizeof(T)> bits_of(const T& data) {
  Bits<sizeof(T)> bits = {};
  __builtin_memcpy(&bits, &data, sizeof(T));
  return bits;
}

// One geometry: `at` is the coordinate list in PTX after the handle, `with` the operands.
#define HEDDLE_LIST_(...) __VA_ARGS__
#define HEDDLE_SURFACE_MODE_(geometry, mode, parameters, at1, at2, at4, with)                        \
  static __device__ __forceinline__ void load_##geometry##_##mode(Bits<1>& d, unsigned long long s,  \
                                                                  HEDDLE_LIST_ parameters) {         \
    asm volatile("suld.b." #geometry ".b8." #mode " %0, [%1, " at1 "];"                              \
                 : "=h"(d.value[0])                                                                  \
                 : "l"(s), HEDDLE_LIST_ with                                                         \
                 : "memory");                                                                        \
  }                                                                                                  \
  static __device__ __forceinline__ void load_##geometry##_##mode(Bits<2>& d, unsigned long long s,  \
                                                                  HEDDLE_LIST_ parameters) {         \
    asm volatile("suld.b." #geometry ".b16." #mode " %0, [%1, " at1 "];"                             \
                 : "=h"(d.value[0])                                                                  \
                 : "l"(s), HEDDLE_LIST_ with                                                         \
                 : "memory");                                                                        \
  }                                                                                                  \
  static __device__ __forceinline__ void load_##geometry##_##mode(Bits<4>& d, unsigned long long s,  \
                                                                  HEDDLE_LIST_ parameters) {         \
    asm volatile("suld.b." #geometry ".b32." #mode " %0, [%1, " at1 "];"                             \
                 : "=r"(d.value[0])                                                                  \
                 : "l"(s), HEDDLE_LIST_ with                                                         \
                 : "memory");                                                                        \
  }                                                                                                  \
  static __device__ __forceinline__ void load_##geometry##_##mode(Bits<8>& d, unsigned long long s,  \
                                                                  HEDDLE_LIST_ parameters) {         \
    asm volatile("suld.b." #geometry ".v2.b32." #mode " {%0, %1}, [%2, " at2 "];"                    \
                 : "=r"(d.value[0]), "=r"(d.value[1])                                                \
                 : "l"(s), HEDDLE_LIST_ with                                                         \
                 : "memory");                                                                        \
  }                                                                                                  \
  static __device__ __forceinline__ void load_##geometry##_##mode(Bits<16>& d, unsigned long long s, \
                                                                  HEDDLE_LIST_ parameters) {         \
    asm volatile("suld.b." #geometry ".v4.b32." #mode " {%0, %1, %2, %3}, [%4, " at4 "];"            \
                 : "=r"(d.value[0]), "=r"(d.value[1]), "=r"(d.value[2]), "=r"(d.value[3])            \
                 : "l"(s), HEDDLE_LIST_ with                                                         \
                 : "memory");                                                                        \
  }
#define HEDDLE_SURFACE_STORE_(geometry, mode, parameters, at, with)                                    \
  static __device__ __forceinline__ void store_##geometry##_##mode(Bits<1> d, unsigned long long s,    \
                                                                   HEDDLE_LIST_ parameters) {          \
    asm volatile("sust.b." #geometry ".b8." #mode " [%0, " at "], {%4};" ::"l"(s), HEDDLE_LIST_ with,  \
                 "h"(d.value[0])                                                                       \
                 : "memory");                                                                          \
  }                                                                                                    \
  static __device__ __forceinline__ void store_##geometry##_##mode(Bits<2> d, unsigned long long s,    \
                                                                   HEDDLE_LIST_ parameters) {          \
    asm volatile("sust.b." #geometry ".b16." #mode " [%0, " at "], {%4};" ::"l"(s), HEDDLE_LIST_ with, \
                 "h"(d.value[0])                                                                       \
                 : "memory");                                                                          \
  }                                                                                                    \
  static __device__ __forceinline__ void store_##geometry##_##mode(Bits<4> d, unsigned long long s,    \
                                                                   HEDDLE_LIST_ parameters) {          \
    asm volatile("sust.b." #geometry ".b32." #mode " [%0, " at "], {%4};" ::"l"(s), HEDDLE_LIST_ with, \
                 "r"(d.value[0])                                                                       \
                 : "memory");                                                                          \
  }                                                                                                    \
  static __device__ __forceinline__ void store_##geometry##_##mode(Bits<8> d, unsigned long long s,    \
                                                                   HEDDLE_LIST_ parameters) {          \
    asm volatile("sust.b." #geometry ".v2.b32." #mode " [%0, " at "], {%4, %5};" ::"l"(s),             \
                 HEDDLE_LIST_ with, "r"(d.value[0]), "r"(d.value[1])                                   \
                 : "memory");                                                                          \
  }                                                                                                    \
  static __device__ __forceinline__ void store_##geometry##_##mode(Bits<16> d, unsigned long long s,   \
                                                                   HEDDLE_LIST_ parameters) {          \
    asm volatile("sust.b." #geometry ".v4.b32." #mode " [%0, " at "], {%4, %5, %6, %7};" ::"l"(s),     \
                 HEDDLE_LIST_ with, "r"(d.value[0]), "r"(d.value[1]), "r"(d.value[2]), "r"(d.value[3]) \
                 : "memory");                                                                          \
  }

// Stores always pass three coordinates, so that the operands' numbers are the same for every geometry.
#define HEDDLE_SURFACE_(geometry, parameters, at1, at2, at4, with, store_parameters, store_at, store_with, \
                        pass)                                                                              \
  HEDDLE_SURFACE_MODE_(geometry, trap, parameters, at1, at2, at4, with)                                    \
  HEDDLE_SURFACE_MODE_(geometry, clamp, parameters, at1, at2, at4, with)                                   \
  HEDDLE_SURFACE_MODE_(geometry, zero, parameters, at1, at2, at4, with)                                    \
  HEDDLE_SURFACE_STORE_(geometry, trap, store_parameters, store_at, store_with)                            \
  HEDDLE_SURFACE_STORE_(geometry, clamp, store_parameters, store_at, store_with)                           \
  HEDDLE_SURFACE_STORE_(geometry, zero, store_parameters, store_at, store_with)                            \
  template <class T>                                                                                       \
  static __device__ __forceinline__ T read_##geometry(unsigned long long s, HEDDLE_LIST_ parameters,       \
                                                      cudaSurfaceBoundaryMode mode) {                      \
    Bits<sizeof(T)> bits;                                                                                  \
    if (mode == cudaBoundaryModeZero)                                                                      \
      load_##geometry##_zero(bits, s, HEDDLE_LIST_ pass);                                                  \
    else if (mode == cudaBoundaryModeClamp)                                                                \
      load_##geometry##_clamp(bits, s, HEDDLE_LIST_ pass);                                                 \
    else                                                                                                   \
      load_##geometry##_trap(bits, s, HEDDLE_LIST_ pass);                                                  \
    T data;                                                                                                \
    __builtin_memcpy(&data, &bits, sizeof(T));                                                             \
    return data;                                                                                           \
  }                                                                                                        \
  template <class T>                                                                                       \
  static __device__ __forceinline__ void write_##geometry(                                                 \
      T data, unsigned long long s, HEDDLE_LIST_ parameters, cudaSurfaceBoundaryMode mode) {               \
    if (mode == cudaBoundaryModeZero)                                                                      \
      store_##geometry##_zero(bits_of(data), s, HEDDLE_LIST_ pass);                                        \
    else if (mode == cudaBoundaryModeClamp)                                                                \
      store_##geometry##_clamp(bits_of(data), s, HEDDLE_LIST_ pass);                                       \
    else                                                                                                   \
      store_##geometry##_trap(bits_of(data), s, HEDDLE_LIST_ pass);                                        \
  }

HEDDLE_SURFACE_(1d, (int x), "{%2}", "{%3}", "{%5}", ("r"(x)), (int x), "{%1}", ("r"(x), "r"(0), "r"(0)), (x))
HEDDLE_SURFACE_(2d, (int x, int y), "{%2, %3}", "{%3, %4}", "{%5, %6}", ("r"(x), "r"(y)), (int x, int y),
                "{%1, %2}", ("r"(x), "r"(y), "r"(0)), (x, y))
HEDDLE_SURFACE_(3d, (int x, int y, int z), "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}",
                ("r"(x), "r"(y), "r"(z)), (int x, int y, int z), "{%1, %2, %3, %3}", ("r"(x), "r"(y), "r"(z)),
                (x, y, z))
HEDDLE_SURFACE_(a1d, (int x, int layer), "{%2, %3}", "{%3, %4}", "{%5, %6}", ("r"(layer), "r"(x)),
                (int x, int layer), "{%1, %2}", ("r"(layer), "r"(x), "r"(0)), (x, layer))
HEDDLE_SURFACE_(a2d, (int x, int y, int layer), "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}",
                ("r"(layer), "r"(x), "r"(y)), (int x, int y, int layer), "{%1, %2, %3, %3}",
                ("r"(layer), "r"(x), "r"(y)), (x, y, layer))

#undef HEDDLE_SURFACE_
#undef HEDDLE_SURFACE_STORE_
#undef HEDDLE_SURFACE_MODE_
#undef HEDDLE_LIST_

}  // namespace heddle_surface

#endif
