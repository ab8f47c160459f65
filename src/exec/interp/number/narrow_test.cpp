#include "exec/interp/number/narrow.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

#include "exec/interp/number/half.h"
#include "exec/interp/number/oracle.h"

namespace heddle::exec::interp {
namespace {

constexpr Rounding roundings[] = {Rounding::nearest_even, Rounding::toward_zero, Rounding::down,
                                  Rounding::up};

// Every f32 with HEDDLE_FULL_SWEEP set, otherwise a sample that reaches every exponent.
uint64_t stride(uint64_t sampled) { return std::getenv("HEDDLE_FULL_SWEEP") != nullptr ? 1 : sampled; }

TEST(Narrow, F32ToTheIeeeFormatsAsMpfrDoesIt) {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += stride(262'139)) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(value)) continue;
    for (const Format* format : {&formats::f16, &formats::bf16, &formats::tf32, &formats::e5m2})
      for (const Rounding r : roundings) {
        ASSERT_EQ(narrow({*format, r, Overflow::ieee, false}, value), oracle::convert(*format, r, value))
            << std::hexfloat << value;
      }
  }
}

TEST(Narrow, EveryF16ToTheFormatsWithoutInfinity) {
  for (const Format* format : {&formats::e4m3, &formats::e2m3, &formats::e3m2, &formats::e2m1}) {
    const double largest = decode(*format, format->largest());
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const float value = from_f16(static_cast<uint16_t>(bits));
      const uint64_t got = narrow({*format, Rounding::nearest_even, Overflow::largest, false}, value);
      if (std::isnan(value)) {
        ASSERT_EQ(got, format->all_ones());
        continue;
      }
      ASSERT_EQ(got >> format->sign_shift(), std::signbit(value) ? 1u : 0u);
      const double result = std::fabs(decode(*format, got)), magnitude = std::fabs(double{value});
      if (magnitude >= largest) {
        ASSERT_EQ(result, largest);
        continue;
      }
      // No number of the format is nearer, and of two equally near ones it is the even one.
      const uint64_t rank = format->magnitude(got);
      const double distance = std::fabs(result - magnitude);
      if (rank > 0) {
        const double other = std::fabs(decode(*format, rank - 1) - magnitude);
        ASSERT_TRUE(distance < other || (distance == other && rank % 2 == 0));
      }
      if (rank < format->largest()) {
        const double other = std::fabs(decode(*format, rank + 1) - magnitude);
        ASSERT_TRUE(distance < other || (distance == other && rank % 2 == 0));
      }
    }
  }
}

TEST(Narrow, Relu) {
  const Narrowing how{formats::e4m3, Rounding::nearest_even, Overflow::largest, true};
  EXPECT_EQ(narrow(how, -3.0f), 0u);
  EXPECT_EQ(narrow(how, -0.0f), 0u);
  EXPECT_EQ(narrow(how, -INFINITY), 0u);
  EXPECT_EQ(narrow(how, 3.0f), 0x44u);
  EXPECT_EQ(narrow(how, -NAN), 0x7fu);
}

// Of all the random numbers that there are, as many round up as the dropped digits say.
TEST(Narrow, StochasticRoundingGoesUpAsOftenAsTheRestSays) {
  constexpr int digits = 13;
  const Narrowing how{formats::f16};
  const float one = 1.0f, unit = 0x1p-10f;
  for (const uint32_t rest : {0u, 1u, 2048u, 4096u, 8191u})
    for (const float sign : {1.0f, -1.0f}) {
      const float value = sign * (one + unit * static_cast<float>(rest) / (1 << digits));
      uint32_t ups = 0;
      for (uint32_t random = 0; random < 1u << digits; ++random) {
        const uint64_t got = narrow_stochastic(how, value, random, digits) & 0x7fff;
        ASSERT_TRUE(got == 0x3c00 || got == 0x3c01);
        ups += got == 0x3c01 ? 1 : 0;
      }
      EXPECT_EQ(ups, rest);
    }
}

TEST(Narrow, StochasticRoundingWithoutLuckGoesTowardZero) {
  oracle::Samples samples(formats::f32);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(samples.next()));
    for (const Format* format : {&formats::f16, &formats::bf16, &formats::e4m3, &formats::e2m1}) {
      if (std::fabs(double{value}) > decode(*format, format->largest())) continue;
      const Overflow overflow = format->fraction_bits < 7 ? Overflow::largest : Overflow::ieee;
      ASSERT_EQ(narrow_stochastic({*format, Rounding::nearest_even, overflow}, value, 0, 16),
                narrow({*format, Rounding::toward_zero, overflow}, value))
          << std::hexfloat << value;
    }
  }
}

TEST(Narrow, StochasticRoundingOverflows) {
  const float past = 65519.0f;
  EXPECT_EQ(narrow_stochastic({formats::f16}, past, 0x1fff, 13), 0x7c00u);
  EXPECT_EQ(narrow_stochastic({formats::f16, Rounding::nearest_even, Overflow::largest}, past, 0x1fff, 13),
            0x7bffu);
  EXPECT_EQ(narrow_stochastic({formats::f16}, past, 0, 13), 0x7bffu);
  EXPECT_EQ(narrow_stochastic({formats::e2m1, Rounding::nearest_even, Overflow::largest}, -7.9f, 0xffff, 16),
            0xfu);
}

TEST(Ue8m0, EveryBf16GivesThePowerOfTwoBelowOrAboveIt) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = from_bf16(static_cast<uint16_t>(bits)), magnitude = std::fabs(value);
    const uint8_t down = to_ue8m0(value, Rounding::toward_zero, Overflow::largest),
                  up = to_ue8m0(value, Rounding::up, Overflow::largest);
    if (std::isnan(value)) {
      ASSERT_EQ(down, 0xff);
      ASSERT_EQ(up, 0xff);
    } else if (magnitude <= 0x1p-127f) {
      ASSERT_EQ(down, 0);
      ASSERT_EQ(up, 0);
    } else if (std::isinf(value)) {
      ASSERT_EQ(down, 0xfe);
      ASSERT_EQ(up, 0xfe);
    } else {
      const double below = std::ldexp(1.0, down - 127), above = std::ldexp(1.0, up - 127);
      ASSERT_TRUE(below <= magnitude && magnitude < 2 * below);
      ASSERT_TRUE((above >= magnitude && above < 2 * magnitude) || up == 0xfe);
    }
  }
}

TEST(Ue8m0, WithoutSatfiniteWhatIsTooLargeIsNaN) {
  EXPECT_EQ(to_ue8m0(INFINITY, Rounding::toward_zero, Overflow::ieee), 0xff);
  EXPECT_EQ(to_ue8m0(0x1.8p127f, Rounding::up, Overflow::ieee), 0xff);
  EXPECT_EQ(to_ue8m0(0x1.8p127f, Rounding::toward_zero, Overflow::ieee), 0xfe);
  EXPECT_EQ(to_ue8m0(-4.0f, Rounding::up, Overflow::ieee), 129);
}

TEST(Ue8m0, EveryPatternComesBack) {
  for (int bits = 0; bits < 0xff; ++bits) {
    const float value = from_ue8m0(static_cast<uint8_t>(bits));
    ASSERT_EQ(value, std::ldexp(1.0f, bits - 127));
    ASSERT_EQ(to_ue8m0(value, Rounding::up, Overflow::ieee), bits);
    ASSERT_EQ(to_ue8m0(value, Rounding::toward_zero, Overflow::ieee), bits);
  }
  EXPECT_TRUE(std::isnan(from_ue8m0(0xff)));
}

}  // namespace
}  // namespace heddle::exec::interp
