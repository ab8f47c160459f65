// Architectures after clang's newest: their macros, their .target, and their instructions from inline PTX.
// RUN: %nvcc -ptx -arch=compute_90a %s -o - | FileCheck --check-prefix=HOPPER %s
// RUN: %nvcc -ptx -arch=compute_100 %s -o - | FileCheck --check-prefix=PLAIN %s
// RUN: %nvcc -ptx -arch=compute_100f %s -o - | FileCheck --check-prefix=FAMILY %s
// RUN: %nvcc -ptx -arch=compute_103a %s -o - | FileCheck --check-prefix=EXACT %s
// RUN: %nvcc -ptx -arch=compute_110 %s -o - | FileCheck --check-prefix=THOR %s
// RUN: %nvcc -gencode arch=compute_90,code=sm_90 -gencode arch=compute_100a,code=sm_100a -gencode arch=compute_120,code=compute_120 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 %t | FileCheck --check-prefix=H200 %s
// RUN: env HEDDLE_DEVICE=b200 %t | FileCheck --check-prefix=B200 %s
// RUN: env HEDDLE_DEVICE=rtx5090 %t | FileCheck --check-prefix=RTX %s
#include <cstdio>
#ifdef __CUDA__
#error nvcc does not define __CUDA__
#endif

// The maximum of three is an instruction from compute_100 on.
__device__ float largest(float a, float b, float c) {
#if __CUDA_ARCH__ >= 1000
  asm("max.f32 %0, %1, %2, %3;" : "=f"(a) : "f"(a), "f"(b), "f"(c));
  return a;
#else
  return fmaxf(fmaxf(a, b), c);
#endif
}

extern "C" __global__ void k(int* out, float* largest_of) {
#ifdef __CUDA_ARCH__
  out[0] = __CUDA_ARCH__;
#endif
#ifdef __CUDA_ARCH_SPECIFIC__
  out[1] = __CUDA_ARCH_SPECIFIC__;
#endif
#ifdef __CUDA_ARCH_FAMILY_SPECIFIC__
  out[2] = __CUDA_ARCH_FAMILY_SPECIFIC__;
#endif
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  out[3] = 90;
#endif
#ifdef __CUDA_ARCH_FEAT_SM100_ALL
  out[3] = 100;
#endif
#if __CUDA_ARCH_HAS_FEATURE__(SM103_ALL)
  out[3] = 103;
#endif
  *largest_of = largest(largest_of[0], largest_of[1], largest_of[2]);
}
// What NVIDIA's nvcc 13.0 stores for each of these.
// HOPPER: .target sm_90a
// HOPPER: mov.b32 %[[ARCH:r[0-9]+]], 900;
// HOPPER: st.global.u32 [%[[OUT:rd[0-9]+]]], %[[ARCH]];
// HOPPER: st.global.u32 [%[[OUT]]+4], %[[ARCH]];
// HOPPER: st.global.u32 [%[[OUT]]+8], %[[ARCH]];
// HOPPER: mov.b32 %[[FEATURE:r[0-9]+]], 90;
// HOPPER: st.global.u32 [%[[OUT]]+12], %[[FEATURE]];
// PLAIN: .version 8.8
// PLAIN: .target sm_100{{$}}
// PLAIN: mov.b32 %[[ARCH:r[0-9]+]], 1000;
// PLAIN: st.global.u32 [%[[OUT:rd[0-9]+]]], %[[ARCH]];
// PLAIN-NOT: st.global.u32
// PLAIN: max.f32 %f{{[0-9]+}}, %f{{[0-9]+}}, %f{{[0-9]+}}, %f{{[0-9]+}};
// FAMILY: .target sm_100f
// FAMILY: mov.b32 %[[ARCH:r[0-9]+]], 1000;
// FAMILY: st.global.u32 [%[[OUT:rd[0-9]+]]], %[[ARCH]];
// FAMILY-NEXT: st.global.u32 [%[[OUT]]+8], %[[ARCH]];
// FAMILY-NOT: st.global.u32
// EXACT: .target sm_103a
// EXACT: mov.b32 %[[ARCH:r[0-9]+]], 1030;
// EXACT: st.global.u32 [%[[OUT:rd[0-9]+]]], %[[ARCH]];
// EXACT: st.global.u32 [%[[OUT]]+4], %[[ARCH]];
// EXACT: st.global.u32 [%[[OUT]]+8], %[[ARCH]];
// EXACT: mov.b32 %[[FEATURE:r[0-9]+]], 103;
// EXACT: st.global.u32 [%[[OUT]]+12], %[[FEATURE]];
// THOR: .version 9.0
// THOR: .target sm_110{{$}}
// THOR: mov.b32 %r{{[0-9]+}}, 1100;

int main() {
  int* out;
  float* values;
  cudaMallocManaged(&out, 4 * sizeof *out);
  cudaMallocManaged(&values, 3 * sizeof *values);
  for (int i = 0; i < 4; ++i) out[i] = 0;
  for (int i = 0; i < 3; ++i) values[i] = 2.0f * i;
  k<<<1, 1>>>(out, values);
  const cudaError_t done = cudaDeviceSynchronize();
  std::printf("%s: %d %d %d %d, %g\n", cudaGetErrorString(done), out[0], out[1], out[2], out[3], values[0]);
}
// H200: no error: 900 0 0 0, 4
// B200: no error: 1000 1000 1000 100, 4
// RTX: no error: 1200 0 0 0, 4
