// FP4: codes of numbers, ties to even and beyond the largest; back again; two in a byte.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_70 %s -o %t.ptx
// RUN: %heddle ptx run %t.ptx --kernel convert --arg code:out:u32*12 --arg back:out:f32*16 --arg pair:out:u32*3 | FileCheck %s
#include <cuda_fp4.h>

extern "C" __global__ void convert(unsigned* code, float* back, unsigned* pair) {
  const float from[12] = {0.0f, 0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5.0f, 5.1f, 100.0f, -0.3f, -1e30f};
  for (int i = 0; i < 12; ++i) code[i] = __nv_fp4_e2m1(from[i]).__x;
  for (unsigned i = 0; i < 16; ++i) {
    __nv_fp4_e2m1 number;
    number.__x = (unsigned char)i;
    back[i] = (float)number;
  }
  const __nv_fp4x2_e2m1 two(make_float2(1.0f, -6.0f));
  pair[0] = two.__x;
  pair[1] = __nv_fp4_e2m1(nanf("")).__x;
  pair[2] = __nv_cvt_float_to_fp4(2.9f, __NV_E2M1, cudaRoundZero);
}
// CHECK: code: 0 0 2 2 4 4 6 6 7 7 9 15
// CHECK: back: 0 0.5 1 1.5 2 3 4 6 -0 -0.5 -1 -1.5 -2 -3 -4 -6
// CHECK: pair: 242 7 4
