// The narrow formats: all their values, and the forms of later targets than any device here has.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "exec/interp/eval/one_instruction.h"
#include "exec/interp/number/half.h"
#include "exec/interp/number/narrow.h"

namespace heddle::exec::interp {
namespace {

uint64_t f32(float value) { return std::bit_cast<uint32_t>(value); }

OneInstruction make(std::string_view mnemonic, unsigned vector = 0) {
  OneInstruction::Options options;
  options.vector = vector;
  OneInstruction one(mnemonic, options);
  EXPECT_EQ(one.error(), "") << mnemonic;
  EXPECT_TRUE(one.has_eval()) << mnemonic;
  return one;
}

// All pairs: widened they are two halves, and narrowed again what they were.
TEST(NarrowPairs, EveryPairOfBytesSurvivesTheWayThroughF16) {
  struct Way {
    const char *widen, *narrow;
    const Format& format;
  };
  const Way ways[] = {{"cvt.rn.f16x2.e4m3x2", "cvt.rn.satfinite.e4m3x2.f16x2", formats::e4m3},
                      {"cvt.rn.f16x2.e5m2x2", "cvt.rn.satfinite.e5m2x2.f16x2", formats::e5m2}};
  for (const Way& way : ways) {
    OneInstruction widen = make(way.widen), narrow = make(way.narrow);
    const auto half = [&](uint32_t byte) -> uint32_t {
      const double value = decode(way.format, byte);
      return std::isnan(value) ? 0x7fff : to_f16(value);
    };
    const auto back = [&](uint32_t byte) -> uint32_t {  // NaNs lose their sign, infinities are too large
      const double value = decode(way.format, byte);
      if (std::isnan(value)) return 0x7f;
      return std::isinf(value) ? (byte & 0x80) | static_cast<uint32_t>(way.format.largest()) : byte;
    };
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      const uint64_t halves = widen(bits);
      ASSERT_EQ(halves, half(bits >> 8) << 16 | half(bits & 0xff));
      ASSERT_EQ(narrow(halves), back(bits >> 8) << 8 | back(bits & 0xff));
    }
  }
}

TEST(NarrowPairs, SixAndFourBits) {
  EXPECT_EQ(make("cvt.rn.satfinite.e2m3x2.f32")(f32(7.5f), f32(-0.125f)), 0x1f21u);
  EXPECT_EQ(make("cvt.rn.satfinite.e3m2x2.f32")(f32(100), f32(NAN)), 0x1f1fu);
  EXPECT_EQ(make("cvt.rn.satfinite.e2m1x2.f32")(f32(-6), f32(0.75f)), 0xf2u);
  EXPECT_EQ(make("cvt.rn.satfinite.relu.e2m1x2.f32")(f32(-6), f32(2)), 0x04u);
  EXPECT_EQ(make("cvt.rn.satfinite.e2m3x2.f16x2")(0x3c00'bc00), 0x0828u);
  EXPECT_EQ(make("cvt.rn.f16x2.e2m3x2")(0x1f21), 0x4780'b000u);
  EXPECT_EQ(make("cvt.rn.f16x2.e3m2x2")(0x1f01), 0x4f00'2c00u);
  EXPECT_EQ(make("cvt.rn.f16x2.e2m1x2")(0xf1), 0xc600'3800u);
  EXPECT_EQ(make("cvt.rn.relu.f16x2.e2m1x2")(0xf1), 0x0000'3800u);
}

TEST(NarrowPairs, Exponents) {
  EXPECT_EQ(make("cvt.rp.ue8m0x2.f32")(f32(3), f32(1)), 0x817fu);
  EXPECT_EQ(make("cvt.rz.satfinite.ue8m0x2.f32")(f32(-3), f32(INFINITY)), 0x80feu);
  EXPECT_EQ(make("cvt.rz.ue8m0x2.bf16x2")(0x4040'7fc0), 0x80ffu);
  EXPECT_EQ(make("cvt.rn.bf16x2.ue8m0x2")(0x80ff), 0x4000'7fffu);
  EXPECT_EQ(make("cvt.rn.bf16x2.ue8m0x2")(0x0001), 0x0040'0080u);
}

// Random bits: the upper half for a, the lower one for b; of f16 the lower 13 of each.
TEST(StochasticPairs, EachHalfHasItsOwnRandomBits) {
  const float middle = 1 + 0x1p-11f;  // halfway between two f16
  OneInstruction f16 = make("cvt.rs.f16x2.f32");
  EXPECT_EQ(f16(f32(middle), f32(middle), 0x1000'0fff), 0x3c01'3c00u);
  EXPECT_EQ(f16(f32(middle), f32(middle), 0xefff'f000), 0x3c00'3c01u);
  OneInstruction bf16 = make("cvt.rs.relu.bf16x2.f32");
  EXPECT_EQ(bf16(f32(1 + 0x1p-8f), f32(-1), 0x8000'0000), 0x3f81'0000u);
  EXPECT_EQ(bf16(f32(1 + 0x1p-8f), f32(1), 0x7fff'ffff), 0x3f80'3f80u);
}

// The first of four is uppermost; the first two take the upper half of the random bits.
TEST(StochasticQuads, OrderAndRandomBits) {
  const float middle = 1.0625f;  // halfway between two e4m3
  OneInstruction e4m3 = make("cvt.rs.satfinite.e4m3x4.f32", 4);
  EXPECT_EQ(e4m3(f32(1), f32(2), f32(-1), f32(1000), 0), 0x3840'b87eu);
  EXPECT_EQ(e4m3(f32(middle), f32(middle), f32(middle), f32(middle), 0x8000'7fff), 0x3939'3838u);
  OneInstruction e2m1 = make("cvt.rs.satfinite.e2m1x4.f32", 4);
  EXPECT_EQ(e2m1(f32(1), f32(-6), f32(0.5f), f32(9)), 0x2f17u);
  EXPECT_EQ(e2m1(f32(1.25f), f32(1.25f), f32(1.25f), f32(1.25f), 0x8000'8000), 0x3322u);
}

}  // namespace
}  // namespace heddle::exec::interp
