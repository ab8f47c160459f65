// Devices of compute capability 1.x have no instructions for fused multiplication and for most roundings: what a program asks for by
// name is correctly rounded, in software; what the compiler contracts is the device's multiply-add, whose product is truncated.
// RUN: %nvcc -ptx -arch=sm_13 %s -o - | FileCheck %s
// RUN: %nvcc -arch=sm_13 -std=c++17 %s -o %t && env HEDDLE_DEVICE=gtx285 %t | FileCheck --check-prefix=RESULT %s
// RUN: env HEDDLE_DEVICE=gtx285 HEDDLE_EXECUTOR=interp %t | FileCheck --check-prefix=RESULT %s
// RUN: %nvcc -ptx -arch=sm_20 %s -o - | FileCheck %s --check-prefix=LATER
// CHECK-DAG: call.uni (%f{{[0-9]+}}), __nv_fmaf_rn, (%f{{[0-9]+}}, %f{{[0-9]+}}, %f{{[0-9]+}});
// CHECK-DAG: call.uni (%f{{[0-9]+}}), __nv_fdiv_rn, (%f{{[0-9]+}}, %f{{[0-9]+}});
// CHECK-DAG: call.uni (%f{{[0-9]+}}), __nv_fadd_ru, (%f{{[0-9]+}}, %f{{[0-9]+}});
// CHECK-DAG: add.rn.f32
// CHECK-DAG: mul.rz.f32
// CHECK-DAG: mad.f32
// LATER-NOT: call
// LATER-DAG: fma.rp.f32
// LATER-DAG: div.rz.f32
// RESULT: fma 0 wrong, add 0 wrong, mul 0 wrong, div 0 wrong, rcp 0 wrong, sqrt 0 wrong
// RESULT: contracted differently: yes
#include <cmath>
#include <cstdio>
#include <cstring>

enum { fma_, add_, mul_, div_, rcp_, sqrt_, operations };

extern "C" __global__ void kernel(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  float* o = out + i * (operations * 4 + 1);
  o[0] = fmaf(a, b, c), o[1] = __fmaf_rz(a, b, c), o[2] = __fmaf_ru(a, b, c), o[3] = __fmaf_rd(a, b, c);
  o += 4, o[0] = __fadd_rn(a, c), o[1] = __fadd_rz(a, c), o[2] = __fadd_ru(a, c), o[3] = __fadd_rd(a, c);
  o += 4, o[0] = __fmul_rn(a, b), o[1] = __fmul_rz(a, b), o[2] = __fmul_ru(a, b), o[3] = __fmul_rd(a, b);
  o += 4, o[0] = __fdiv_rn(a, b), o[1] = __fdiv_rz(a, b), o[2] = __fdiv_ru(a, b), o[3] = __fdiv_rd(a, b);
  o += 4, o[0] = __frcp_rn(b), o[1] = __frcp_rz(b), o[2] = __frcp_ru(b), o[3] = __frcp_rd(b);
  float d = fabsf(a);
  o += 4, o[0] = __fsqrt_rn(d), o[1] = __fsqrt_rz(d), o[2] = __fsqrt_ru(d), o[3] = __fsqrt_rd(d);
  o[4] = a * b + c;
}

#ifndef __CUDA_ARCH__
// The sums and products below are exact in 113 digits; of quotients and roots so many are enough to tell on which side of a float they are.
using Exact = __float128;
Exact root_of(float x) {
  Exact r = std::sqrt(static_cast<double>(x));
  return x == 0 ? 0 : (r + static_cast<Exact>(x) / r) / 2;
}
float rounded(Exact exact, int how) {
  const float near = static_cast<float>(exact);
  if (how == 0 || near == exact) return near;
  const bool less = near < exact, outward = (exact > 0) == less;
  if (how == 1) return outward ? near : std::nextafter(near, 0.0f);
  if (how == 2) return less ? std::nextafter(near, INFINITY) : near;
  return less ? near : std::nextafter(near, -INFINITY);
}
int main() {
  constexpr int n = 2000, width = operations * 4 + 1;
  static float in[3 * n], out[n * width];
  unsigned state = 1;
  const auto next = [&] { return state = state * 1664525 + 1013904223, state >> 8; };
  for (int i = 0; i < n; ++i) {
    float* v = in + 3 * i;
    for (int k = 0; k < 3; ++k) v[k] = (next() & 1 ? -1.0f : 1.0f) * (1 + static_cast<float>(next() & 0x7fffff) * 0x1p-23f);
    if (i % 2) v[2] = -v[0] * v[1];         // the product's lost digits are the result
    if (i % 16 == 4) v[0] *= 0x1p-80f, v[1] *= 0x1p-60f, v[2] *= 0x1p-139f;  // subnormal results
    if (i % 16 == 6) v[0] *= 0x1p127f, v[2] *= 0x1p127f;
  }
  float *from, *to;
  cudaMalloc(&from, sizeof in);
  cudaMalloc(&to, sizeof out);
  cudaMemcpy(from, in, sizeof in, cudaMemcpyHostToDevice);
  kernel<<<(n + 63) / 64, 64>>>(from, to, n);
  cudaMemcpy(out, to, sizeof out, cudaMemcpyDeviceToHost);
  int wrong[operations] = {}, contracted = 0;
  for (int i = 0; i < n; ++i) {
    const Exact a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    const Exact exact[operations] = {a * b + c, a + c, a * b, a / b, 1 / b, root_of(std::fabs(in[3 * i]))};
    for (int k = 0; k < operations; ++k)
      for (int how = 0; how < 4; ++how) {
        float wanted = rounded(exact[k], how);
        // The device's own addition and multiplication have no subnormals.
        const bool instruction = (k == add_ || k == mul_) && how < 2;
        if (instruction && std::fabs(wanted) < 0x1p-126f) wanted = std::copysign(0.0f, wanted);
        if (instruction && std::fabs(in[3 * i + 2]) < 0x1p-126f && k == add_) wanted = in[3 * i];
        if (exact[k] == 0) wanted = how == 3 ? -0.0f : 0.0f;
        if (std::memcmp(&wanted, out + i * width + k * 4 + how, 4) != 0) ++wrong[k];
      }
    contracted += out[i * width + width - 1] != out[i * width];
  }
  std::printf("fma %d wrong, add %d wrong, mul %d wrong, div %d wrong, rcp %d wrong, sqrt %d wrong\n", wrong[0], wrong[1], wrong[2],
              wrong[3], wrong[4], wrong[5]);
  std::printf("contracted differently: %s\n", contracted > n / 4 ? "yes" : "no");
}
#endif
