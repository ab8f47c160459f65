// Half, bfloat16 and FP8: every code there and back, and arithmetic at its edges, on devices with and without the instructions.
// RUN: %cuda_ptx --cuda-gpu-arch=sm_52 %s -o %t52.ptx
// RUN: %cuda_ptx --cuda-gpu-arch=sm_90 %s -o %t90.ptx
// RUN: %heddle ptx run %t52.ptx --kernel codes --grid 256 --block 256 --arg wrong:inout:u32=0,0,0,0 | FileCheck %s --check-prefix=CODES
// RUN: %heddle ptx run %t90.ptx --kernel codes --grid 256 --block 256 --arg wrong:inout:u32=0,0,0,0 | FileCheck %s --check-prefix=CODES
// RUN: %heddle ptx run %t52.ptx --kernel arithmetic --hex --arg h:out:u16*16 --arg b:out:u16*8 --arg f8:out:u8*12 | FileCheck %s --check-prefix=SUMS
// RUN: %heddle ptx run %t90.ptx --kernel arithmetic --hex --arg h:out:u16*16 --arg b:out:u16*8 --arg f8:out:u8*12 | FileCheck %s --check-prefix=SUMS
// RUN: %heddle ptx run %t52.ptx --kernel conversions --grid 16 --block 256 --arg wrong:inout:u32=0,0,0 | FileCheck %s --check-prefix=INTEGERS
// RUN: %heddle ptx run %t90.ptx --kernel conversions --grid 16 --block 256 --arg wrong:inout:u32=0,0,0 | FileCheck %s --check-prefix=INTEGERS
// RUN: not grep "cvt.rn.bf16.s32" %t52.ptx
// RUN: grep "cvt.rn.bf16.s32" %t90.ptx
// The host's side of the same conversions:
// RUN: clang++-19 -x c++ -std=c++17 -DHOST -isystem %cuda_include %s -o %t.host && %t.host
// RUN: g++ -x c++ -std=c++17 -DHOST -isystem %cuda_include %s -o %t.gcc && %t.gcc
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// Every number survives the way through float; a NaN becomes the canonical one.
static __inline__ __host__ __device__ int wrong_half(unsigned code) {
  const unsigned short raw = (unsigned short)code;
  const __half h = __ushort_as_half(raw);
  const float f = __half2float(h);
  const bool nan = (raw & 0x7fff) > 0x7c00;
  if (nan != (f != f)) return 1;
  return __half_as_ushort(__float2half_rn(f)) != (nan ? 0x7fff : raw);
}
static __inline__ __host__ __device__ int wrong_bfloat(unsigned code) {
  const unsigned short raw = (unsigned short)code;
  const float f = __bfloat162float(__ushort_as_bfloat16(raw));
  const bool nan = (raw & 0x7fff) > 0x7f80;
  if (nan != (f != f)) return 1;
  return __bfloat16_as_ushort(__float2bfloat16_rn(f)) != (nan ? 0x7fff : raw);
}
static __inline__ __host__ __device__ int wrong_fp8(unsigned code, __nv_fp8_interpretation_t kind) {
  const __nv_fp8_storage_t raw = (__nv_fp8_storage_t)code;
  const __half h = __half(__nv_cvt_fp8_to_halfraw(raw, kind));
  const bool nan = kind == __NV_E4M3 ? (raw & 0x7f) == 0x7f : (raw & 0x7f) > 0x7c;
  if (nan != __hisnan(h)) return 1;
  return __nv_cvt_halfraw_to_fp8(h, __NV_NOSAT, kind) != (nan ? 0x7f : raw);
}

#ifdef HOST
int main() {
  int wrong = 0;
  for (unsigned code = 0; code < 65536; ++code) wrong += wrong_half(code) + wrong_bfloat(code);
  for (unsigned code = 0; code < 256; ++code) wrong += wrong_fp8(code, __NV_E4M3) + wrong_fp8(code, __NV_E5M2);
  // Halfway between 1 and the next half: to the even one; and by direction.
  wrong += __half_as_ushort(__float2half_rn(1.00048828125f)) != 0x3c00;
  wrong += __half_as_ushort(__float2half_ru(1.00048828125f)) != 0x3c01;
  wrong += __half_as_ushort(__float2half_rd(-1.00048828125f)) != 0xbc01;
  wrong += __half_as_ushort(__float2half_rz(-1.00048828125f)) != 0xbc00;
  wrong += __half_as_ushort(__int2half_rn(65519)) != 0x7bff || __half_as_ushort(__int2half_rn(65520)) != 0x7c00;
  wrong += __half2int_rn(__float2half(2.5f)) != 2 || __half2int_ru(__float2half(2.5f)) != 3;
  return wrong != 0;
}
#else
extern "C" __global__ void codes(unsigned* wrong) {
  const unsigned code = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&wrong[0], wrong_half(code));
  atomicAdd(&wrong[1], wrong_bfloat(code));
  if (code < 256) {
    atomicAdd(&wrong[2], wrong_fp8(code, __NV_E4M3));
    atomicAdd(&wrong[3], wrong_fp8(code, __NV_E5M2));
  }
}
// CODES: wrong: 0 0 0 0

