// The tables of corner cases in the PTX ISA, 9.7.3 and 9.7.4.
#include <gtest/gtest.h>

#include "approx/approx.h"

namespace heddle::approx {
namespace {

constexpr uint32_t inf = 0x7f800000, nan = 0x7fffffff, one = 0x3f800000, minus = 0x80000000;
constexpr uint32_t tiny = 1, some_nan = 0x7f800001;  // the smallest subnormal; a signalling NaN
constexpr uint64_t inf_64 = 0x7ff0000000000000, one_64 = 0x3ff0000000000000, minus_64 = 0x8000000000000000;

TEST(Corners, rcp) {
  for (bool ftz : {false, true}) {
    EXPECT_EQ(rcp_f32(minus | inf, ftz), minus);
    EXPECT_EQ(rcp_f32(minus, ftz), minus | inf);
    EXPECT_EQ(rcp_f32(0, ftz), inf);
    EXPECT_EQ(rcp_f32(inf, ftz), 0u);
    EXPECT_EQ(rcp_f32(some_nan, ftz), nan);
    EXPECT_EQ(rcp_f32(one, ftz), one);
  }
  EXPECT_EQ(rcp_f32(0x7f000000, false), 0x00400000u);  // 1 / 2^127 = 2^-127, subnormal
  EXPECT_EQ(rcp_f32(0x7f000000, true), 0u);
  EXPECT_EQ(rcp_f32(minus | tiny, true), minus | inf);  // a subnormal is a zero of its sign
  EXPECT_EQ(rcp_f32(0x00400000, false), 0x7f000000u);   // 1 / 2^-127 = 2^127
}

TEST(Corners, square_roots) {
  for (bool ftz : {false, true}) {
    EXPECT_EQ(sqrt_f32(minus | inf, ftz), nan);
    EXPECT_EQ(sqrt_f32(minus | one, ftz), nan);
    EXPECT_EQ(sqrt_f32(minus, ftz), minus);
    EXPECT_EQ(sqrt_f32(0, ftz), 0u);
    EXPECT_EQ(sqrt_f32(inf, ftz), inf);
    EXPECT_EQ(sqrt_f32(some_nan, ftz), nan);
    EXPECT_EQ(rsqrt_f32(minus | inf, ftz), nan);
    EXPECT_EQ(rsqrt_f32(minus | one, ftz), nan);
    EXPECT_EQ(rsqrt_f32(minus, ftz), minus | inf);
    EXPECT_EQ(rsqrt_f32(0, ftz), inf);
    EXPECT_EQ(rsqrt_f32(inf, ftz), 0u);
    EXPECT_EQ(rsqrt_f32(some_nan, ftz), nan);
  }
  EXPECT_EQ(rsqrt_f32(tiny, true), inf);
  EXPECT_EQ(sqrt_f32(minus | tiny, true), minus);
  EXPECT_EQ(sqrt_f32(minus | tiny, false), nan);
}

TEST(Corners, sine_and_cosine) {
  for (bool ftz : {false, true}) {
    for (uint32_t a : {inf, minus | inf, some_nan}) {
      EXPECT_EQ(sin_f32(a, ftz), nan);
      EXPECT_EQ(cos_f32(a, ftz), nan);
    }
    EXPECT_EQ(sin_f32(0, ftz), 0u);
    EXPECT_EQ(sin_f32(minus, ftz), minus);
    EXPECT_EQ(cos_f32(0, ftz), one);
    EXPECT_EQ(cos_f32(minus, ftz), one);
  }
  EXPECT_EQ(sin_f32(minus | tiny, true), minus);
}

TEST(Corners, logarithm_and_exponential) {
  for (bool ftz : {false, true}) {
    EXPECT_EQ(lg2_f32(minus | inf, ftz), nan);
    EXPECT_EQ(lg2_f32(minus | one, ftz), nan);
    EXPECT_EQ(lg2_f32(minus, ftz), minus | inf);
    EXPECT_EQ(lg2_f32(0, ftz), minus | inf);
    EXPECT_EQ(lg2_f32(inf, ftz), inf);
    EXPECT_EQ(lg2_f32(some_nan, ftz), nan);
    EXPECT_EQ(lg2_f32(one, ftz), 0u);
    EXPECT_EQ(ex2_f32(minus | inf, ftz), 0u);
    EXPECT_EQ(ex2_f32(minus, ftz), one);
    EXPECT_EQ(ex2_f32(0, ftz), one);
    EXPECT_EQ(ex2_f32(inf, ftz), inf);
    EXPECT_EQ(ex2_f32(some_nan, ftz), nan);
    EXPECT_EQ(ex2_f32(0x43000000, ftz), inf);          // 2^128
    EXPECT_EQ(ex2_f32(0xc2fc0000, ftz), 0x00800000u);  // 2^-126
  }
  EXPECT_EQ(lg2_f32(0x00400000, true), minus | inf);
  EXPECT_EQ(ex2_f32(0xc3150000, false), tiny);  // 2^-149
  EXPECT_EQ(ex2_f32(0xc3150000, true), 0u);
}

TEST(Corners, hyperbolic_tangent) {
  EXPECT_EQ(tanh_f32(inf), one);
  EXPECT_EQ(tanh_f32(minus | inf), minus | one);
  EXPECT_EQ(tanh_f32(minus), minus);
  EXPECT_EQ(tanh_f32(0), 0u);
  EXPECT_EQ(tanh_f32(some_nan), nan);
  EXPECT_EQ(tanh_f32(minus | tiny), minus | tiny);  // subnormals pass through
  EXPECT_EQ(tanh_f16(0xfc00), 0xbc00);
  EXPECT_EQ(tanh_f16(0x8001), 0x8001);
  EXPECT_EQ(tanh_f16(0x7e00), 0x7fff);
  EXPECT_EQ(tanh_bf16(0x7f80), 0x3f80);
  EXPECT_EQ(tanh_bf16(0x8001), 0x8001);
  EXPECT_EQ(tanh_bf16(0xffc0), 0x7fff);
}

// .ftz.bf16 flushes subnormal inputs to zeroes, whose power is 1; .f16 has subnormals.
TEST(Corners, exponential_of_16_bits) {
  for (uint16_t zero : {0x0000, 0x8000, 0x0001, 0x8001}) {
    EXPECT_EQ(ex2_ftz_bf16(zero), 0x3f80);
  }
  EXPECT_EQ(ex2_ftz_bf16(0xff80), 0);
  EXPECT_EQ(ex2_ftz_bf16(0x7f80), 0x7f80);
  EXPECT_EQ(ex2_ftz_bf16(0x7f81), 0x7fff);
  EXPECT_EQ(ex2_ftz_bf16(0xc2fe), 0);  // 2^-127 would be subnormal
  EXPECT_EQ(ex2_f16(0x0000), 0x3c00);
  EXPECT_EQ(ex2_f16(0x8000), 0x3c00);
  EXPECT_EQ(ex2_f16(0xfc00), 0);
  EXPECT_EQ(ex2_f16(0x7c00), 0x7c00);
  EXPECT_EQ(ex2_f16(0x7c01), 0x7fff);
  EXPECT_EQ(ex2_f16(0x4c00), 0x7c00);  // 2^16 is too large
  EXPECT_EQ(ex2_f16(0xce00), 0x0001);  // 2^-24, the smallest subnormal
}

TEST(Corners, packed_forms_are_two_scalars) {
  EXPECT_EQ(ex2_f16x2(0x3c00bc00), 0x40003800u);  // 2^1 = 2, 2^-1 = 0.5
  EXPECT_EQ(ex2_ftz_bf16x2(0x3f80bf80), 0x40003f00u);
  EXPECT_EQ(tanh_f16x2(0x7c00fc00), 0x3c00bc00u);
  EXPECT_EQ(tanh_bf16x2(0x7f80ff80), 0x3f80bf80u);
}

// For 2^126 < |b| < 2^128: NaN if a is infinite, else a zero of the quotient's sign (9.7.3.8).
TEST(Corners, division_by_large_numbers) {
  for (bool ftz : {false, true}) {
    EXPECT_EQ(div_approx_f32(inf, 0x7f000000, ftz), nan);
    EXPECT_EQ(div_approx_f32(one, 0x7f000000, ftz), 0u);
    EXPECT_EQ(div_approx_f32(minus | one, 0x7f7fffff, ftz), minus);
    EXPECT_EQ(div_full_f32(0x7f000000, 0x7f000000, ftz), one);
    EXPECT_EQ(div_full_f32(inf, 0x7f000000, ftz), inf);
    EXPECT_EQ(div_full_f32(0x40400000, one, ftz), 0x40400000u);
    EXPECT_EQ(div_full_f32(one, 0, ftz), inf);
    EXPECT_EQ(div_full_f32(0, minus, ftz), nan);
    EXPECT_EQ(div_full_f32(inf, inf, ftz), nan);
    EXPECT_EQ(div_full_f32(some_nan, one, ftz), nan);
  }
}

TEST(Corners, f64) {
  constexpr uint64_t nan_64 = 0x7fffffff00000000;  // the canonical one, 9.7.3.14 and 9.7.3.17
  EXPECT_EQ(rcp_ftz_f64(inf_64), 0u);
  EXPECT_EQ(rcp_ftz_f64(minus_64 | inf_64), minus_64);
  EXPECT_EQ(rcp_ftz_f64(0), inf_64);
  EXPECT_EQ(rcp_ftz_f64(minus_64 | 1), minus_64 | inf_64);
  EXPECT_EQ(rcp_ftz_f64(inf_64 | 1), 0u);  // only the upper word is looked at: an infinity
  EXPECT_EQ(rcp_ftz_f64(0x7ff8000000000000), nan_64);
  EXPECT_EQ(rcp_ftz_f64(one_64), one_64);
  EXPECT_EQ(rcp_ftz_f64(0x7fe0000000000000), 0u);  // 2^-1023 is subnormal
  EXPECT_EQ(rsqrt_f64(minus_64 | one_64, true), nan_64);
  EXPECT_EQ(rsqrt_f64(minus_64 | 1, true), minus_64 | inf_64);
  EXPECT_EQ(rsqrt_f64(1, true), inf_64);
  EXPECT_EQ(rsqrt_f64(inf_64, true), 0u);
  for (bool ftz : {false, true}) {
    EXPECT_EQ(rsqrt_f64(0x4010000000000000, ftz), 0x3fe0000000000000u);  // 1 / sqrt 4
    EXPECT_EQ(rsqrt_f64(0, ftz), inf_64);
    EXPECT_EQ(rsqrt_f64(minus_64, ftz), minus_64 | inf_64);
  }
  EXPECT_EQ(rsqrt_f64(inf_64, false), 0u);
  EXPECT_EQ(rsqrt_f64(0x0004000000000000, false), 0x5ff0000000000000u);  // 1 / sqrt 2^-1024 = 2^512
}

}  // namespace
}  // namespace heddle::approx
