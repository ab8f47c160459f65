// What -use_fast_math makes of functions and operators (CUDA C++ Programming Guide, "Functions Affected by -use_fast_math", and nvcc's
// documentation of the option: -ftz=true -prec-div=false -prec-sqrt=false -fmad=true); doubles, and functions asked for by
// name, stay as they are.
// RUN: %nvcc -use_fast_math -arch=sm_80 -ptx %s -o - | FileCheck %s
// RUN: %nvcc -use_fast_math -arch=sm_70 -ptx %s -o - | FileCheck --check-prefix=OLD %s
// RUN: %nvcc -arch=sm_80 -ptx %s -o - | FileCheck --check-prefix=EXACT %s
// EXACT-NOT: approx
// EXACT-NOT: ftz
// OLD-NOT: tanh.approx
#define ONE(f) \
  extern "C" __global__ void k_##f(float* a) { a[0] = f(a[1]); }
#define STD(f) \
  extern "C" __global__ void std_##f(float* a) { a[0] = std::f(a[1]); }
// CHECK-LABEL: .entry k_sinf(
// CHECK: sin.approx.ftz.f32
ONE(sinf)
// CHECK-LABEL: .entry k_cosf(
// CHECK: cos.approx.ftz.f32
ONE(cosf)
// CHECK-LABEL: .entry k_tanf(
// CHECK: sin.approx.ftz.f32
// CHECK: cos.approx.ftz.f32
// CHECK: div.approx.ftz.f32
ONE(tanf)
// CHECK-LABEL: .entry k_expf(
// CHECK: ex2.approx.ftz.f32
ONE(expf)
// CHECK-LABEL: .entry k_exp10f(
// CHECK: ex2.approx.ftz.f32
ONE(exp10f)
// CHECK-LABEL: .entry k_logf(
// CHECK: lg2.approx.ftz.f32
ONE(logf)
// CHECK-LABEL: .entry k_log2f(
// CHECK: lg2.approx.ftz.f32
ONE(log2f)
// CHECK-LABEL: .entry k_log10f(
// CHECK: lg2.approx.ftz.f32
ONE(log10f)
// CHECK-LABEL: .entry k_tanhf(
// CHECK: tanh.approx.f32
ONE(tanhf)
// CHECK-LABEL: .entry k_sqrtf(
// CHECK: sqrt.approx.ftz.f32
ONE(sqrtf)
// CHECK-LABEL: .entry std_exp(
// CHECK: ex2.approx.ftz.f32
STD(exp)
// CHECK-LABEL: .entry std_tan(
// CHECK: sin.approx.ftz.f32
STD(tan)
// CHECK-LABEL: .entry std_log10(
// CHECK: lg2.approx.ftz.f32
STD(log10)
// CHECK-LABEL: .entry k_powf(
// CHECK: lg2.approx.ftz.f32
// CHECK: ex2.approx.ftz.f32
extern "C" __global__ void k_powf(float* a) { a[0] = powf(a[1], a[2]); }
// CHECK-LABEL: .entry std_pow(
// CHECK: ex2.approx.ftz.f32
extern "C" __global__ void std_pow(float* a) { a[0] = std::pow(a[1], a[2]); }
// CHECK-LABEL: .entry k_sincosf(
// CHECK: sin.approx.ftz.f32
// CHECK: cos.approx.ftz.f32
extern "C" __global__ void k_sincosf(float* a) { sincosf(a[1], a, a + 2); }
// CHECK-LABEL: .entry k_fdividef(
// CHECK: div.approx.ftz.f32
extern "C" __global__ void k_fdividef(float* a) { a[0] = fdividef(a[1], a[2]); }
// CHECK-LABEL: .entry k_div(
// CHECK: div.approx.ftz.f32
extern "C" __global__ void k_div(float* a) { a[0] = a[1] / a[2]; }
// CHECK-LABEL: .entry k_rcp(
// CHECK: rcp.approx.ftz.f32
extern "C" __global__ void k_rcp(float* a) { a[0] = 1 / a[2]; }
// CHECK-LABEL: .entry k_rsqrt(
// CHECK-NOT: {{rcp|div|[^r]sqrt}}
// CHECK: rsqrt.approx.ftz.f32
extern "C" __global__ void k_rsqrt(float* a) { a[0] = 1 / sqrtf(a[2]); }
// CHECK-LABEL: .entry k_fma(
// CHECK: fma.rn.ftz.f32
extern "C" __global__ void k_fma(float* a) { a[0] = a[1] * a[2] + a[3]; }
// CHECK-LABEL: .entry k_asked(
// CHECK-NOT: approx
// CHECK: div.rn.ftz.f32
extern "C" __global__ void k_asked(float* a) { a[0] = __fdiv_rn(a[1], a[2]); }
// CHECK-LABEL: .entry k_double(
// CHECK: div.rn.f64
extern "C" __global__ void k_double(double* a) { a[0] = sqrt(a[1]) / a[2]; }
