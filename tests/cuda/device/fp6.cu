// FP6: codes of numbers, ties to even and beyond the largest; every code back again; two and four in bytes.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_70 %s -o %t.ptx
// RUN: %heddle ptx run %t.ptx --kernel convert --arg fine:out:u32*12 --arg wide:out:u32*12 --arg back:out:f32*64 --arg several:out:u32*5 | FileCheck %s
#include <cuda_fp4.h>
#include <cuda_fp6.h>

extern "C" __global__ void convert(unsigned* fine, unsigned* wide, float* back, unsigned* several) {
  const float from[12] = {0.0f,    0.0625f, 0.1875f, 0.3f,  1.0f,   1.0625f,
                          1.1875f, 7.5f,    7.7f,    28.0f, -0.25f, -1e30f};
  for (int i = 0; i < 12; ++i) {
    fine[i] = __nv_fp6_e2m3(from[i]).__x;
    wide[i] = __nv_fp6_e3m2(from[i]).__x;
  }
  for (unsigned i = 0; i < 32; ++i) {
    __nv_fp6_e2m3 a;
    __nv_fp6_e3m2 b;
    a.__x = b.__x = (unsigned char)i;
    back[i] = (float)a;
    back[32 + i] = (float)b;
  }
  several[0] = __nv_fp6x2_e2m3(make_float2(1.0f, -7.5f)).__x;
  several[1] = __nv_fp6x4_e3m2(make_float4(1.0f, -28.0f, 0.0625f, 2.0f)).__x;
  several[2] = __nv_fp6_e3m2(nanf("")).__x;
  several[3] = __nv_cvt_float_to_fp6(2.9f, __NV_E3M2, cudaRoundZero);
  several[4] = (unsigned)(int)__nv_fp6_e3m2(__float2half(20.0f));
}
// CHECK: fine: 0 0 2 2 8 8 10 31 31 31 34 63
// CHECK: wide: 0 1 3 5 12 12 13 24 24 31 36 63
// CHECK: back: 0 0.125 0.25 0.375 0.5 0.625 0.75 0.875 1 1.125 1.25 1.375 1.5 1.625 1.75 1.875 2 2.25 2.5 2.75 3 3.25 3.5 3.75 4 4.5 5 5.5 6 6.5 7 7.5 0 0.0625 0.125 0.1875 0.25 0.3125 0.375 0.4375 0.5 0.625 0.75 0.875 1 1.25 1.5 1.75 2 2.5 3 3.5 4 5 6 7 8 10 12 14 16 20 24 28
// CHECK: several: 16136 268517132 31 17 20
