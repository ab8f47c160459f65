// E8M0, the scales of blocks: every code there and back, rounding between two of them, and the ends, on both sides.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_52 %s -o %t52.ptx
// RUN: %cuda_ptx --cuda-gpu-arch=sm_90 %s -o %t90.ptx
// RUN: %heddle ptx run %t52.ptx --kernel codes --block 256 --arg wrong:inout:u32=0 | FileCheck %s
// RUN: %heddle ptx run %t90.ptx --kernel codes --block 256 --arg wrong:inout:u32=0 | FileCheck %s
// RUN: clang++-19 -x c++ -std=c++17 -DHOST -isystem %cuda_include %s -o %t.host && %t.host
// RUN: g++ -x c++ -std=c++17 -DHOST -isystem %cuda_include %s -o %t.gcc && %t.gcc
#include <cuda_fp8.h>

static __inline__ __host__ __device__ int wrong(unsigned code) {
  __nv_fp8_e8m0 scale;
  scale.__x = (__nv_fp8_storage_t)code;
  const float value = (float)scale;
  const auto encode = [](double x, bool saturate, bool up) {
    return (unsigned)__nv_cvt_double_to_e8m0(x, saturate ? __NV_SATFINITE : __NV_NOSAT, up ? cudaRoundPosInf : cudaRoundZero);
  };
  if (code == 255) return value == value || encode(value, true, true) != 255 || encode(value, false, false) != 255;
  // 2^(code - 127)
  double power = 1;
  for (unsigned i = 127; i < code; ++i) power *= 2;
  for (unsigned i = code; i < 127; ++i) power /= 2;
  int bad = (double)value != power;
  for (const bool saturate : {false, true}) {
    bad += encode(power, saturate, true) != code || encode(-power, saturate, false) != code;
    // Between this power and the next: above the last there is none.
    const unsigned next = code < 254 ? code + 1 : saturate ? 254 : 255;
    bad += encode(power * 1.0000000001, saturate, true) != next || encode(power * 1.9999999999, saturate, false) != code;
  }
  bad += __nv_fp8_e8m0(value).__x != code || __nv_fp8_e8m0(__nv_bfloat16(scale)).__x != code;
  const __nv_fp8x2_e8m0 two(make_float2(value, 3.0f));
  bad += (two.__x & 255) != code || two.__x >> 8 != 129 || ((float2)two).y != 4.0f;
  const __nv_fp8x4_e8m0 four(make_float4(1, value, 2, 0.5f));
  bad += four.__x != (127u | code << 8 | 128u << 16 | 126u << 24);
  if (code < 127 || code >= 127 + 63) return bad;
  // Integers, whose last bit counts.
  const unsigned long long whole = 1ull << (code - 127);
  bad += __nv_fp8_e8m0(whole).__x != code || (unsigned long long)scale != whole;
  bad += __nv_fp8_e8m0(-(long long)whole).__x != code;
  if (whole > 1) bad += __nv_fp8_e8m0(whole + 1).__x != code + 1;
  return bad;
}

static __inline__ __host__ __device__ int wrong_ends() {
  int bad = __nv_fp8_e8m0(0.0f).__x != 0 || __nv_fp8_e8m0(0).__x != 0 || __nv_fp8_e8m0(1e-300).__x != 0;
  const double infinity = __builtin_inf();
  bad += __nv_fp8_e8m0(infinity).__x != 254 || __nv_cvt_double_to_e8m0(infinity, __NV_NOSAT, cudaRoundZero) != 255;
  bad += __nv_cvt_double_to_e8m0(1e300, __NV_NOSAT, cudaRoundZero) != 254;  // towards zero it is the greatest
  bad += __nv_cvt_double_to_e8m0(1e300, __NV_NOSAT, cudaRoundPosInf) != 255;
  return bad;
}

#ifdef HOST
int main() {
  int bad = wrong_ends();
  for (unsigned code = 0; code < 256; ++code) bad += wrong(code);
  return bad != 0;
}
#else
extern "C" __global__ void codes(unsigned* count) {
  atomicAdd(count, wrong(threadIdx.x));
  if (threadIdx.x == 0) atomicAdd(count, wrong_ends());
}
// CHECK: wrong: 0
#endif
