// The little of CUDA C++ that kernels.cu needs, for clang alone: no toolkit, no device library.
//
// The functions have the cost and accuracy that a CUDA compiler's defaults give (no fast math): division and
// square root are correctly rounded, rsqrtf is the approximate instruction, expf and logf are ours:
//   expf  the function unit's ex2 after a two-word multiplication by log2(e): 2 ulp
//   logf  a polynomial of degree 10 about 1 on [2/3, 4/3), exponent apart: 2 ulp
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

namespace cuda_words {

// threadIdx.x reads %tid.x: a property, because a register has no address.
#define BENCH_DIMENSION(what, axis)                     \
  __declspec(property(get = get_##axis)) unsigned axis; \
  static __device__ inline unsigned get_##axis() { return __nvvm_read_ptx_sreg_##what##_##axis(); }
#define BENCH_INDEX(type, what) \
  struct type {                 \
    BENCH_DIMENSION(what, x)    \
    BENCH_DIMENSION(what, y)    \
    BENCH_DIMENSION(what, z)    \
  }
BENCH_INDEX(ThreadIndex, tid);
BENCH_INDEX(BlockIndex, ctaid);
BENCH_INDEX(BlockSize, ntid);
BENCH_INDEX(GridSize, nctaid);
#undef BENCH_INDEX
#undef BENCH_DIMENSION

}  // namespace cuda_words

extern const __device__ cuda_words::ThreadIndex threadIdx;
extern const __device__ cuda_words::BlockIndex blockIdx;
extern const __device__ cuda_words::BlockSize blockDim;
extern const __device__ cuda_words::GridSize gridDim;

struct alignas(16) float4 {
  float x, y, z, w;
};

static __device__ inline unsigned atomicAdd(unsigned* where, unsigned value) {
  return static_cast<unsigned>(__nvvm_atom_add_gen_i(reinterpret_cast<int*>(where), static_cast<int>(value)));
}

static __device__ inline float fabsf(float x) { return __builtin_fabsf(x); }
static __device__ inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static __device__ inline float sqrtf(float x) { return __nvvm_sqrt_rn_f(x); }
static __device__ inline float rsqrtf(float x) { return __nvvm_rsqrt_approx_f(x); }

static __device__ inline float float_of_bits(unsigned bits) { return __builtin_bit_cast(float, bits); }
static __device__ inline unsigned bits_of_float(float x) { return __builtin_bit_cast(unsigned, x); }

static __device__ inline float expf(float x) {
  // Beyond these the result is infinite or zero whatever x is, and n stays in the range of a scale.
  const float inside = __nvvm_fmin_f(__nvvm_fmax_f(x, -126.0f), 126.0f);
  const float bounded = x != x ? x : inside;
  const float n = __nvvm_round_f(bounded * 0x1.715476p+0f);
  float fraction = fmaf(bounded, 0x1.715476p+0f, -n);
  fraction = fmaf(bounded, 0x1.4ae0c0p-26f, fraction);
  // 2^n in two steps, so that subnormal and infinite results come out by themselves.
  const int half = static_cast<int>(n) / 2, rest = static_cast<int>(n) - half;
  const float scale = float_of_bits(static_cast<unsigned>(half + 127) << 23);
  return __nvvm_ex2_approx_f(fraction) * scale * float_of_bits(static_cast<unsigned>(rest + 127) << 23);
}

static __device__ inline float logf(float x) {
  const bool subnormal = x < 0x1p-126f;
  const float normal = subnormal ? x * 0x1p23f : x;
  const unsigned bits = bits_of_float(normal);
  // The exponent that leaves the mantissa in [2/3, 4/3).
  const int exponent = static_cast<int>(bits - 0x3f2aaaabu) & static_cast<int>(0xff800000u);
  const float f = float_of_bits(bits - static_cast<unsigned>(exponent)) - 1.0f;
  const float k = fmaf(static_cast<float>(exponent), 0x1p-23f, subnormal ? -23.0f : 0.0f);
  const float f2 = f * f;
  float p = -0.124222003f;
  p = fmaf(p, f, 0.13748309f);
  p = fmaf(p, f, -0.122887217f);
  p = fmaf(p, f, 0.140558124f);
  p = fmaf(p, f, -0.166733161f);
  p = fmaf(p, f, 0.200072333f);
  p = fmaf(p, f, -0.249999449f);
  p = fmaf(p, f, 0.333332717f);
  p = fmaf(p, f, -0.5f);
  const float result = fmaf(k, 0x1.62e430p-1f, fmaf(p, f2, f));
  if (!(x > 0)) return x == 0 ? float_of_bits(0xff800000u) : float_of_bits(0x7fffffffu);
  return bits >= 0x7f800000u ? x : result;
}
