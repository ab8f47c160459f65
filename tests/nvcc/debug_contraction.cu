// -G fuses nothing, as it optimises nothing; with -dopt it may.
// RUN: %nvcc -G -arch=sm_80 -ptx %s -o - | FileCheck %s
// RUN: %nvcc -G -fmad=true -arch=sm_80 -ptx %s -o - | FileCheck %s
// RUN: %nvcc -G -dopt=on -arch=sm_80 -ptx %s -o - | FileCheck --check-prefix=FUSED %s
// CHECK-NOT: fma
// FUSED: fma.rn.f32
extern "C" __global__ void kernel(float* a) { a[0] = a[1] * a[2] + a[3]; }
