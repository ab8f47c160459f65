// Arithmetic with a rounding of its own (CUDA Math API, "Single Precision Intrinsics", "Double Precision
// Intrinsics"): PTX's .rn, .rz, .ru, .rd.
#include "devlib.h"

extern "C" {

#define F32_2(text, a, b) ASM_FTZ(text, ".f32 %0, %1, %2;", float, "f", "f"(a), "f"(b))
#define F32_1(text, a) ASM_FTZ(text, ".f32 %0, %1;", float, "f", "f"(a))
#define F64_2(text, a, b) ASM(text ".f64 %0, %1, %2;", double, "d", "d"(a), "d"(b))
#define F64_1(text, a) ASM(text ".f64 %0, %1;", double, "d", "d"(a))

#define ARITHMETIC(r, m)                                                                   \
  API float __nv_fadd_##r(float a, float b) { return F32_2("add." #m, a, b); }             \
  API float __nv_fsub_##r(float a, float b) { return F32_2("sub." #m, a, b); }             \
  API float __nv_fmul_##r(float a, float b) { return F32_2("mul." #m, a, b); }             \
  API float __nv_fdiv_##r(float a, float b) { return F32_2("div." #m, a, b); }             \
  API float __nv_frcp_##r(float a) { return F32_1("rcp." #m, a); }                         \
  API float __nv_fsqrt_##r(float a) { return F32_1("sqrt." #m, a); }                       \
  API float __nv_fmaf_##r(float a, float b, float c) {                                     \
    return ASM_FTZ("fma." #m, ".f32 %0, %1, %2, %3;", float, "f", "f"(a), "f"(b), "f"(c)); \
  }                                                                                        \
  API float __nv_fmaf_ieee_##r(float a, float b, float c) {                                \
    return ASM("fma." #m ".f32 %0, %1, %2, %3;", float, "f", "f"(a), "f"(b), "f"(c));      \
  }                                                                                        \
  API double __nv_dadd_##r(double a, double b) { return F64_2("add." #m, a, b); }          \
  API double __nv_dsub_##r(double a, double b) { return F64_2("sub." #m, a, b); }          \
  API double __nv_dmul_##r(double a, double b) { return F64_2("mul." #m, a, b); }          \
  API double __nv_ddiv_##r(double a, double b) { return F64_2("div." #m, a, b); }          \
  API double __nv_drcp_##r(double a) { return F64_1("rcp." #m, a); }                       \
  API double __nv_dsqrt_##r(double a) { return F64_1("sqrt." #m, a); }                     \
  API double __nv_fma_##r(double a, double b, double c) {                                  \
    return ASM("fma." #m ".f64 %0, %1, %2, %3;", double, "d", "d"(a), "d"(b), "d"(c));     \
  }
ROUNDINGS(ARITHMETIC)

API float __nv_fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
API double __nv_fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
// -prec-sqrt=false makes it sqrt.approx.
API float __nv_sqrtf(float a) { return __builtin_elementwise_sqrt(a); }
API double __nv_sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
API double __nv_rcp64h(double a) { return __nvvm_rcp_approx_ftz_d(a); }

// Correctly rounded: of all floats the exact result comes no nearer to the middle of two than the double's
// error (all 2^24 significands of two binades were tried).
API float __nv_frsqrt_rn(float a) {
  float flushed = FTZ && __builtin_fabsf(a) < 1.17549435e-38f ? __builtin_copysignf(0.0f, a) : a;
  return (float)(1.0 / __nvvm_sqrt_rn_d((double)flushed));
}

API float __nv_saturatef(float a) { return F32(saturate, a); }
API double __nv_fmin(double a, double b) { return __builtin_fmin(a, b); }
API double __nv_fmax(double a, double b) { return __builtin_fmax(a, b); }
API float __nv_fminf(float a, float b) { return __builtin_fminf(a, b); }
API float __nv_fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
}
