// Forms of later targets than any device here has, and doubles that are demoted: what the lit tests in
// tests/ptx cannot run.
#include <gtest/gtest.h>

#include <bit>

#include "exec/interp/eval/one_instruction.h"

namespace heddle::exec::interp {
namespace {

uint64_t f32(float value) { return std::bit_cast<uint32_t>(value); }
uint64_t pair(float low, float high) { return f32(low) | f32(high) << 32; }
constexpr uint64_t nan = 0x7fff'ffff, subnormal = 1;

OneInstruction make(std::string_view mnemonic, std::size_t operands = 0) {
  OneInstruction::Options options;
  options.operands = operands;
  OneInstruction one(mnemonic, options);
  EXPECT_EQ(one.error(), "") << mnemonic;
  EXPECT_TRUE(one.has_eval()) << mnemonic;
  return one;
}
OneInstruction make3(std::string_view mnemonic) { return make(mnemonic, 4); }  // a result and three sources

// The halves of a 64-bit register are two independent f32 (PTX ISA 9.7.3.3 to 9.7.3.6).
TEST(FloatPairs, AreTwoOperations) {
  EXPECT_EQ(make("add.f32x2")(pair(1, 2), pair(0.5f, -2)), pair(1.5f, 0));
  EXPECT_EQ(make("sub.rm.f32x2")(pair(1, 1), pair(1, 2)), pair(-0.0f, -1));
  EXPECT_EQ(make("mul.rz.f32x2")(pair(0x1.fffffep127f, 3), pair(2, -2)), pair(0x1.fffffep127f, -6));
  EXPECT_EQ(make("fma.rn.f32x2")(pair(2, 0x1.000002p0f), pair(3, 0x1.000002p0f), pair(4, -1)),
            pair(10, 0x1.000001p-22f));
  EXPECT_EQ(make("fma.rp.ftz.f32x2")(pair(1, 0x1p-100f), pair(0x1p-24f, 0x1p-40f), pair(1, 0)),
            pair(0x1.000002p0f, 0));
  EXPECT_EQ(make("add.rn.ftz.f32x2")(subnormal | f32(-1) << 32, 0x7f80'0001'0000'0000 & 0xffff'ffff),
            0 | f32(-1) << 32);
}

// f16 and bf16 sources are widened, and the f32 result is rounded once.
TEST(FloatMixed, HalvesInSingleArithmetic) {
  EXPECT_EQ(make("add.f32.f16")(0x3c01, f32(0x1p-20f)), f32(1 + 0x1p-10f + 0x1p-20f));
  EXPECT_EQ(make("add.rz.f32.bf16")(0x3f80, f32(-0x1p-30f)), f32(0x1.fffffep-1f));
  EXPECT_EQ(make("sub.f32.bf16")(0x7f7f, f32(1)), f32(0x1.fep127f));
  EXPECT_EQ(make("add.sat.f32.f16")(0x4000, f32(1)), f32(1));
  EXPECT_EQ(make("fma.rn.f32.f16")(0x3c01, 0x3c01, f32(-1)), f32(0x1p-9f + 0x1p-20f));
  EXPECT_EQ(make("fma.rp.f32.bf16")(0x3f80, 0x3f80, f32(0x1p-30f)), f32(0x1.000002p0f));
  EXPECT_EQ(make("fma.rn.sat.f32.f16")(0xfe00, 0x3c00, f32(1)), 0u);
  EXPECT_EQ(make("fma.rn.f32.f16")(0xfe00, 0x3c00, f32(1)), nan);
}

TEST(FloatOrder, OfThree) {
  EXPECT_EQ(make3("min.f32")(f32(3), f32(1), f32(2)), f32(1));
  EXPECT_EQ(make3("max.f32")(f32(3), nan, f32(4)), f32(4));
  EXPECT_EQ(make3("max.NaN.f32")(f32(3), nan, f32(4)), nan);
  EXPECT_EQ(make3("max.f32")(nan, nan, f32(-4)), f32(-4));
  EXPECT_EQ(make3("max.f32")(nan, nan, nan), nan);
  EXPECT_EQ(make3("min.f32")(f32(0), f32(-0.0f), f32(0)), f32(-0.0f));
  EXPECT_EQ(make3("min.abs.f32")(f32(-3), f32(2), f32(-1)), f32(1));
  EXPECT_EQ(make3("max.abs.f32")(f32(-3), f32(2), f32(-1)), f32(3));
  EXPECT_EQ(make3("max.ftz.f32")(subnormal, f32(-1), f32(-2)), 0u);
}

// .target map_f64_to_f32: the lower half of a register holds an f32 (PTX ISA 11.1.2).
TEST(DemotedDoubles, AreSingles) {
  const auto demoted = [](std::string_view mnemonic) {
    OneInstruction::Options options;
    options.device = "gtx285";
    options.map_f64_to_f32 = true;
    return OneInstruction(mnemonic, options);
  };
  EXPECT_EQ(demoted("add.rn.f64")(f32(1.5f), f32(2)), f32(3.5f));
  EXPECT_EQ(demoted("add.rn.f64")(subnormal, f32(0)), 0u);  // the device has no subnormals of f32
  EXPECT_EQ(demoted("fma.rn.f64")(f32(0x1.000002p0f), f32(0x1.000002p0f), f32(-1)), f32(0x1.000001p-22f));
  EXPECT_EQ(demoted("div.rn.f64")(f32(1), f32(3)), f32(1.0f / 3));
  EXPECT_EQ(demoted("rcp.rn.f64")(f32(4)), f32(0.25f));
  EXPECT_EQ(demoted("rsqrt.approx.f64")(f32(4)), f32(0.5f));
  EXPECT_EQ(demoted("neg.f64")(f32(4)), f32(-4));
  EXPECT_EQ(demoted("max.f64")(f32(4), f32(-5)), f32(4));
  EXPECT_EQ(demoted("setp.gt.f64")(f32(4), f32(-5)), 1u);
  EXPECT_EQ(demoted("cvt.f64.f32")(f32(4)), f32(4));
  EXPECT_EQ(demoted("cvt.rn.f32.f64")(f32(0x1.000002p0f)), f32(0x1.000002p0f));
  EXPECT_EQ(demoted("cvt.rn.f64.s32")(16777217), f32(16777216));
  EXPECT_EQ(demoted("cvt.rzi.s32.f64")(f32(-2.75f)), 0xffff'fffeu);
}

TEST(WiderRegisters, TakeWhatCvtExtends) {
  OneInstruction::Options options;
  options.registers = isa::Type::b32;
  EXPECT_EQ(OneInstruction("cvt.rni.s8.f32", options)(f32(-3)), 0xffff'fffdu);
  EXPECT_EQ(OneInstruction("cvt.rni.u8.f32", options)(f32(300)), 0xffu);
  EXPECT_EQ(OneInstruction("cvt.s16.s8", options)(0x1234'5680), 0xffff'ff80u);
  EXPECT_EQ(OneInstruction("cvt.rn.f16.f32", options)(f32(-2)), 0xc000u);
}

}  // namespace
}  // namespace heddle::exec::interp
