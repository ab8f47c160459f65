#include <gtest/gtest.h>

#include "exec/interp/eval/one_instruction.h"

namespace heddle::exec::interp {
namespace {

// A shift by all 32 bits leaves nothing below; saturation sees the whole value (PTX ISA 9.7.14.2).
TEST(Video, a_shift_by_32_keeps_sign_and_size_for_saturation) {
  OneInstruction wrapped("vshl.u32.u32.u32.clamp"), unsigned_sat("vshl.u32.u32.u32.sat.clamp"),
      signed_sat("vshl.s32.s32.u32.sat.clamp"), negative("vshl.u32.s32.u32.sat.clamp");
  const OneInstruction* const all[] = {&wrapped, &unsigned_sat, &signed_sat, &negative};
  for (const OneInstruction* one : all) ASSERT_EQ(one->error(), "");
  const auto run = [](OneInstruction& one, uint64_t a) {
    std::vector<uint64_t> sources(one.sources());
    sources[0] = a;
    sources[1] = 32;
    return one.run(sources).front();
  };
  EXPECT_EQ(run(wrapped, 0xee4ff5b8), 0u);
  EXPECT_EQ(run(unsigned_sat, 0xee4ff5b8), 0xffffffffu);
  EXPECT_EQ(run(unsigned_sat, 0), 0u);
  EXPECT_EQ(run(signed_sat, 0x80000000), 0x80000000u);
  EXPECT_EQ(run(signed_sat, 0x7fffffff), 0x7fffffffu);
  EXPECT_EQ(run(negative, 0xffffffff), 0u);
}

}  // namespace
}  // namespace heddle::exec::interp
