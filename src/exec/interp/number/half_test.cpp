#include "exec/interp/number/half.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "exec/interp/number/oracle.h"

namespace heddle::exec::interp {
namespace {

constexpr HalfType types[] = {{false}, {true}};

uint64_t canonical(const HalfType& type, uint64_t bits) {
  return type.is_nan(static_cast<uint16_t>(bits)) ? nan_half : bits;
}

// Steps over the second operand; 1 (all of them) with HEDDLE_FULL_SWEEP set.
uint32_t stride(uint32_t sampled) { return std::getenv("HEDDLE_FULL_SWEEP") != nullptr ? 1 : sampled; }

TEST(Half, SumsAndProductsAreTheExactOnesRounded) {
  for (const HalfType type : types) {
    const HalfManner manner{type};
    const uint32_t step = stride(16411);
    for (uint32_t a = 0; a < 0x10000; ++a)
      for (uint32_t b = a * 7 % step; b < 0x10000; b += step) {
        const auto x = static_cast<uint16_t>(a), y = static_cast<uint16_t>(b);
        const double u = type.decode(x), v = type.decode(y);
        if (std::isnan(u) || std::isnan(v)) {
          ASSERT_EQ(compute_half(Add{}, manner, x, y), nan_half);
          ASSERT_EQ(compute_half(Mul{}, manner, x, y), nan_half);
          continue;
        }
        ASSERT_EQ(compute_half(Add{}, manner, x, y),
                  canonical(type, oracle::add(type.format(), Rounding::nearest_even, u, v)));
        ASSERT_EQ(compute_half(Sub{}, manner, x, y),
                  canonical(type, oracle::add(type.format(), Rounding::nearest_even, u, -v)));
        ASSERT_EQ(compute_half(Mul{}, manner, x, y),
                  canonical(type, oracle::mul(type.format(), Rounding::nearest_even, u, v)));
      }
  }
}

TEST(Half, FmaRoundsOnce) {
  for (const HalfType type : types) {
    oracle::Samples samples(type.format());
    const HalfManner manner{type};
    for (int i = 0; i < 100'000; ++i) {
      const auto a = static_cast<uint16_t>(samples.next()), b = static_cast<uint16_t>(samples.next()),
                 c = static_cast<uint16_t>(samples.next());
      ASSERT_EQ(compute_half(Fma{}, manner, a, b, c),
                canonical(type, oracle::fma(type.format(), Rounding::nearest_even, type.decode(a),
                                            type.decode(b), type.decode(c))))
          << std::hex << a << ' ' << b << ' ' << c;
    }
  }
}

TEST(Half, EveryF16SurvivesTheWayThroughTheWiderTypes) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto b = static_cast<uint16_t>(bits);
    ASSERT_EQ(to_f16(from_f16(b)), canonical(types[0], b));
    ASSERT_EQ(to_bf16(from_bf16(b)), canonical(types[1], b));
  }
}

TEST(Half, FtzSatAndRelu) {
  const HalfType f16{false};
  const uint16_t least = 0x0400, half = 0x3800, one = 0x3c00;
  EXPECT_EQ(compute_half(Mul{}, HalfManner{f16}, least, half), 0x0200);
  EXPECT_EQ(compute_half(Mul{}, HalfManner{.type = f16, .flush = true}, least, half), 0);
  EXPECT_EQ(compute_half(Add{}, HalfManner{.type = f16, .flush = true}, uint16_t{0x8001}, uint16_t{0x8001}),
            0x8000);
  EXPECT_EQ(compute_half(Add{}, HalfManner{.type = f16, .saturate = true}, one, one), one);
  EXPECT_EQ(compute_half(Sub{}, HalfManner{.type = f16, .saturate = true}, half, one), 0);
  EXPECT_EQ(compute_half(Add{}, HalfManner{.type = f16, .saturate = true}, uint16_t{0x7e00}, one), 0);
  EXPECT_EQ(compute_half(Sub{}, HalfManner{.type = f16, .relu = true}, half, one), 0);
  EXPECT_EQ(compute_half(Add{}, HalfManner{.type = f16, .relu = true}, uint16_t{0xfe01}, one), nan_half);
}

}  // namespace
}  // namespace heddle::exec::interp
