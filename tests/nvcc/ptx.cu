// The PTX of a kernel: its architecture, and what the options for floating point change.
// RUN: %nvcc -ptx %s -o - | FileCheck --check-prefixes=CHECK,PLAIN %s
// RUN: %nvcc -ptx -arch=sm_90a %s -o - | FileCheck --check-prefix=LATE %s
// RUN: %nvcc -ptx -arch=compute_30 %s -o - | FileCheck --check-prefix=EARLY %s
// RUN: %nvcc -ptx -prec-div=false %s -o - | FileCheck --check-prefix=DIV %s
// RUN: %nvcc -ptx --prec-sqrt false %s -o - | FileCheck --check-prefix=SQRT %s
// RUN: %nvcc -ptx -ftz=true %s -o - | FileCheck --check-prefix=FTZ %s
// RUN: %nvcc -ptx -fmad=false %s -o - | FileCheck --check-prefix=FMAD %s
// RUN: %nvcc -ptx -use_fast_math %s -o - | FileCheck --check-prefix=FAST %s
// RUN: %nvcc -ptx -lineinfo %s -o - | FileCheck --check-prefix=LINE %s
// RUN: %nvcc -ptx -G %s -o - | FileCheck --check-prefix=DEBUG %s
extern "C" __global__ void k(float* p) {
  p[0] = p[1] / p[2];
  p[3] = sqrtf(p[4]);
  p[5] = p[6] * p[7] + p[8];
  p[9] = __fdiv_rn(p[10], p[11]);
}
// CHECK: .version 8.8
// CHECK: .target sm_52
// CHECK: .visible .entry k(
// PLAIN-NOT: .loc
// CHECK: div.rn.f32
// CHECK: sqrt.rn.f32
// CHECK: fma.rn.f32
// CHECK: div.rn.f32
// LATE: .target sm_90a
// EARLY: .target sm_30
// DIV: div.full.f32
// DIV: sqrt.rn.f32
// DIV: div.rn.f32
// SQRT: div.rn.f32
// SQRT: sqrt.approx.f32
// FTZ: div.rn.ftz.f32
// FTZ: sqrt.rn.ftz.f32
// FMAD-NOT: fma.rn.f32
// FMAD: mul{{(.rn)?}}.f32
// FMAD: add{{(.rn)?}}.f32
// FAST: div.approx.ftz.f32
// FAST: sqrt.approx.ftz.f32
// FAST: div.rn.ftz.f32
// LINE: .loc{{[[:space:]]+}}1 {{[0-9]+}}
// DEBUG: .target sm_52, debug