// Conversions that are instructions, against those that the headers compute where there are none.
static __device__ unsigned short bits_of(__half h) { return __half_as_ushort(h); }
static __device__ unsigned short bits_of(__nv_bfloat16 b) { return __bfloat16_as_ushort(b); }
#define EACH_TYPE(EACH)                                                                                    \
  EACH(0, short, short) EACH(1, ushort, unsigned short) EACH(2, int, int) EACH(3, uint, unsigned)          \
  EACH(4, ll, long long) EACH(5, ull, unsigned long long)
#define BY_ROUNDING(mode, call, value)                                                                                 \
  (mode == 0 ? call##rn(value) : mode == 1 ? call##rz(value) : mode == 2 ? call##ru(value) : call##rd(value))

extern "C" __global__ void conversions(unsigned* wrong) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned code = thread << 4 | (thread * 7 & 15);  // every sign, exponent and first digits
  const __half h = __ushort_as_half((unsigned short)code);
  const __nv_bfloat16 b = __ushort_as_bfloat16((unsigned short)code);
  unsigned to = 0, from = 0;
#pragma unroll 1
  for (int mode = 0; mode < 4; ++mode) {
    const auto rounding = (heddle_narrow::Rounding)mode;
#define TO_INTEGER(number, name, type)                                                                          \
  to += BY_ROUNDING(mode, __half2##name##_, h) != heddle_narrow::to_integer<type>((float)h, rounding);          \
  to += BY_ROUNDING(mode, __bfloat162##name##_, b) != heddle_narrow::to_integer<type>((float)b, rounding);
    EACH_TYPE(TO_INTEGER)
    // 16 digits at some place, and what lies beside.
#pragma unroll 1
    for (int which = 0; which < 6 * 6; ++which) {
      const long long number =
          (which < 18 ? 1 : -1) * ((long long)((unsigned long long)code << code * 7 % 48) + which % 3 - 1);
      const int kind = which / 3 % 6;
      unsigned short half = 0, bfloat = 0;
      long long cut = number;
#define FROM_INTEGER(number_of_type, name, type)                            \
  if (kind == number_of_type) {                                             \
    half = bits_of(BY_ROUNDING(mode, __##name##2half_, (type)number));      \
    bfloat = bits_of(BY_ROUNDING(mode, __##name##2bfloat16_, (type)number)); \
    cut = (long long)(type)number;                                          \
  }
      EACH_TYPE(FROM_INTEGER)
      const bool negative = kind != 5 && cut < 0;
      const unsigned long long magnitude = negative ? 0ull - cut : cut;
      from += half != heddle_narrow::encode<heddle_narrow::Half>(magnitude, 0, negative, rounding);
      from += bfloat != heddle_narrow::encode<heddle_narrow::Bfloat>(magnitude, 0, negative, rounding);
    }
  }
  atomicAdd(&wrong[0], to);
  atomicAdd(&wrong[1], from);
  // Each number of the format, halfway to the next one, and a double's last digit beside.
#pragma unroll 1
  for (int half = 0; half < 2; ++half)
#pragma unroll 1
    for (long long beside = -1; beside <= 1; ++beside) {
      const double of_half = (double)(float)h * (half ? 1 + 0x1p-11 : 1), of_bfloat = (double)(float)b * (half ? 1 + 0x1p-8 : 1);
      const double x = __longlong_as_double(__double_as_longlong(of_half) + beside);
      const double y = __longlong_as_double(__double_as_longlong(of_bfloat) + beside);
      // The instruction keeps what digits of a NaN fit.
      if (x != x || y != y) {
        atomicAdd(&wrong[2], (x != x && !__hisnan(__double2half(x))) + (y != y && !__hisnan(__double2bfloat16(y))));
        continue;
      }
      atomicAdd(&wrong[2], (bits_of(__double2half(x)) != heddle_narrow::encode<heddle_narrow::Half>(x, heddle_narrow::nearest_even)) +
                               (bits_of(__double2bfloat16(y)) != heddle_narrow::encode<heddle_narrow::Bfloat>(y, heddle_narrow::nearest_even)));
    }
}
// INTEGERS: wrong: 0 0 0

extern "C" __global__ void arithmetic(unsigned short* h, unsigned short* b, unsigned char* f8) {
  const __half one = 1, tiny = __ushort_as_half(1), largest = __ushort_as_half(0x7bff), nan = __ushort_as_half(0x7e00);
  h[0] = __half_as_ushort(one + tiny);                        // 2^-24 is lost
  h[1] = __half_as_ushort(largest + largest);                 // infinity
  h[2] = __half_as_ushort(__hadd_sat(one, one));              // 1
  h[3] = __half_as_ushort(__hadd_sat(nan, one));              // 0
  h[4] = __half_as_ushort(__hmax(nan, one));                  // 1
  h[5] = __half_as_ushort(__hmax_nan(one, nan));              // 7fff
  h[6] = __half_as_ushort(__hmin(__ushort_as_half(0x8000), __ushort_as_half(0)));  // -0
  // (1 + 2^-10)^2 - 1 = 2^-9 + 2^-20: the product alone would round the last part away. 2^-9 (1 + 2^-11) is halfway, ties to even.
  const __half x = __ushort_as_half(0x3c01);
  h[7] = __half_as_ushort(__hfma(x, x, __hneg(one)));
  h[8] = __half_as_ushort(__hfma(x, x, __hneg(__hmul(x, x))));  // the rounding error of the product: 2^-20
  h[9] = __half_as_ushort(one / __half(3.0f));
  const __half2 v = __hfma2(__half2(x, one), __half2(x, one), __half2(__hneg(one), one));
  h[10] = __half_as_ushort(v.x);
  h[11] = __half_as_ushort(v.y);
  h[12] = __half_as_ushort(__int2half_rn(2049));   // halfway: 2048
  h[13] = __half_as_ushort(__int2half_ru(2049));   // 2050
  h[14] = (unsigned short)__half2int_rz(__float2half(-7.75f));
  h[15] = (unsigned short)__hbgt2(__half2(x, x), __half2(one, one));
  const __nv_bfloat16 y = __ushort_as_bfloat16(0x3f81);  // 1 + 2^-7
  b[0] = __bfloat16_as_ushort(__hfma(y, y, __ushort_as_bfloat16(0xbf80)));                   // 2^-6 + 2^-14: 2^-6 (1 + 2^-8), halfway
  b[1] = __bfloat16_as_ushort(__hfma(y, y, __hneg(__hmul(y, y))));                           // 2^-14
  b[2] = __bfloat16_as_ushort(__float2bfloat16_rn(1.00390625f));                             // 1 + 2^-8: halfway, 1
  b[3] = __bfloat16_as_ushort(__float2bfloat16_rn(1.01171875f));                             // 1 + 3 2^-8: halfway, up to even
  b[4] = __bfloat16_as_ushort(y * __ushort_as_bfloat16(0x0001));                             // a subnormal, rounded
  b[5] = __bfloat16_as_ushort(__hmin(__ushort_as_bfloat16(0x7fff), y));
  b[6] = __bfloat16_as_ushort(__float2bfloat16_rz(-3.4e38f));
  b[7] = __bfloat16_as_ushort(__int2bfloat16_rn(257));                                       // halfway: 256
  f8[0] = __nv_fp8_e4m3(448.0f).__x;      // the largest
  f8[1] = __nv_fp8_e4m3(1000.0f).__x;     // saturates to it
  f8[2] = __nv_cvt_float_to_fp8(1000.0f, __NV_NOSAT, __NV_E4M3);   // NaN
  f8[3] = __nv_fp8_e4m3(1.0625f).__x;     // 1 + 1/16: halfway between 1 and 1.125, even
  f8[4] = __nv_fp8_e4m3(0.0009765625f).__x;  // half the smallest subnormal: 0
  f8[5] = __nv_fp8_e4m3(-0.001953125f).__x;  // the smallest, negative
  f8[6] = __nv_fp8_e5m2(57344.0f).__x;    // the largest
  f8[7] = __nv_fp8_e5m2(1e9f).__x;
  f8[8] = __nv_cvt_float_to_fp8(1e9f, __NV_NOSAT, __NV_E5M2);      // infinity
  const __nv_fp8x4_e4m3 four(make_float4(1, 2, 4, 8));
  f8[9] = four.__x >> 24;
  f8[10] = four.__x >> 8 & 255;
  f8[11] = (unsigned char)(((float4)four).z);
}
// SUMS: h: 0x3c00 0x7c00 0x3c00 0x0000 0x3c00 0x7fff 0x8000 0x1800 0x0010 0x3555 0x1800 0x4000 0x6800 0x6801 0xfff9 0x0001
// SUMS: b: 0x3c80 0x3880 0x3f80 0x3f82 0x0001 0x3f81 0xff7f 0x4380
// SUMS: f8: 0x7e 0x7e 0x7f 0x38 0x00 0x81 0x7b 0x7b 0x7c 0x50 0x40 0x04
#endif
