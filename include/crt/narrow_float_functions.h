// The functions of a 16-bit format. Included by cuda_fp16.h and cuda_bf16.h, once each, under their macros.
//
// HEDDLE_NATIVE is the first compute capability whose PTX computes in the format; before it, and on the host,
// arithmetic goes through float, which rounds to the same bits: it has more than twice the digits (Figueroa,
// "When is double rounding innocuous?", 1995).

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ != 9999
#define HEDDLE_HAS(capability) (__CUDA_ARCH__ >= (capability))
#else
#define HEDDLE_HAS(capability) 0
#endif

// ---- Bits

HEDDLE_NARROW_ unsigned short HEDDLE_AS(ushort)(const HEDDLE_SCALAR a) { return HEDDLE_RAW(a).x; }
HEDDLE_NARROW_ short HEDDLE_AS(short)(const HEDDLE_SCALAR a) { return (short)HEDDLE_RAW(a).x; }
HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_OF(ushort)(const unsigned short a) {
  return HEDDLE_SCALAR(HEDDLE_RAW{a});
}
HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_OF(short)(const short a) {
  return HEDDLE_SCALAR(HEDDLE_RAW{(unsigned short)a});
}

namespace heddle_narrow {
HEDDLE_NARROW_ u32 word_of(const HEDDLE_VECTOR a) {
  return (u32)HEDDLE_AS(ushort)(a.x) | (u32)HEDDLE_AS(ushort)(a.y) << 16;
}
HEDDLE_NARROW_ void from_word(HEDDLE_VECTOR& a, u32 word) {
  a = HEDDLE_VECTOR(HEDDLE_OF(ushort)((unsigned short)word), HEDDLE_OF(ushort)((unsigned short)(word >> 16)));
}
}  // namespace heddle_narrow

// ---- Conversions

HEDDLE_NARROW_ float HEDDLE_TO(float)(const HEDDLE_SCALAR a) {
#if HEDDLE_HAS(200) && !HEDDLE_FUSED_ONLY
  float result;
  asm("cvt.f32." HEDDLE_PTX " %0, %1;" : "=f"(result) : "h"(HEDDLE_AS(ushort)(a)));
  return result;
#else
  return heddle_narrow::decode<HEDDLE_FORMAT>(HEDDLE_AS(ushort)(a));
#endif
}
// By the instruction: `ptx` is how it rounds, `bits` and `where` the type and constraint of what is
// converted.
#define HEDDLE_CONVERT_(ptx, bits, where, a)                                    \
  unsigned short result;                                                        \
  asm("cvt." ptx "." HEDDLE_PTX "." bits " %0, %1;" : "=h"(result) : where(a)); \
  return HEDDLE_OF(ushort)(result);
#if HEDDLE_HAS(HEDDLE_NATIVE_CONVERSION)
#define HEDDLE_FROM_FLOAT_(suffix, mode, ptx)                               \
  HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM_(float, suffix)(const float a) { \
    HEDDLE_CONVERT_(ptx, "f32", "f", a)                                     \
  }
#else
#define HEDDLE_FROM_FLOAT_(suffix, mode, ptx)                                                \
  HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM_(float, suffix)(const float a) {                  \
    return HEDDLE_OF(ushort)(                                                                \
        (unsigned short)heddle_narrow::encode_float<HEDDLE_FORMAT>(a, heddle_narrow::mode)); \
  }
#endif
#define HEDDLE_FROM_FLOAT_SLOW_(suffix, mode)                                                  \
  HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM_(float, suffix)(const float a) {                    \
    return HEDDLE_OF(ushort)(                                                                  \
        (unsigned short)heddle_narrow::encode<HEDDLE_FORMAT>((double)a, heddle_narrow::mode)); \
  }
HEDDLE_FROM_FLOAT_(rn, nearest_even, "rn")
HEDDLE_FROM_FLOAT_(rz, toward_zero, "rz")
// PTX has these two for f16 alone.
#if HEDDLE_FUSED_ONLY
HEDDLE_FROM_FLOAT_SLOW_(ru, up)
HEDDLE_FROM_FLOAT_SLOW_(rd, down)
#else
HEDDLE_FROM_FLOAT_(ru, up, "rp")
HEDDLE_FROM_FLOAT_(rd, down, "rm")
#endif
#undef HEDDLE_FROM_FLOAT_SLOW_
#undef HEDDLE_FROM_FLOAT_
HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM(float)(const float a) { return HEDDLE_FROM_(float, rn)(a); }
HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM(double)(const double a) {
#if HEDDLE_HAS(HEDDLE_NATIVE_OTHER_CONVERSION)
  HEDDLE_CONVERT_("rn", "f64", "d", a)
#else
  return HEDDLE_OF(ushort)(
      (unsigned short)heddle_narrow::encode<HEDDLE_FORMAT>(a, heddle_narrow::nearest_even));
#endif
}

