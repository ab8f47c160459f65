#include <gtest/gtest.h>

#include "exec/interp/eval/one_instruction.h"

namespace heddle::exec::interp {
namespace {

uint64_t shifted(const char* mnemonic, uint64_t a, uint64_t by) {
  OneInstruction one(mnemonic);
  EXPECT_EQ(one.error(), "");
  std::vector<uint64_t> sources(one.sources());
  sources[0] = a;
  sources[1] = by;
  return one.run(sources).front();
}

// A scalar operation gives a signed number of 34 bits (PTX ISA 9.7.18.1): of a shift, saturation sees that
// much.
TEST(Video, saturation_sees_34_bits_of_a_shift) {
  EXPECT_EQ(shifted("vshl.u32.u32.u32.clamp", 0xee4ff5b8, 32), 0u);
  EXPECT_EQ(shifted("vshl.u32.u32.u32.sat.clamp", 0x00000001, 32), 0xffffffffu);  // 2^32
  EXPECT_EQ(shifted("vshl.u32.u32.u32.sat.clamp", 0x00000003, 32), 0u);           // bits 33 and 32: -2^32
  EXPECT_EQ(shifted("vshl.s32.s32.u32.sat.clamp", 0x00000001, 31), 0x7fffffffu);  // 2^31
  EXPECT_EQ(shifted("vshl.s32.s32.u32.sat.clamp", 0xffffffff, 32), 0x80000000u);  // -2^32
  EXPECT_EQ(shifted("vshl.u32.s32.u32.sat.clamp", 0xffffffff, 32), 0u);
}

// NVIDIA H200, driver 580.159.04, 2026-11-22: programs 1000046 (a sum taken off), 2000007, 17000088, 12000070
// of tests/hw/run_programs_on_device.py.
TEST(Video, shifts_saturate_as_an_h200_does) {
  EXPECT_EQ(shifted("vshl.s32.s32.u32.sat.wrap", 0x0d1a4d7c, 0xa9), 0x80000000u);
  EXPECT_EQ(shifted("vshl.s32.s32.u32.sat.clamp", 0x3f8b5b40, 0x2e), 0u);
  EXPECT_EQ(shifted("vshl.u32.u32.u32.sat.clamp", 0x96a924aa, 0xe28c), 0u);
  EXPECT_EQ(shifted("vshl.u32.s32.u32.sat.wrap", 0x67, 0xbb), 0u);
}

}  // namespace
}  // namespace heddle::exec::interp
