// What the classes of FP6 and FP8 numbers have in common.
#ifndef HEDDLE_CRT_NARROW_CLASS_H
#define HEDDLE_CRT_NARROW_CLASS_H

// Constructors from integers and operators to integers, which truncate.
#define HEDDLE_NARROW_FROM_INTEGER_(name, type) \
  explicit __host__ __device__ name(const type a) : name((double)a) {}
#define HEDDLE_NARROW_TO_INTEGER_(type)                                               \
  explicit __host__ __device__ operator type() const {                                \
    return heddle_narrow::to_integer<type>((float)*this, heddle_narrow::toward_zero); \
  }
#define HEDDLE_NARROW_TO_INTEGERS_          \
  HEDDLE_NARROW_TO_INTEGER_(char)           \
  HEDDLE_NARROW_TO_INTEGER_(signed char)    \
  HEDDLE_NARROW_TO_INTEGER_(unsigned char)  \
  HEDDLE_NARROW_TO_INTEGER_(short)          \
  HEDDLE_NARROW_TO_INTEGER_(unsigned short) \
  HEDDLE_NARROW_TO_INTEGER_(int)            \
  HEDDLE_NARROW_TO_INTEGER_(unsigned int)   \
  HEDDLE_NARROW_TO_INTEGER_(long)           \
  HEDDLE_NARROW_TO_INTEGER_(unsigned long)  \
  HEDDLE_NARROW_TO_INTEGER_(long long)      \
  HEDDLE_NARROW_TO_INTEGER_(unsigned long long)
#define HEDDLE_NARROW_INTEGERS_(name)                   \
  HEDDLE_NARROW_FROM_INTEGER_(name, short)              \
  HEDDLE_NARROW_FROM_INTEGER_(name, unsigned short)     \
  HEDDLE_NARROW_FROM_INTEGER_(name, int)                \
  HEDDLE_NARROW_FROM_INTEGER_(name, unsigned int)       \
  HEDDLE_NARROW_FROM_INTEGER_(name, long)               \
  HEDDLE_NARROW_FROM_INTEGER_(name, unsigned long)      \
  HEDDLE_NARROW_FROM_INTEGER_(name, long long)          \
  HEDDLE_NARROW_FROM_INTEGER_(name, unsigned long long) \
  HEDDLE_NARROW_TO_INTEGERS_

// Four numbers, as two pairs in a `word`.
#define HEDDLE_NARROW_X4_(name, pair, word)                                                \
  struct __attribute__((aligned(4))) name {                                                \
    word __x;                                                                              \
    name() = default;                                                                      \
    explicit __host__ __device__ name(const float4 a)                                      \
        : __x(pair(float2{a.x, a.y}).__x | (word)pair(float2{a.z, a.w}).__x << 16) {}      \
    explicit __host__ __device__ name(const double4 a)                                     \
        : __x(pair(double2{a.x, a.y}).__x | (word)pair(double2{a.z, a.w}).__x << 16) {}    \
    explicit __host__ __device__ name(const __half2 low, const __half2 high)               \
        : __x(pair(low).__x | (word)pair(high).__x << 16) {}                               \
    explicit __host__ __device__ name(const __nv_bfloat162 low, const __nv_bfloat162 high) \
        : __x(pair(low).__x | (word)pair(high).__x << 16) {}                               \
    explicit __host__ __device__ operator float4() const {                                 \
      pair low, high;                                                                      \
      low.__x = (decltype(low.__x))__x;                                                    \
      high.__x = (decltype(high.__x))(__x >> 16);                                          \
      const float2 a = (float2)low, b = (float2)high;                                      \
      return float4{a.x, a.y, b.x, b.y};                                                   \
    }                                                                                      \
  };

#endif
