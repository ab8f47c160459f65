// The classes of FP6 numbers: one, two and four of them. Converting constructors are explicit and saturate,
// those to wider types are exact; four are read as float4. See cuda_fp6.h.
#ifndef HEDDLE_CRT_FP6_TYPES_H
#define HEDDLE_CRT_FP6_TYPES_H

#define HEDDLE_FP6_(name, kind)                                                           \
  struct name {                                                                           \
    __nv_fp6_storage_t __x;                                                               \
    name() = default;                                                                     \
    explicit __host__ __device__ name(const float a)                                      \
        : __x(__nv_cvt_float_to_fp6(a, kind, cudaRoundNearest)) {}                        \
    explicit __host__ __device__ name(const double a)                                     \
        : __x(__nv_cvt_double_to_fp6(a, kind, cudaRoundNearest)) {}                       \
    explicit __host__ __device__ name(const __half a)                                     \
        : __x(__nv_cvt_halfraw_to_fp6(a, kind, cudaRoundNearest)) {}                      \
    explicit __host__ __device__ name(const __nv_bfloat16 a)                              \
        : __x(__nv_cvt_bfloat16raw_to_fp6(a, kind, cudaRoundNearest)) {}                  \
    HEDDLE_FP6_FROM_INTEGER_(name, short)                                                 \
    HEDDLE_FP6_FROM_INTEGER_(name, unsigned short)                                        \
    HEDDLE_FP6_FROM_INTEGER_(name, int)                                                   \
    HEDDLE_FP6_FROM_INTEGER_(name, unsigned int)                                          \
    HEDDLE_FP6_FROM_INTEGER_(name, long)                                                  \
    HEDDLE_FP6_FROM_INTEGER_(name, unsigned long)                                         \
    HEDDLE_FP6_FROM_INTEGER_(name, long long)                                             \
    HEDDLE_FP6_FROM_INTEGER_(name, unsigned long long)                                    \
    explicit __host__ __device__ operator float() const {                                 \
      return heddle_narrow::decode_fp6(__x, kind == __NV_E2M3);                           \
    }                                                                                     \
    explicit __host__ __device__ operator double() const { return (double)(float)*this; } \
    explicit __host__ __device__ operator __half() const {                                \
      return __half(__nv_cvt_fp6_to_halfraw(__x, kind));                                  \
    }                                                                                     \
    explicit __host__ __device__ operator __nv_bfloat16() const {                         \
      return __float2bfloat16_rn((float)*this);                                           \
    }                                                                                     \
    explicit __host__ __device__ operator bool() const { return (__x & 0x1f) != 0; }      \
    HEDDLE_FP6_TO_INTEGER_(char)                                                          \
    HEDDLE_FP6_TO_INTEGER_(signed char)                                                   \
    HEDDLE_FP6_TO_INTEGER_(unsigned char)                                                 \
    HEDDLE_FP6_TO_INTEGER_(short)                                                         \
    HEDDLE_FP6_TO_INTEGER_(unsigned short)                                                \
    HEDDLE_FP6_TO_INTEGER_(int)                                                           \
    HEDDLE_FP6_TO_INTEGER_(unsigned int)                                                  \
    HEDDLE_FP6_TO_INTEGER_(long)                                                          \
    HEDDLE_FP6_TO_INTEGER_(unsigned long)                                                 \
    HEDDLE_FP6_TO_INTEGER_(long long)                                                     \
    HEDDLE_FP6_TO_INTEGER_(unsigned long long)                                            \
  };
#define HEDDLE_FP6_FROM_INTEGER_(name, type) \
  explicit __host__ __device__ name(const type a) : name((double)a) {}
#define HEDDLE_FP6_TO_INTEGER_(type)                                                  \
  explicit __host__ __device__ operator type() const {                                \
    return heddle_narrow::to_integer<type>((float)*this, heddle_narrow::toward_zero); \
  }

