// Functions of libdevice that PTX alone expresses are part of programs for the devices that clang links no library for, too.
// RUN: %nvcc -arch=sm_13 %s -o %t && env HEDDLE_DEVICE=gtx285 %t | FileCheck %s
// RUN: %nvcc -arch=sm_20 %s -o %t && env HEDDLE_DEVICE=gtx480 %t | FileCheck %s
// RUN: %nvcc -ptx -arch=sm_20 -ftz=true %s -o - | FileCheck %s --check-prefix=FLUSHED
// CHECK: floor -2, larger 3, bits 4, nearest 4, root 0.5, high -3
// FLUSHED-NOT: call
// FLUSHED: max.ftz.f32
#include <cstdio>
extern "C" __global__ void kernel(float* f, int* n, float x, int i) {
  f[0] = floorf(-x), f[1] = fmaxf(x, 3), f[2] = rsqrtf(x + 2.5f), f[3] = rintf(3.5f * x - 1.25f);
  n[0] = __sad(i, 12, 1), n[2] = __mulhi(i << 28, 37);
}
int main() {
  float *f, floats[4];
  int *n, integers[3];
  cudaMalloc(&f, sizeof floats);
  cudaMalloc(&n, sizeof integers);
  kernel<<<1, 1>>>(f, n, 1.5f, 15);
  cudaMemcpy(floats, f, sizeof floats, cudaMemcpyDeviceToHost);
  cudaMemcpy(integers, n, sizeof integers, cudaMemcpyDeviceToHost);
  std::printf("floor %g, larger %g, bits %d, nearest %g, root %g, high %d\n", floats[0], floats[1], integers[0], floats[3],
              floats[2], integers[2]);
}
