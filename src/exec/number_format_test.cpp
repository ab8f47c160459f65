#include "exec/number_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace heddle::exec {
namespace {

// What the host says of its own formats, of numbers with all exponents.
TEST(NumberFormat, KnowsTheHostsNumbers) {
  const NumberFormat single = format_of(isa::Type::f32), wide = format_of(isa::Type::f64);
  for (uint32_t exponent = 0; exponent < 512; ++exponent)
    for (const uint32_t digits : {0U, 1U, 0x400000U, 0x7fffffU}) {
      const uint32_t bits = exponent << 23 | digits;
      const auto number = std::bit_cast<float>(bits);
      const int kind = std::fpclassify(number);
      EXPECT_EQ(single.is_nan(bits), kind == FP_NAN) << bits;
      EXPECT_EQ(single.is_infinite(bits), kind == FP_INFINITE) << bits;
      EXPECT_EQ(single.is_subnormal(bits), kind == FP_SUBNORMAL) << bits;
      EXPECT_EQ(single.is_zero(bits), kind == FP_ZERO) << bits;
      if (kind != FP_NAN) EXPECT_EQ(single.value(bits), double{number}) << bits;
    }
  for (const double number : {0.0, -0.0, 1.5, -3e-320, 1e308, HUGE_VAL})
    EXPECT_EQ(wide.value(std::bit_cast<uint64_t>(number)), number);
}

TEST(NumberFormat, KnowsHalves) {
  const NumberFormat half = format_of(isa::Type::f16x2), brain = format_of(isa::Type::bf16);
  EXPECT_EQ(half.value(0x3c00), 1);
  EXPECT_EQ(half.value(0xfbff), -65504);
  EXPECT_EQ(half.value(1), 0x1p-24);
  EXPECT_TRUE(half.is_infinite(0xfc00) && half.is_nan(0x7fff) && half.is_subnormal(0x83ff));
  EXPECT_EQ(brain.value(0x3f80), 1);
  EXPECT_EQ(brain.value(0x7f7f), 0x1.fep127);
  EXPECT_TRUE(brain.is_infinite(0x7f80) && brain.is_nan(0xff81) && brain.is_subnormal(1));
  EXPECT_EQ(format_of(isa::Type::e4m3).bits, 0U);
}

TEST(NumberFormat, SeesWhatCancels) {
  const NumberFormat single = format_of(isa::Type::f32);
  const auto cancelled = [&](float a, float b) {
    return single.is_cancelled(std::bit_cast<uint32_t>(a + b), std::bit_cast<uint32_t>(a));
  };
  EXPECT_TRUE(cancelled(1 + 0x1p-23F, -1));
  EXPECT_TRUE(cancelled(1 + 0x1p-18F, -1));   // 18 digits are gone
  EXPECT_FALSE(cancelled(1 + 0x1p-17F, -1));  // 17 are
  EXPECT_FALSE(cancelled(1, -1));             // exact
  EXPECT_FALSE(cancelled(1e30F, 1));
  EXPECT_FALSE(cancelled(HUGE_VALF, 1));
}

}  // namespace
}  // namespace heddle::exec
