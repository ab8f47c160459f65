// Functions with a rounding of their own stay single instructions: not fused, not folded with another rounding, not made fast; -ftz reaches them.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_80 %s -o - | FileCheck %s --check-prefixes=CHECK,PLAIN
// RUN: %cuda_ptx --cuda-gpu-arch=sm_80 -ffast-math -fgpu-flush-denormals-to-zero %s -o - | FileCheck %s --check-prefixes=CHECK,FAST
extern "C" __global__ void rounding(float* f, double* d) {
  // PLAIN: mul.rn.f32
  // PLAIN: add.rn.f32
  // FAST: mul.rn.ftz.f32
  // FAST: add.rn.ftz.f32
  f[0] = __fadd_rn(__fmul_rn(f[1], f[2]), f[3]);
  // PLAIN: fma.rn.f32
  // FAST: fma.rn.ftz.f32
  f[4] = f[5] * f[6] + f[7];
  // PLAIN: div.rn.f32
  // FAST: div.rn.ftz.f32
  f[8] = __fdiv_rn(f[9], f[10]);
  // PLAIN: div.rn.f32
  // FAST: div.approx.ftz.f32
  f[13] = f[14] / f[15];
  // CHECK: mul.rn.f64
  // CHECK: add.f64
  d[0] = __dmul_rn(d[1], d[2]) + d[3];
  // CHECK: cvt.rz.f32.s32
  f[16] = __int2float_rz(16777219);
}
