// What devlib's sources share. They become libdevice.10.bc: the `__nv_*` functions behind CUDA's device math
// that PTX's own instructions express exactly. The others (sin, exp, pow ...) stay calls: the executors bind
// them.
#ifndef HEDDLE_DEVLIB_H
#define HEDDLE_DEVLIB_H

#define API __attribute__((always_inline, nothrow))

// LLVM replaces it by what the compilation asked for: 1 with -ftz=true ("User Guide for NVPTX Back-end",
// "Reflection Parameters").
#define FTZ __nvvm_reflect("__CUDA_FTZ")
// Calls macro(CUDA's name of a rounding, LLVM's).
#define ROUNDINGS(macro) macro(rn, rn) macro(rz, rz) macro(ru, rp) macro(rd, rm)
// An instruction that LLVM must not see through: it takes add.rn for an addition that may be fused, a
// division's rounding for a hint, and the conversions' .rz for its own fptosi, which is undefined where PTX
// saturates.
#define ASM(text, result, constraint, ...)                \
  ({                                                      \
    result asm_result;                                    \
    asm(text : "=" constraint(asm_result) : __VA_ARGS__); \
    asm_result;                                           \
  })
#define ASM_FTZ(before, after, result, constraint, ...)            \
  (FTZ ? ASM(before ".ftz" after, result, constraint, __VA_ARGS__) \
       : ASM(before after, result, constraint, __VA_ARGS__))
// One instruction of LLVM's in its two forms.
#define F32(name, ...) (FTZ ? __nvvm_##name##_ftz_f(__VA_ARGS__) : __nvvm_##name##_f(__VA_ARGS__))

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

static inline u32 bits_of_float(float a) { return __builtin_bit_cast(u32, a); }
static inline float float_of_bits(u32 a) { return __builtin_bit_cast(float, a); }
static inline u64 bits_of_double(double a) { return __builtin_bit_cast(u64, a); }
static inline double double_of_bits(u64 a) { return __builtin_bit_cast(double, a); }

#endif
