// Conversions with a rounding of their own (CUDA Math API, "Type Casting Intrinsics"). PTX's cvt saturates to
// the integer's range.
#include "devlib.h"

extern "C" {

#define CONVERSIONS(r, m)                                                                                 \
  API int __nv_float2int_##r(float a) {                                                                   \
    return ASM_FTZ("cvt." #m "i", ".s32.f32 %0, %1;", int, "r", "f"(a));                                  \
  }                                                                                                       \
  API u32 __nv_float2uint_##r(float a) {                                                                  \
    return ASM_FTZ("cvt." #m "i", ".u32.f32 %0, %1;", u32, "r", "f"(a));                                  \
  }                                                                                                       \
  API s64 __nv_float2ll_##r(float a) {                                                                    \
    return ASM_FTZ("cvt." #m "i", ".s64.f32 %0, %1;", s64, "l", "f"(a));                                  \
  }                                                                                                       \
  API u64 __nv_float2ull_##r(float a) {                                                                   \
    return ASM_FTZ("cvt." #m "i", ".u64.f32 %0, %1;", u64, "l", "f"(a));                                  \
  }                                                                                                       \
  API int __nv_double2int_##r(double a) { return ASM("cvt." #m "i.s32.f64 %0, %1;", int, "r", "d"(a)); }  \
  API u32 __nv_double2uint_##r(double a) { return ASM("cvt." #m "i.u32.f64 %0, %1;", u32, "r", "d"(a)); } \
  API s64 __nv_double2ll_##r(double a) { return ASM("cvt." #m "i.s64.f64 %0, %1;", s64, "l", "d"(a)); }   \
  API u64 __nv_double2ull_##r(double a) { return ASM("cvt." #m "i.u64.f64 %0, %1;", u64, "l", "d"(a)); }  \
  API float __nv_double2float_##r(double a) {                                                             \
    return ASM_FTZ("cvt." #m, ".f32.f64 %0, %1;", float, "f", "d"(a));                                    \
  }                                                                                                       \
  API float __nv_int2float_##r(int a) { return ASM("cvt." #m ".f32.s32 %0, %1;", float, "f", "r"(a)); }   \
  API float __nv_uint2float_##r(u32 a) { return ASM("cvt." #m ".f32.u32 %0, %1;", float, "f", "r"(a)); }  \
  API float __nv_ll2float_##r(s64 a) { return ASM("cvt." #m ".f32.s64 %0, %1;", float, "f", "l"(a)); }    \
  API float __nv_ull2float_##r(u64 a) { return ASM("cvt." #m ".f32.u64 %0, %1;", float, "f", "l"(a)); }   \
  API double __nv_ll2double_##r(s64 a) { return ASM("cvt." #m ".f64.s64 %0, %1;", double, "d", "l"(a)); } \
  API double __nv_ull2double_##r(u64 a) { return ASM("cvt." #m ".f64.u64 %0, %1;", double, "d", "l"(a)); }
ROUNDINGS(CONVERSIONS)

API double __nv_int2double_rn(int a) { return a; }
API double __nv_uint2double_rn(u32 a) { return a; }
API short __nv_float2half_rn(float a) {
  short half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(a));
  return half;
}
API float __nv_half2float(short a) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(a));
  return value;
}

// To the nearest integer, halves to even (rint) or away from zero (round).
API s64 __nv_llrint(double a) { return __nvvm_d2ll_rn(a); }
API s64 __nv_llrintf(float a) { return __nv_float2ll_rn(a); }
API double __nv_rint(double a) { return __builtin_rint(a); }
API float __nv_rintf(float a) { return __builtin_rintf(a); }
API double __nv_nearbyint(double a) { return __builtin_rint(a); }
API float __nv_nearbyintf(float a) { return __builtin_rintf(a); }
API double __nv_trunc(double a) { return __builtin_trunc(a); }
API float __nv_truncf(float a) { return __builtin_truncf(a); }
API double __nv_floor(double a) { return __builtin_floor(a); }
API float __nv_floorf(float a) { return __builtin_floorf(a); }
API double __nv_ceil(double a) { return __builtin_ceil(a); }
API float __nv_ceilf(float a) { return __builtin_ceilf(a); }
static inline double away_from_zero(double a) {
  double whole = __builtin_trunc(a);
  double away = whole + __builtin_copysign(1.0, a);
  return __builtin_fabs(a - whole) >= 0.5 ? away : whole;
}
static inline float away_from_zero_f(float a) {
  float whole = __builtin_truncf(a);
  float away = whole + __builtin_copysignf(1.0f, a);
  return __builtin_fabsf(a - whole) >= 0.5f ? away : whole;
}
API s64 __nv_llround(double a) { return __nvvm_d2ll_rz(away_from_zero(a)); }
API s64 __nv_llroundf(float a) { return __nvvm_f2ll_rz(away_from_zero_f(a)); }

API int __nv_float_as_int(float a) { return (int)bits_of_float(a); }
API u32 __nv_float_as_uint(float a) { return bits_of_float(a); }
API float __nv_int_as_float(int a) { return float_of_bits((u32)a); }
API float __nv_uint_as_float(u32 a) { return float_of_bits(a); }
API s64 __nv_double_as_longlong(double a) { return (s64)bits_of_double(a); }
API double __nv_longlong_as_double(s64 a) { return double_of_bits((u64)a); }
API int __nv_double2hiint(double a) { return (int)(bits_of_double(a) >> 32); }
API int __nv_double2loint(double a) { return (int)bits_of_double(a); }
API double __nv_hiloint2double(int high, int low) { return double_of_bits((u64)(u32)high << 32 | (u32)low); }
}