#if HEDDLE_HAS(HEDDLE_NATIVE_OTHER_CONVERSION)
#define HEDDLE_INTEGER_ROUNDED_(name, type, kind, bits, where, suffix, mode, ptx)                        \
  HEDDLE_NARROW_ type HEDDLE_TO_(name, suffix)(const HEDDLE_SCALAR a) {                                  \
    type result;                                                                                         \
    asm("cvt." ptx "i." bits "." HEDDLE_PTX " %0, %1;" : "=" where(result) : "h"(HEDDLE_AS(ushort)(a))); \
    return result;                                                                                       \
  }                                                                                                      \
  HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM_(name, suffix)(const type a) {                                \
    HEDDLE_CONVERT_(ptx, bits, where, a)                                                                 \
  }
#else
#define HEDDLE_INTEGER_ROUNDED_(name, type, kind, bits, where, suffix, mode, ptx)             \
  HEDDLE_NARROW_ type HEDDLE_TO_(name, suffix)(const HEDDLE_SCALAR a) {                       \
    return heddle_narrow::to_integer<type>(HEDDLE_TO(float)(a), heddle_narrow::mode);         \
  }                                                                                           \
  HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_FROM_(name, suffix)(const type a) {                     \
    return HEDDLE_OF(ushort)(                                                                 \
        (unsigned short)heddle_narrow::encode_##kind<HEDDLE_FORMAT>(a, heddle_narrow::mode)); \
  }
#endif
#define HEDDLE_INTEGER_(name, type, kind, bits, where)                           \
  HEDDLE_INTEGER_ROUNDED_(name, type, kind, bits, where, rn, nearest_even, "rn") \
  HEDDLE_INTEGER_ROUNDED_(name, type, kind, bits, where, rz, toward_zero, "rz")  \
  HEDDLE_INTEGER_ROUNDED_(name, type, kind, bits, where, ru, up, "rp")           \
  HEDDLE_INTEGER_ROUNDED_(name, type, kind, bits, where, rd, down, "rm")
HEDDLE_INTEGER_(short, short, signed, "s16", "h")
HEDDLE_INTEGER_(ushort, unsigned short, unsigned, "u16", "h")
HEDDLE_INTEGER_(int, int, signed, "s32", "r")
HEDDLE_INTEGER_(uint, unsigned int, unsigned, "u32", "r")
HEDDLE_INTEGER_(ll, long long, signed, "s64", "l")
HEDDLE_INTEGER_(ull, unsigned long long, unsigned, "u64", "l")
#undef HEDDLE_INTEGER_
#undef HEDDLE_INTEGER_ROUNDED_
#undef HEDDLE_CONVERT_
HEDDLE_NARROW_ signed char HEDDLE_TO_(char, rz)(const HEDDLE_SCALAR a) {
  return heddle_narrow::to_integer<signed char>(HEDDLE_TO(float)(a), heddle_narrow::toward_zero);
}
HEDDLE_NARROW_ unsigned char HEDDLE_TO_(uchar, rz)(const HEDDLE_SCALAR a) {
  return heddle_narrow::to_integer<unsigned char>(HEDDLE_TO(float)(a), heddle_narrow::toward_zero);
}

// ---- Two in a word

HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_MAKE(const HEDDLE_SCALAR x, const HEDDLE_SCALAR y) {
  return HEDDLE_VECTOR(x, y);
}
HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_JOIN(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {
  return HEDDLE_VECTOR(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_BROADCAST(const HEDDLE_SCALAR a) { return HEDDLE_VECTOR(a, a); }
HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_LOWS(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) {
  return HEDDLE_VECTOR(a.x, b.x);
}
HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_HIGHS(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) {
  return HEDDLE_VECTOR(a.y, b.y);
}
HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_LOW(const HEDDLE_VECTOR a) { return a.x; }
HEDDLE_NARROW_ HEDDLE_SCALAR HEDDLE_HIGH(const HEDDLE_VECTOR a) { return a.y; }
HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_LOW_TWICE(const HEDDLE_VECTOR a) { return HEDDLE_VECTOR(a.x, a.x); }
HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_HIGH_TWICE(const HEDDLE_VECTOR a) { return HEDDLE_VECTOR(a.y, a.y); }
HEDDLE_NARROW_ HEDDLE_VECTOR __lowhigh2highlow(const HEDDLE_VECTOR a) { return HEDDLE_VECTOR(a.y, a.x); }
HEDDLE_NARROW_ float __low2float(const HEDDLE_VECTOR a) { return HEDDLE_TO(float)(a.x); }
HEDDLE_NARROW_ float __high2float(const HEDDLE_VECTOR a) { return HEDDLE_TO(float)(a.y); }
HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_VECTOR_FROM_FLOATS(const float a, const float b) {
  return HEDDLE_VECTOR(HEDDLE_FROM_(float, rn)(a), HEDDLE_FROM_(float, rn)(b));
}
HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_VECTOR_FROM_FLOAT(const float a) {
  return HEDDLE_BROADCAST(HEDDLE_FROM_(float, rn)(a));
}
HEDDLE_NARROW_ HEDDLE_VECTOR HEDDLE_VECTOR_FROM_FLOAT2(const float2 a) {
  return HEDDLE_VECTOR_FROM_FLOATS(a.x, a.y);
}
HEDDLE_NARROW_ float2 HEDDLE_VECTOR_TO_FLOAT2(const HEDDLE_VECTOR a) {
  float2 result;
  result.x = HEDDLE_TO(float)(a.x);
  result.y = HEDDLE_TO(float)(a.y);
  return result;
}

// ---- Arithmetic

#if HEDDLE_HAS(HEDDLE_NATIVE)
#define HEDDLE_ASM_2_(name, instruction)                                            \
  HEDDLE_NARROW_ HEDDLE_SCALAR name(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) { \
    unsigned short d;                                                               \
    asm(instruction "." HEDDLE_PTX " %0, %1, %2;"                                   \
        : "=h"(d)                                                                   \
        : "h"(HEDDLE_AS(ushort)(a)), "h"(HEDDLE_AS(ushort)(b)));                    \
    return HEDDLE_OF(ushort)(d);                                                    \
  }
#define HEDDLE_ASM_2X2_(name, instruction)                                          \
  HEDDLE_NARROW_ HEDDLE_VECTOR name(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) { \
    unsigned int d;                                                                 \
    asm(instruction "." HEDDLE_PTX "x2 %0, %1, %2;"                                 \
        : "=r"(d)                                                                   \
        : "r"(heddle_narrow::word_of(a)), "r"(heddle_narrow::word_of(b)));          \
    HEDDLE_VECTOR result;                                                           \
    heddle_narrow::from_word(result, d);                                            \
    return result;                                                                  \
  }
#define HEDDLE_ASM_3_(name, instruction)                                                                   \
  HEDDLE_NARROW_ HEDDLE_SCALAR name(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b, const HEDDLE_SCALAR c) { \
    unsigned short d;                                                                                      \
    asm(instruction "." HEDDLE_PTX " %0, %1, %2, %3;"                                                      \
        : "=h"(d)                                                                                          \
        : "h"(HEDDLE_AS(ushort)(a)), "h"(HEDDLE_AS(ushort)(b)), "h"(HEDDLE_AS(ushort)(c)));                \
    return HEDDLE_OF(ushort)(d);                                                                           \
  }
#define HEDDLE_ASM_3X2_(name, instruction)                                                                 \
  HEDDLE_NARROW_ HEDDLE_VECTOR name(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b, const HEDDLE_VECTOR c) { \
    unsigned int d;                                                                                        \
    asm(instruction "." HEDDLE_PTX "x2 %0, %1, %2, %3;"                                                    \
        : "=r"(d)                                                                                          \
        : "r"(heddle_narrow::word_of(a)), "r"(heddle_narrow::word_of(b)), "r"(heddle_narrow::word_of(c))); \
    HEDDLE_VECTOR result;                                                                                  \
    heddle_narrow::from_word(result, d);                                                                   \
    return result;                                                                                         \
  }
#endif

// Per element, for what has no two-way instruction.
#define HEDDLE_EACH_1_(name, one) \
  HEDDLE_NARROW_ HEDDLE_VECTOR name(const HEDDLE_VECTOR a) { return HEDDLE_VECTOR(one(a.x), one(a.y)); }
#define HEDDLE_EACH_2_(name, one)                                                   \
  HEDDLE_NARROW_ HEDDLE_VECTOR name(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) { \
    return HEDDLE_VECTOR(one(a.x, b.x), one(a.y, b.y));                             \
  }
#define HEDDLE_EACH_3_(name, one)                                                                          \
  HEDDLE_NARROW_ HEDDLE_VECTOR name(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b, const HEDDLE_VECTOR c) { \
    return HEDDLE_VECTOR(one(a.x, b.x, c.x), one(a.y, b.y, c.y));                                          \
  }

#if HEDDLE_HAS(HEDDLE_NATIVE) && (!HEDDLE_FUSED_ONLY || HEDDLE_HAS(900))
HEDDLE_ASM_2_(__hadd, "add.rn")
HEDDLE_ASM_2_(__hsub, "sub.rn")
HEDDLE_ASM_2_(__hmul, "mul.rn")
HEDDLE_ASM_2X2_(__hadd2, "add.rn")
HEDDLE_ASM_2X2_(__hsub2, "sub.rn")
HEDDLE_ASM_2X2_(__hmul2, "mul.rn")
#else
#define HEDDLE_BY_FLOAT_(name, operation)                                              \
  HEDDLE_NARROW_ HEDDLE_SCALAR name(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {    \
    return HEDDLE_FROM_(float, rn)(HEDDLE_TO(float)(a) operation HEDDLE_TO(float)(b)); \
  }
HEDDLE_BY_FLOAT_(__hadd, +)
HEDDLE_BY_FLOAT_(__hsub, -)
HEDDLE_BY_FLOAT_(__hmul, *)
#undef HEDDLE_BY_FLOAT_
HEDDLE_EACH_2_(__hadd2, __hadd)
HEDDLE_EACH_2_(__hsub2, __hsub)
HEDDLE_EACH_2_(__hmul2, __hmul)
#endif
#if HEDDLE_HAS(HEDDLE_NATIVE)
HEDDLE_ASM_3_(__hfma, "fma.rn")
HEDDLE_ASM_3X2_(__hfma2, "fma.rn")
#else
HEDDLE_NARROW_ HEDDLE_SCALAR __hfma(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b, const HEDDLE_SCALAR c) {
  double sum = heddle_narrow::fused_to_odd((double)HEDDLE_TO(float)(a), (double)HEDDLE_TO(float)(b),
                                           (double)HEDDLE_TO(float)(c));
  return HEDDLE_FROM(double)(sum);
}
HEDDLE_EACH_3_(__hfma2, __hfma)
#endif
#if HEDDLE_HAS(HEDDLE_NATIVE_MAX)
HEDDLE_ASM_2_(__hmax, "max")
HEDDLE_ASM_2_(__hmin, "min")
HEDDLE_ASM_2_(__hmax_nan, "max.NaN")
HEDDLE_ASM_2_(__hmin_nan, "min.NaN")
HEDDLE_ASM_2X2_(__hmax2, "max")
HEDDLE_ASM_2X2_(__hmin2, "min")
HEDDLE_ASM_2X2_(__hmax2_nan, "max.NaN")
HEDDLE_ASM_2X2_(__hmin2_nan, "min.NaN")
HEDDLE_ASM_3_(__hfma_relu, "fma.rn.relu")
HEDDLE_ASM_3X2_(__hfma2_relu, "fma.rn.relu")
#else
// A NaN loses against a number, and -0 is less than +0 (IEEE 754-2019, minimumNumber; PTX ISA, "min").
#define HEDDLE_CHOOSE_(name, nan_name, comparison, zero)                                  \
  HEDDLE_NARROW_ HEDDLE_SCALAR name(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {       \
    const float x = HEDDLE_TO(float)(a), y = HEDDLE_TO(float)(b);                         \
    if (x != x) return y != y ? HEDDLE_OF(ushort)(0x7fff) : b;                            \
    if (y != y) return a;                                                                 \
    if (x == 0.0f && y == 0.0f) return (HEDDLE_AS(ushort)(a) >> 15 != 0) == zero ? a : b; \
    return x comparison y ? a : b;                                                        \
  }                                                                                       \
  HEDDLE_NARROW_ HEDDLE_SCALAR nan_name(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {   \
    const float x = HEDDLE_TO(float)(a), y = HEDDLE_TO(float)(b);                         \
    return x != x || y != y ? HEDDLE_OF(ushort)(0x7fff) : name(a, b);                     \
  }
HEDDLE_CHOOSE_(__hmax, __hmax_nan, >, false)
HEDDLE_CHOOSE_(__hmin, __hmin_nan, <, true)
#undef HEDDLE_CHOOSE_
HEDDLE_EACH_2_(__hmax2, __hmax)
HEDDLE_EACH_2_(__hmin2, __hmin)
HEDDLE_EACH_2_(__hmax2_nan, __hmax_nan)
HEDDLE_EACH_2_(__hmin2_nan, __hmin_nan)
HEDDLE_NARROW_ HEDDLE_SCALAR __hfma_relu(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b,
                                         const HEDDLE_SCALAR c) {
  return __hmax_nan(__hfma(a, b, c), HEDDLE_OF(ushort)(0));
}
HEDDLE_EACH_3_(__hfma2_relu, __hfma_relu)
#endif
#if HEDDLE_HAS(HEDDLE_NATIVE)
#undef HEDDLE_ASM_2_
#undef HEDDLE_ASM_2X2_
#undef HEDDLE_ASM_3_
#undef HEDDLE_ASM_3X2_
#endif

// The _rn forms are never contracted to fma; nor are the others here.
HEDDLE_NARROW_ HEDDLE_SCALAR __hadd_rn(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) { return __hadd(a, b); }
HEDDLE_NARROW_ HEDDLE_SCALAR __hsub_rn(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) { return __hsub(a, b); }
HEDDLE_NARROW_ HEDDLE_SCALAR __hmul_rn(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) { return __hmul(a, b); }
HEDDLE_NARROW_ HEDDLE_VECTOR __hadd2_rn(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) {
  return __hadd2(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR __hsub2_rn(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) {
  return __hsub2(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR __hmul2_rn(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) {
  return __hmul2(a, b);
}

// Rounded, then held within [0, 1].
#define HEDDLE_SATURATE_(name) HEDDLE_FROM_(float, rn)(heddle_narrow::saturated(HEDDLE_TO(float)(name)))
HEDDLE_NARROW_ HEDDLE_SCALAR __hadd_sat(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {
  return HEDDLE_SATURATE_(__hadd(a, b));
}
HEDDLE_NARROW_ HEDDLE_SCALAR __hsub_sat(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {
  return HEDDLE_SATURATE_(__hsub(a, b));
}
HEDDLE_NARROW_ HEDDLE_SCALAR __hmul_sat(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {
  return HEDDLE_SATURATE_(__hmul(a, b));
}
HEDDLE_NARROW_ HEDDLE_SCALAR __hfma_sat(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b, const HEDDLE_SCALAR c) {
  return HEDDLE_SATURATE_(__hfma(a, b, c));
}
#undef HEDDLE_SATURATE_
HEDDLE_EACH_2_(__hadd2_sat, __hadd_sat)
HEDDLE_EACH_2_(__hsub2_sat, __hsub_sat)
HEDDLE_EACH_2_(__hmul2_sat, __hmul_sat)
HEDDLE_EACH_3_(__hfma2_sat, __hfma_sat)

HEDDLE_NARROW_ HEDDLE_SCALAR __hdiv(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {
  return HEDDLE_FROM_(float, rn)(HEDDLE_TO(float)(a) / HEDDLE_TO(float)(b));
}
HEDDLE_EACH_2_(__h2div, __hdiv)
HEDDLE_NARROW_ HEDDLE_SCALAR __hneg(const HEDDLE_SCALAR a) {
  return HEDDLE_OF(ushort)(HEDDLE_AS(ushort)(a) ^ 0x8000);
}
HEDDLE_NARROW_ HEDDLE_SCALAR __habs(const HEDDLE_SCALAR a) {
  return HEDDLE_OF(ushort)(HEDDLE_AS(ushort)(a) & 0x7fff);
}
HEDDLE_EACH_1_(__hneg2, __hneg)
HEDDLE_EACH_1_(__habs2, __habs)
// (a.x + i a.y) (b.x + i b.y) + (c.x + i c.y)
HEDDLE_NARROW_ HEDDLE_VECTOR __hcmadd(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b, const HEDDLE_VECTOR c) {
  return HEDDLE_VECTOR(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)),
                       __hfma(a.y, b.x, __hfma(a.x, b.y, c.y)));
}

// ---- Comparisons: plain ones are false with a NaN, those ending in u true

HEDDLE_NARROW_ bool __hisnan(const HEDDLE_SCALAR a) {
  return (HEDDLE_AS(ushort)(a) & 0x7fff) > HEDDLE_FORMAT::infinity;
}
HEDDLE_NARROW_ int __hisinf(const HEDDLE_SCALAR a) {
  return (HEDDLE_AS(ushort)(a) & 0x7fff) != HEDDLE_FORMAT::infinity ? 0 : HEDDLE_AS(ushort)(a) >> 15 ? -1 : 1;
}
#define HEDDLE_COMPARE_FORMS_(name)                                                                         \
  HEDDLE_NARROW_ bool __hb##name##2(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) {                         \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                      \
  }                                                                                                         \
  HEDDLE_NARROW_ unsigned int __h##name##2_mask(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) {             \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);                 \
  }                                                                                                         \
  HEDDLE_NARROW_ HEDDLE_VECTOR __h##name##2(const HEDDLE_VECTOR a, const HEDDLE_VECTOR b) {                 \
    return HEDDLE_VECTOR_FROM_FLOATS(__h##name(a.x, b.x) ? 1.0f : 0.0f, __h##name(a.y, b.y) ? 1.0f : 0.0f); \
  }
#define HEDDLE_COMPARE_(name, operation)                                                    \
  HEDDLE_NARROW_ bool __h##name(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {             \
    return HEDDLE_TO(float)(a) operation HEDDLE_TO(float)(b);                               \
  }                                                                                         \
  HEDDLE_NARROW_ bool __h##name##u(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {          \
    return __hisnan(a) || __hisnan(b) || HEDDLE_TO(float)(a) operation HEDDLE_TO(float)(b); \
  }                                                                                         \
  HEDDLE_COMPARE_FORMS_(name)                                                               \
  HEDDLE_COMPARE_FORMS_(name##u)
HEDDLE_COMPARE_(eq, ==)
HEDDLE_COMPARE_(le, <=)
HEDDLE_COMPARE_(ge, >=)
HEDDLE_COMPARE_(lt, <)
HEDDLE_COMPARE_(gt, >)
#undef HEDDLE_COMPARE_
HEDDLE_NARROW_ bool __hneu(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) { return !__heq(a, b); }
HEDDLE_NARROW_ bool __hne(const HEDDLE_SCALAR a, const HEDDLE_SCALAR b) {
  return !__hisnan(a) && !__hisnan(b) && !__heq(a, b);
}
HEDDLE_COMPARE_FORMS_(ne)
HEDDLE_COMPARE_FORMS_(neu)
#undef HEDDLE_COMPARE_FORMS_
HEDDLE_NARROW_ HEDDLE_VECTOR __hisnan2(const HEDDLE_VECTOR a) {
  return HEDDLE_VECTOR_FROM_FLOATS(__hisnan(a.x) ? 1.0f : 0.0f, __hisnan(a.y) ? 1.0f : 0.0f);
}

// ---- Operators

#ifdef HEDDLE_OPERATORS
HEDDLE_NARROW_ HEDDLE_SCALAR operator+(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) {
  return __hadd(a, b);
}
HEDDLE_NARROW_ HEDDLE_SCALAR& operator+=(HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) {
  return a = __hadd(a, b);
}
HEDDLE_NARROW_ HEDDLE_SCALAR operator-(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) {
  return __hsub(a, b);
}
HEDDLE_NARROW_ HEDDLE_SCALAR& operator-=(HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) {
  return a = __hsub(a, b);
}
HEDDLE_NARROW_ HEDDLE_SCALAR operator*(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) {
  return __hmul(a, b);
}
HEDDLE_NARROW_ HEDDLE_SCALAR& operator*=(HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) {
  return a = __hmul(a, b);
}
HEDDLE_NARROW_ HEDDLE_SCALAR operator/(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) {
  return __hdiv(a, b);
}
HEDDLE_NARROW_ HEDDLE_SCALAR& operator/=(HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) {
  return a = __hdiv(a, b);
}
HEDDLE_NARROW_ HEDDLE_SCALAR& operator++(HEDDLE_SCALAR& a) {
  return a = __hadd(a, HEDDLE_FROM_(float, rn)(1.0f));
}
HEDDLE_NARROW_ HEDDLE_SCALAR operator++(HEDDLE_SCALAR& a, const int) {
  const HEDDLE_SCALAR before = a;
  a = __hadd(a, HEDDLE_FROM_(float, rn)(1.0f));
  return before;
}
HEDDLE_NARROW_ HEDDLE_SCALAR& operator--(HEDDLE_SCALAR& a) {
  return a = __hsub(a, HEDDLE_FROM_(float, rn)(1.0f));
}
HEDDLE_NARROW_ HEDDLE_SCALAR operator--(HEDDLE_SCALAR& a, const int) {
  const HEDDLE_SCALAR before = a;
  a = __hsub(a, HEDDLE_FROM_(float, rn)(1.0f));
  return before;
}
HEDDLE_NARROW_ HEDDLE_SCALAR operator+(const HEDDLE_SCALAR& a) { return a; }
HEDDLE_NARROW_ HEDDLE_SCALAR operator-(const HEDDLE_SCALAR& a) { return __hneg(a); }
HEDDLE_NARROW_ bool operator==(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) { return __heq(a, b); }
HEDDLE_NARROW_ bool operator!=(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) { return __hneu(a, b); }
HEDDLE_NARROW_ bool operator>(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) { return __hgt(a, b); }
HEDDLE_NARROW_ bool operator<(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) { return __hlt(a, b); }
HEDDLE_NARROW_ bool operator>=(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) { return __hge(a, b); }
HEDDLE_NARROW_ bool operator<=(const HEDDLE_SCALAR& a, const HEDDLE_SCALAR& b) { return __hle(a, b); }
#endif
#ifdef HEDDLE_VECTOR_OPERATORS
HEDDLE_NARROW_ HEDDLE_VECTOR operator+(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) {
  return __hadd2(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR& operator+=(HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) {
  return a = __hadd2(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR operator-(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) {
  return __hsub2(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR& operator-=(HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) {
  return a = __hsub2(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR operator*(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) {
  return __hmul2(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR& operator*=(HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) {
  return a = __hmul2(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR operator/(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) {
  return __h2div(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR& operator/=(HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) {
  return a = __h2div(a, b);
}
HEDDLE_NARROW_ HEDDLE_VECTOR& operator++(HEDDLE_VECTOR& a) {
  return a = __hadd2(a, HEDDLE_VECTOR_FROM_FLOAT(1.0f));
}
HEDDLE_NARROW_ HEDDLE_VECTOR operator++(HEDDLE_VECTOR& a, const int) {
  const HEDDLE_VECTOR before = a;
  a = __hadd2(a, HEDDLE_VECTOR_FROM_FLOAT(1.0f));
  return before;
}
HEDDLE_NARROW_ HEDDLE_VECTOR& operator--(HEDDLE_VECTOR& a) {
  return a = __hsub2(a, HEDDLE_VECTOR_FROM_FLOAT(1.0f));
}
HEDDLE_NARROW_ HEDDLE_VECTOR operator--(HEDDLE_VECTOR& a, const int) {
  const HEDDLE_VECTOR before = a;
  a = __hsub2(a, HEDDLE_VECTOR_FROM_FLOAT(1.0f));
  return before;
}
HEDDLE_NARROW_ HEDDLE_VECTOR operator+(const HEDDLE_VECTOR& a) { return a; }
HEDDLE_NARROW_ HEDDLE_VECTOR operator-(const HEDDLE_VECTOR& a) { return __hneg2(a); }
HEDDLE_NARROW_ bool operator==(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) { return __hbeq2(a, b); }
HEDDLE_NARROW_ bool operator!=(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) { return __hbneu2(a, b); }
HEDDLE_NARROW_ bool operator>(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) { return __hbgt2(a, b); }
HEDDLE_NARROW_ bool operator<(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) { return __hblt2(a, b); }
HEDDLE_NARROW_ bool operator>=(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) { return __hbge2(a, b); }
HEDDLE_NARROW_ bool operator<=(const HEDDLE_VECTOR& a, const HEDDLE_VECTOR& b) { return __hble2(a, b); }
#endif

#if defined(__HEDDLE_CUDA__) && defined(__CUDACC__)

#define HEDDLE_DEVICE_ static __device__ __forceinline__

// ---- Mathematical functions: computed as float, rounded once

#define HEDDLE_MATH_(name, expression)                           \
  HEDDLE_DEVICE_ HEDDLE_SCALAR h##name(const HEDDLE_SCALAR h) {  \
    const float a = HEDDLE_TO(float)(h);                         \
    return HEDDLE_FROM_(float, rn)(expression);                  \
  }                                                              \
  HEDDLE_DEVICE_ HEDDLE_VECTOR h2##name(const HEDDLE_VECTOR h) { \
    return HEDDLE_VECTOR(h##name(h.x), h##name(h.y));            \
  }
HEDDLE_MATH_(sqrt, __fsqrt_rn(a))
HEDDLE_MATH_(rsqrt, rsqrtf(a))
HEDDLE_MATH_(rcp, __frcp_rn(a))
HEDDLE_MATH_(log, logf(a))
HEDDLE_MATH_(log2, log2f(a))
HEDDLE_MATH_(log10, log10f(a))
HEDDLE_MATH_(exp, expf(a))
HEDDLE_MATH_(exp2, exp2f(a))
HEDDLE_MATH_(exp10, exp10f(a))
HEDDLE_MATH_(cos, cosf(a))
HEDDLE_MATH_(sin, sinf(a))
HEDDLE_MATH_(tanh, tanhf(a))
HEDDLE_MATH_(ceil, ceilf(a))
HEDDLE_MATH_(floor, floorf(a))
HEDDLE_MATH_(rint, rintf(a))
HEDDLE_MATH_(trunc, truncf(a))
#undef HEDDLE_MATH_
HEDDLE_DEVICE_ HEDDLE_SCALAR htanh_approx(const HEDDLE_SCALAR a) {
#if HEDDLE_HAS(750) && !HEDDLE_FUSED_ONLY || HEDDLE_HAS(900)
  unsigned short result;
  asm("tanh.approx." HEDDLE_PTX " %0, %1;" : "=h"(result) : "h"(HEDDLE_AS(ushort)(a)));
  return HEDDLE_OF(ushort)(result);
#else
  return htanh(a);
#endif
}
HEDDLE_DEVICE_ HEDDLE_VECTOR h2tanh_approx(const HEDDLE_VECTOR a) {
  return HEDDLE_VECTOR(htanh_approx(a.x), htanh_approx(a.y));
}

// ---- Warps and memory

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
#define HEDDLE_SHUFFLE_(name, lane_type)                                                           \
  HEDDLE_DEVICE_ HEDDLE_SCALAR name##_sync(const unsigned int mask, const HEDDLE_SCALAR var,       \
                                           const lane_type lane, const int width = warpSize) {     \
    return HEDDLE_OF(ushort)(                                                                      \
        (unsigned short)name##_sync(mask, (unsigned int)HEDDLE_AS(ushort)(var), lane, width));     \
  }                                                                                                \
  HEDDLE_DEVICE_ HEDDLE_VECTOR name##_sync(const unsigned int mask, const HEDDLE_VECTOR var,       \
                                           const lane_type lane, const int width = warpSize) {     \
    HEDDLE_VECTOR result;                                                                          \
    heddle_narrow::from_word(result, name##_sync(mask, heddle_narrow::word_of(var), lane, width)); \
    return result;                                                                                 \
  }
HEDDLE_SHUFFLE_(__shfl, int)
HEDDLE_SHUFFLE_(__shfl_up, unsigned int)
HEDDLE_SHUFFLE_(__shfl_down, unsigned int)
HEDDLE_SHUFFLE_(__shfl_xor, int)
#undef HEDDLE_SHUFFLE_
#endif
// See crt/warp_without_mask.h.
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 300 && __CUDA_ARCH__ < 700)
#define HEDDLE_SHUFFLE_(name, lane_type)                                                               \
  HEDDLE_DEVICE_ HEDDLE_SCALAR name(const HEDDLE_SCALAR var, const lane_type lane,                     \
                                    const int width = warpSize) {                                      \
    return HEDDLE_OF(ushort)((unsigned short)name((unsigned int)HEDDLE_AS(ushort)(var), lane, width)); \
  }                                                                                                    \
  HEDDLE_DEVICE_ HEDDLE_VECTOR name(const HEDDLE_VECTOR var, const lane_type lane,                     \
                                    const int width = warpSize) {                                      \
    HEDDLE_VECTOR result;                                                                              \
    heddle_narrow::from_word(result, name(heddle_narrow::word_of(var), lane, width));                  \
    return result;                                                                                     \
  }
HEDDLE_SHUFFLE_(__shfl, int)
HEDDLE_SHUFFLE_(__shfl_up, unsigned int)
HEDDLE_SHUFFLE_(__shfl_down, unsigned int)
HEDDLE_SHUFFLE_(__shfl_xor, int)
#undef HEDDLE_SHUFFLE_
#endif

HEDDLE_CACHED_(HEDDLE_SCALAR)
HEDDLE_CACHED_(HEDDLE_VECTOR)
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
HEDDLE_DEVICE_ HEDDLE_SCALAR __ldg(const HEDDLE_SCALAR* const p) {
  return HEDDLE_OF(ushort)(__ldg((const unsigned short*)p));
}
HEDDLE_DEVICE_ HEDDLE_VECTOR __ldg(const HEDDLE_VECTOR* const p) {
  HEDDLE_VECTOR result;
  heddle_narrow::from_word(result, __ldg((const unsigned int*)p));
  return result;
}
#endif

// Devices without the instruction take the word around by compare-and-swap.
HEDDLE_DEVICE_ HEDDLE_VECTOR atomicAdd(HEDDLE_VECTOR* const address, const HEDDLE_VECTOR value) {
  HEDDLE_VECTOR old;
#if HEDDLE_HAS(HEDDLE_NATIVE_ATOMIC2)
  unsigned int word;
  asm volatile("atom.add.noftz." HEDDLE_PTX "x2 %0, [%1], %2;"
               : "=r"(word)
               : "l"(address), "r"(heddle_narrow::word_of(value))
               : "memory");
  heddle_narrow::from_word(old, word);
#else
  // Others change it meanwhile: volatile, a read that may meet atomic operations.
  unsigned int *word = (unsigned int*)address, seen = *(volatile unsigned int*)word, expected;
  do {
    expected = seen;
    heddle_narrow::from_word(old, expected);
    seen = atomicCAS(word, expected, heddle_narrow::word_of(__hadd2(old, value)));
  } while (seen != expected);
#endif
  return old;
}
HEDDLE_DEVICE_ HEDDLE_SCALAR atomicAdd(HEDDLE_SCALAR* const address, const HEDDLE_SCALAR value) {
#if HEDDLE_HAS(HEDDLE_NATIVE_ATOMIC)
  unsigned short old;
  asm volatile("atom.add.noftz." HEDDLE_PTX " %0, [%1], %2;"
               : "=h"(old)
               : "l"(address), "h"(HEDDLE_AS(ushort)(value))
               : "memory");
  return HEDDLE_OF(ushort)(old);
#else
  unsigned int* word = (unsigned int*)((size_t)address & ~(size_t)3);
  const int shift = (int)((size_t)address & 2) * 8;
  unsigned int seen = *(volatile unsigned int*)word, expected, sum;
  HEDDLE_SCALAR old;
  do {
    expected = seen;
    old = HEDDLE_OF(ushort)((unsigned short)(expected >> shift));
    sum = (expected & ~(0xffffu << shift)) | (unsigned int)HEDDLE_AS(ushort)(__hadd(old, value)) << shift;
    seen = atomicCAS(word, expected, sum);
  } while (seen != expected);
  return old;
#endif
}

#undef HEDDLE_DEVICE_

#endif
