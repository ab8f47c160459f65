// Device math functions are called by PTX that devices of compute capability 1.x know: with registers.
// RUN: %nvcc -ptx -arch=sm_13 %s -o - | FileCheck %s
// RUN: %nvcc -arch=sm_13 %s -o %t && env HEDDLE_DEVICE=gtx285 %t | FileCheck --check-prefix=RESULT %s
// CHECK: .extern .func {{ *}}(.reg .b64 func_retval0) __nv_exp
// CHECK: .reg .b64 __nv_exp_param_0
// CHECK: call.uni (%fd{{[0-9]+}}), __nv_exp, (%fd{{[0-9]+}});
// CHECK: call.uni (%f{{[0-9]+}}), __nv_powf, (%f{{[0-9]+}}, %f{{[0-9]+}});
// CHECK: call.uni (%f{{[0-9]+}}), __nv_ldexpf, (%f{{[0-9]+}}, %r{{[0-9]+}});
// RESULT: exp 2.71828, pow 8, ldexp 40
#include <cstdio>
extern "C" __global__ void kernel(double* d, float* f, int n) {
  d[0] = exp(d[0]);
  f[0] = powf(f[0], f[1]);
  f[2] = ldexpf(f[2], n);
}
int main() {
  double *d, one = 1;
  float *f, three[3] = {2, 3, 5};
  cudaMalloc(&d, sizeof one);
  cudaMalloc(&f, sizeof three);
  cudaMemcpy(d, &one, sizeof one, cudaMemcpyHostToDevice);
  cudaMemcpy(f, three, sizeof three, cudaMemcpyHostToDevice);
  kernel<<<1, 1>>>(d, f, 3);
  cudaMemcpy(&one, d, sizeof one, cudaMemcpyDeviceToHost);
  cudaMemcpy(three, f, sizeof three, cudaMemcpyDeviceToHost);
  std::printf("exp %g, pow %g, ldexp %g\n", one, three[0], three[2]);
}
