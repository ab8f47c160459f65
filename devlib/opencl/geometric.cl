// OpenCL C 3.0, 6.15.5. Sums of squares that overflow or vanish are taken again with all elements scaled.
#include "opencl.h"

#define DOTS(T)                                                                          \
  API T dot(T a, T b) { return a * b; }                                                  \
  API T dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }                            \
  API T dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                \
  API T dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }    \
  API T##3 cross(T##3 a, T##3 b) {                                                       \
    return (T##3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);  \
  }                                                                                      \
  API T##4 cross(T##4 a, T##4 b) { return (T##4)(cross(a.xyz, b.xyz), (T)0); }           \
  INLINE __attribute__((overloadable)) T largest(T a) { return __builtin_elementwise_abs(a); } \
  INLINE __attribute__((overloadable)) T largest(T##2 a) {                               \
    return __builtin_elementwise_max(largest(a.x), largest(a.y));                        \
  }                                                                                      \
  INLINE __attribute__((overloadable)) T largest(T##3 a) {                               \
    return __builtin_elementwise_max(largest(a.xy), largest(a.z));                       \
  }                                                                                      \
  INLINE __attribute__((overloadable)) T largest(T##4 a) {                               \
    return __builtin_elementwise_max(largest(a.xy), largest(a.zw));                      \
  }
DOTS(float)
DOTS(double)

// down and up are powers of two that bring the largest and the smallest numbers near 1. A vector of large elements
// is divided before it is scaled: its small elements would lose bits.
#define LENGTHS(T, V, low, high, down, up)                               \
  API T length(V a) {                                                    \
    T square = dot(a, a);                                                \
    if (square > low && square < high) return __builtin_elementwise_sqrt(square); \
    T most = largest(a);                                                 \
    if (__builtin_isinf(most)) return most;                              \
    if (most == 0 || square != square) return square;                    \
    T scale = most > 1 ? down : up;                                      \
    V scaled = a * scale;                                                \
    return __builtin_elementwise_sqrt(dot(scaled, scaled)) * (1 / scale); \
  }                                                                      \
  API T distance(V a, V b) { return length(a - b); }                     \
  API V normalize(V a) {                                                 \
    T square = dot(a, a);                                                \
    if (square > low && square < high) return a / __builtin_elementwise_sqrt(square); \
    T most = largest(a);                                                 \
    if (__builtin_isinf(most)) return infinite(a);                       \
    if (most == 0 || square != square) return a * ((T)1 + square);       \
    V scaled = a * (most > 1 ? down : up);                               \
    T root = __builtin_elementwise_sqrt(dot(scaled, scaled));            \
    return most > 1 ? (a / root) * down : scaled / root;                 \
  }
// "An infinite element counts as 1, a finite one as 0".
#define UNIT(x) (__builtin_isinf(x) ? __builtin_copysign(1.0f, (float)(x)) : 0.0f)
#define UNITS(T)                                                                                          \
  API T normalize(T);                                                                                     \
  API T##2 normalize(T##2);                                                                               \
  API T##3 normalize(T##3);                                                                               \
  API T##4 normalize(T##4);                                                                               \
  INLINE __attribute__((overloadable)) T infinite(T a) { return (T)UNIT(a); }                             \
  INLINE __attribute__((overloadable)) T##2 infinite(T##2 a) {                                            \
    return normalize((T##2)((T)UNIT(a.x), (T)UNIT(a.y)));                                                 \
  }                                                                                                       \
  INLINE __attribute__((overloadable)) T##3 infinite(T##3 a) {                                            \
    return normalize((T##3)((T)UNIT(a.x), (T)UNIT(a.y), (T)UNIT(a.z)));                                   \
  }                                                                                                       \
  INLINE __attribute__((overloadable)) T##4 infinite(T##4 a) {                                            \
    return normalize((T##4)((T)UNIT(a.x), (T)UNIT(a.y), (T)UNIT(a.z), (T)UNIT(a.w)));                     \
  }
UNITS(float)
UNITS(double)
#define ALL_LENGTHS(T, ...)       \
  LENGTHS(T, T, __VA_ARGS__)      \
  LENGTHS(T, T##2, __VA_ARGS__)   \
  LENGTHS(T, T##3, __VA_ARGS__)   \
  LENGTHS(T, T##4, __VA_ARGS__)
ALL_LENGTHS(float, 0x1p-100f, 0x1p120f, 0x1p-70f, 0x1p100f)
ALL_LENGTHS(double, 0x1p-900, 0x1p1000, 0x1p-530, 0x1p600)

// Halves in float, rounded once at the end.
#define HALVES(V, F)                                                                      \
  API half dot(V a, V b) { return (half)dot(__builtin_convertvector(a, F), __builtin_convertvector(b, F)); } \
  API half length(V a) { return (half)length(__builtin_convertvector(a, F)); }            \
  API half distance(V a, V b) {                                                           \
    return (half)length(__builtin_convertvector(a, F) - __builtin_convertvector(b, F));   \
  }                                                                                       \
  API V normalize(V a) { return __builtin_convertvector(normalize(__builtin_convertvector(a, F)), V); }
HALVES(half2, float2)
HALVES(half3, float3)
HALVES(half4, float4)
API half dot(half a, half b) { return a * b; }
API half length(half a) { return __builtin_bit_cast(half, (ushort)(__builtin_bit_cast(ushort, a) & 0x7fff)); }
API half distance(half a, half b) { return length((half)(a - b)); }
API half normalize(half a) { return (half)normalize((float)a); }
API half3 cross(half3 a, half3 b) {
  return __builtin_convertvector(cross(__builtin_convertvector(a, float3), __builtin_convertvector(b, float3)), half3);
}
API half4 cross(half4 a, half4 b) { return (half4)(cross(a.xyz, b.xyz), (half)0); }

#define FAST(V)                                                                       \
  API float fast_length(V a) { return __nvvm_sqrt_approx_f(dot(a, a)); }              \
  API float fast_distance(V a, V b) { return fast_length(a - b); }                    \
  API V fast_normalize(V a) {                                                         \
    float square = dot(a, a);                                                         \
    return square == 0 ? a : a * __nvvm_rsqrt_approx_f(square);                       \
  }
FAST(float)
FAST(float2)
FAST(float3)
FAST(float4)