#define HEDDLE_FP6X2_(name, kind)                                             \
  struct __attribute__((aligned(2))) name {                                   \
    __nv_fp6x2_storage_t __x;                                                 \
    name() = default;                                                         \
    explicit __host__ __device__ name(const float2 a)                         \
        : __x(__nv_cvt_float2_to_fp6x2(a, kind, cudaRoundNearest)) {}         \
    explicit __host__ __device__ name(const double2 a)                        \
        : __x(__nv_cvt_double2_to_fp6x2(a, kind, cudaRoundNearest)) {}        \
    explicit __host__ __device__ name(const __half2 a)                        \
        : __x(__nv_cvt_halfraw2_to_fp6x2(a, kind, cudaRoundNearest)) {}       \
    explicit __host__ __device__ name(const __nv_bfloat162 a)                 \
        : __x(__nv_cvt_bfloat16raw2_to_fp6x2(a, kind, cudaRoundNearest)) {}   \
    explicit __host__ __device__ operator __half2() const {                   \
      return __half2(__nv_cvt_fp6x2_to_halfraw2(__x, kind));                  \
    }                                                                         \
    explicit __host__ __device__ operator float2() const {                    \
      return float2{heddle_narrow::decode_fp6(__x & 0xff, kind == __NV_E2M3), \
                    heddle_narrow::decode_fp6(__x >> 8, kind == __NV_E2M3)};  \
    }                                                                         \
  };
#define HEDDLE_FP6X4_(name, pair, kind)                                                                 \
  struct __attribute__((aligned(4))) name {                                                             \
    __nv_fp6x4_storage_t __x;                                                                           \
    name() = default;                                                                                   \
    explicit __host__ __device__ name(const float4 a)                                                   \
        : __x(pair(float2{a.x, a.y}).__x | (__nv_fp6x4_storage_t)pair(float2{a.z, a.w}).__x << 16) {}   \
    explicit __host__ __device__ name(const double4 a)                                                  \
        : __x(pair(double2{a.x, a.y}).__x | (__nv_fp6x4_storage_t)pair(double2{a.z, a.w}).__x << 16) {} \
    explicit __host__ __device__ name(const __half2 low, const __half2 high)                            \
        : __x(pair(low).__x | (__nv_fp6x4_storage_t)pair(high).__x << 16) {}                            \
    explicit __host__ __device__ name(const __nv_bfloat162 low, const __nv_bfloat162 high)              \
        : __x(pair(low).__x | (__nv_fp6x4_storage_t)pair(high).__x << 16) {}                            \
    explicit __host__ __device__ operator float4() const {                                              \
      pair low, high;                                                                                   \
      low.__x = (__nv_fp6x2_storage_t)__x;                                                              \
      high.__x = (__nv_fp6x2_storage_t)(__x >> 16);                                                     \
      const float2 a = (float2)low, b = (float2)high;                                                   \
      return float4{a.x, a.y, b.x, b.y};                                                                \
    }                                                                                                   \
  };

HEDDLE_FP6_(__nv_fp6_e3m2, __NV_E3M2)
HEDDLE_FP6_(__nv_fp6_e2m3, __NV_E2M3)
HEDDLE_FP6X2_(__nv_fp6x2_e3m2, __NV_E3M2)
HEDDLE_FP6X2_(__nv_fp6x2_e2m3, __NV_E2M3)
HEDDLE_FP6X4_(__nv_fp6x4_e3m2, __nv_fp6x2_e3m2, __NV_E3M2)
HEDDLE_FP6X4_(__nv_fp6x4_e2m3, __nv_fp6x2_e2m3, __NV_E2M3)

#undef HEDDLE_FP6X4_
#undef HEDDLE_FP6X2_
#undef HEDDLE_FP6_TO_INTEGER_
#undef HEDDLE_FP6_FROM_INTEGER_
#undef HEDDLE_FP6_

#endif
