// Loads and stores with a cache operator (CUDA C++ Programming Guide, "Load/Store Functions Using Cache
// Hints"; PTX ISA, "Cache Operators"): __ldcg(), __ldca(), __ldcs(), __ldlu(), __ldcv(), __stwb(), __stcg(),
// __stcs(), __stwt().
#ifndef HEDDLE_CRT_CACHE_OPERATORS_H
#define HEDDLE_CRT_CACHE_OPERATORS_H

namespace heddle_cache {

template <int bytes>
struct Bits;
template <>
struct Bits<1> {
  unsigned short v[1];
};
template <>
struct Bits<2> {
  unsigned short v[1];
};
template <>
struct Bits<4> {
  unsigned int v[1];
};
template <>
struct Bits<8> {
  unsigned long long v[1];
};
template <>
struct Bits<16> {
  unsigned long long v[2];
};

// Global memory, as CUDA documents them. Volatile for those that must see what other threads and the host
// write.
#define HEDDLE_LOAD_(name, ptx, volatility)                                              \
  static __device__ __forceinline__ void ld##name(Bits<1>& b, const void* p) {           \
    asm volatility("ld.global" ptx ".u8 %0, [%1];" : "=h"(b.v[0]) : "l"(p) : "memory");  \
  }                                                                                      \
  static __device__ __forceinline__ void ld##name(Bits<2>& b, const void* p) {           \
    asm volatility("ld.global" ptx ".u16 %0, [%1];" : "=h"(b.v[0]) : "l"(p) : "memory"); \
  }                                                                                      \
  static __device__ __forceinline__ void ld##name(Bits<4>& b, const void* p) {           \
    asm volatility("ld.global" ptx ".u32 %0, [%1];" : "=r"(b.v[0]) : "l"(p) : "memory"); \
  }                                                                                      \
  static __device__ __forceinline__ void ld##name(Bits<8>& b, const void* p) {           \
    asm volatility("ld.global" ptx ".u64 %0, [%1];" : "=l"(b.v[0]) : "l"(p) : "memory"); \
  }                                                                                      \
  static __device__ __forceinline__ void ld##name(Bits<16>& b, const void* p) {          \
    asm volatility("ld.global" ptx ".v2.u64 {%0, %1}, [%2];"                             \
                   : "=l"(b.v[0]), "=l"(b.v[1])                                          \
                   : "l"(p)                                                              \
                   : "memory");                                                          \
  }                                                                                      \
  template <class T>                                                                     \
  static __device__ __forceinline__ T load_##name(const T* p) {                          \
    Bits<sizeof(T)> bits;                                                                \
    ld##name(bits, p);                                                                   \
    T value;                                                                             \
    __builtin_memcpy(&value, &bits, sizeof(T));                                          \
    return value;                                                                        \
  }
#define HEDDLE_STORE_(name, ptx)                                                                           \
  static __device__ __forceinline__ void st##name(Bits<1> b, void* p) {                                    \
    asm volatile("st.global" ptx ".u8 [%0], %1;" ::"l"(p), "h"(b.v[0]) : "memory");                        \
  }                                                                                                        \
  static __device__ __forceinline__ void st##name(Bits<2> b, void* p) {                                    \
    asm volatile("st.global" ptx ".u16 [%0], %1;" ::"l"(p), "h"(b.v[0]) : "memory");                       \
  }                                                                                                        \
  static __device__ __forceinline__ void st##name(Bits<4> b, void* p) {                                    \
    asm volatile("st.global" ptx ".u32 [%0], %1;" ::"l"(p), "r"(b.v[0]) : "memory");                       \
  }                                                                                                        \
  static __device__ __forceinline__ void st##name(Bits<8> b, void* p) {                                    \
    asm volatile("st.global" ptx ".u64 [%0], %1;" ::"l"(p), "l"(b.v[0]) : "memory");                       \
  }                                                                                                        \
  static __device__ __forceinline__ void st##name(Bits<16> b, void* p) {                                   \
    asm volatile("st.global" ptx ".v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(b.v[0]), "l"(b.v[1]) : "memory"); \
  }                                                                                                        \
  template <class T>                                                                                       \
  static __device__ __forceinline__ void store_##name(T* p, T value) {                                     \
    Bits<sizeof(T)> bits = {};                                                                             \
    __builtin_memcpy(&bits, &value, sizeof(T));                                                            \
    st##name(bits, p);                                                                                     \
  }
HEDDLE_LOAD_(ca, ".ca", volatile)
HEDDLE_LOAD_(cg, ".cg", volatile)
HEDDLE_LOAD_(cs, ".cs", volatile)
HEDDLE_LOAD_(lu, ".lu", volatile)
HEDDLE_LOAD_(cv, ".cv", volatile)
HEDDLE_STORE_(wb, ".wb")
HEDDLE_STORE_(cg, ".cg")
HEDDLE_STORE_(cs, ".cs")
HEDDLE_STORE_(wt, ".wt")
#undef HEDDLE_LOAD_
#undef HEDDLE_STORE_

}  // namespace heddle_cache

#define HEDDLE_CACHED_(type)                                                                        \
  static __device__ __forceinline__ type __ldca(const type* p) { return heddle_cache::load_ca(p); } \
  static __device__ __forceinline__ type __ldcg(const type* p) { return heddle_cache::load_cg(p); } \
  static __device__ __forceinline__ type __ldcs(const type* p) { return heddle_cache::load_cs(p); } \
  static __device__ __forceinline__ type __ldlu(const type* p) { return heddle_cache::load_lu(p); } \
  static __device__ __forceinline__ type __ldcv(const type* p) { return heddle_cache::load_cv(p); } \
  static __device__ __forceinline__ void __stwb(type* p, type v) { heddle_cache::store_wb(p, v); }  \
  static __device__ __forceinline__ void __stcg(type* p, type v) { heddle_cache::store_cg(p, v); }  \
  static __device__ __forceinline__ void __stcs(type* p, type v) { heddle_cache::store_cs(p, v); }  \
  static __device__ __forceinline__ void __stwt(type* p, type v) { heddle_cache::store_wt(p, v); }
HEDDLE_CACHED_(char)
HEDDLE_CACHED_(signed char)
HEDDLE_CACHED_(short)
HEDDLE_CACHED_(int)
HEDDLE_CACHED_(long)
HEDDLE_CACHED_(long long)
HEDDLE_CACHED_(unsigned char)
HEDDLE_CACHED_(unsigned short)
HEDDLE_CACHED_(unsigned int)
HEDDLE_CACHED_(unsigned long)
HEDDLE_CACHED_(unsigned long long)
HEDDLE_CACHED_(float)
HEDDLE_CACHED_(double)
HEDDLE_CACHED_(char2)
HEDDLE_CACHED_(char4)
HEDDLE_CACHED_(short2)
HEDDLE_CACHED_(short4)
HEDDLE_CACHED_(int2)
HEDDLE_CACHED_(int4)
HEDDLE_CACHED_(longlong2)
HEDDLE_CACHED_(uchar2)
HEDDLE_CACHED_(uchar4)
HEDDLE_CACHED_(ushort2)
HEDDLE_CACHED_(ushort4)
HEDDLE_CACHED_(uint2)
HEDDLE_CACHED_(uint4)
HEDDLE_CACHED_(ulonglong2)
HEDDLE_CACHED_(float2)
HEDDLE_CACHED_(float4)
HEDDLE_CACHED_(double2)
// cuda_fp16.h and cuda_bf16.h use HEDDLE_CACHED_ for their types.

#endif
