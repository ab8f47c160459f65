// Integer functions, and the parts of floating point numbers (CUDA Math API, "Integer Intrinsics", "Single
// Precision Mathematical Functions").
#include "devlib.h"

extern "C" {

API int __nv_abs(int a) { return a < 0 ? (int)(0u - (u32)a) : a; }
API s64 __nv_llabs(s64 a) { return a < 0 ? (s64)(0ull - (u64)a) : a; }
API int __nv_min(int a, int b) { return a < b ? a : b; }
API int __nv_max(int a, int b) { return a > b ? a : b; }
API u32 __nv_umin(u32 a, u32 b) { return a < b ? a : b; }
API u32 __nv_umax(u32 a, u32 b) { return a > b ? a : b; }
API s64 __nv_llmin(s64 a, s64 b) { return a < b ? a : b; }
API s64 __nv_llmax(s64 a, s64 b) { return a > b ? a : b; }
API u64 __nv_ullmin(u64 a, u64 b) { return a < b ? a : b; }
API u64 __nv_ullmax(u64 a, u64 b) { return a > b ? a : b; }
API u32 __nv_brev(u32 a) { return __builtin_bitreverse32(a); }
API u64 __nv_brevll(u64 a) { return __builtin_bitreverse64(a); }
API int __nv_clz(int a) { return a ? __builtin_clz((u32)a) : 32; }
API int __nv_clzll(s64 a) { return a ? __builtin_clzll((u64)a) : 64; }
API int __nv_popc(u32 a) { return __builtin_popcount(a); }
API int __nv_popcll(u64 a) { return __builtin_popcountll(a); }
API int __nv_ffs(int a) { return a ? __builtin_ctz((u32)a) + 1 : 0; }
API int __nv_ffsll(s64 a) { return a ? __builtin_ctzll((u64)a) + 1 : 0; }
API u32 __nv_byte_perm(u32 a, u32 b, u32 selector) {
  u32 result;
  // The intrinsic's selector uses three bits a byte; prmt's fourth would copy signs.
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(selector & 0x7777));
  return result;
}
API int __nv_mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
API u32 __nv_umul24(u32 a, u32 b) { return __nvvm_mul24_ui(a, b); }
API int __nv_mulhi(int a, int b) { return (int)(((s64)a * b) >> 32); }
API u32 __nv_umulhi(u32 a, u32 b) { return (u32)(((u64)a * b) >> 32); }
API s64 __nv_mul64hi(s64 a, s64 b) { return __nvvm_mulhi_ll(a, b); }
API u64 __nv_umul64hi(u64 a, u64 b) { return __nvvm_mulhi_ull(a, b); }
API u32 __nv_sad(int a, int b, u32 c) { return (a > b ? (u32)a - (u32)b : (u32)b - (u32)a) + c; }
API u32 __nv_usad(u32 a, u32 b, u32 c) { return (a > b ? a - b : b - a) + c; }
// Means without overflow: rounded down, and up.
API int __nv_hadd(int a, int b) { return (a & b) + ((a ^ b) >> 1); }
API u32 __nv_uhadd(u32 a, u32 b) { return (a & b) + ((a ^ b) >> 1); }
API int __nv_rhadd(int a, int b) { return (a | b) - ((a ^ b) >> 1); }
API u32 __nv_urhadd(u32 a, u32 b) { return (a | b) - ((a ^ b) >> 1); }

API double __nv_fabs(double a) { return __builtin_fabs(a); }
API float __nv_fabsf(float a) { return __builtin_fabsf(a); }
API double __nv_copysign(double a, double b) {
  return double_of_bits((bits_of_double(a) & ~(1ull << 63)) | (bits_of_double(b) & (1ull << 63)));
}
API float __nv_copysignf(float a, float b) {
  return float_of_bits((bits_of_float(a) & ~(1u << 31)) | (bits_of_float(b) & (1u << 31)));
}
API int __nv_signbitd(double a) { return (int)(bits_of_double(a) >> 63); }
API int __nv_signbitf(float a) { return (int)(bits_of_float(a) >> 31); }
API int __nv_isnand(double a) { return (bits_of_double(a) << 1) > 0xffe0000000000000ull; }
API int __nv_isnanf(float a) { return (bits_of_float(a) << 1) > 0xff000000u; }
API int __nv_isinfd(double a) { return (bits_of_double(a) << 1) == 0xffe0000000000000ull; }
API int __nv_isinff(float a) { return (bits_of_float(a) << 1) == 0xff000000u; }
API int __nv_isfinited(double a) { return (bits_of_double(a) << 1) < 0xffe0000000000000ull; }
API int __nv_finitef(float a) { return (bits_of_float(a) << 1) < 0xff000000u; }

// The payload is ignored, as CUDA documents for nan().
API double __nv_nan(const char*) { return double_of_bits(0x7ff8000000000000ull); }
API float __nv_nanf(const char*) { return float_of_bits(0x7fffffffu); }
}
