#include "profiler/joined_loads.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "module/test_link.h"

namespace heddle::profiler {
namespace {

// What is said of each load of shared memory, in the order of the text.
std::vector<int> loads(const std::string& body) {
  const auto image = module::link_text(
      ".visible .entry k() { .shared .align 4 .b8 t[4096]; .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 "
      "%rd; .reg .pred %p;\n" +
      body + "ret; }");
  const module::Function& function = image->functions[image->function_index("k")];
  const JoinedLoads joined(*image, function);
  std::vector<int> result;
  for (uint32_t i = 0; i < function.code.size(); ++i)
    if (function.code[i].opcode == isa::Opcode::ld) result.push_back(joined.of(i));
  return result;
}

constexpr int follows = JoinedLoads::follows;

// A row of a tile of 16 words.
const std::string row = "mov.u32 %r1, %tid.y; shl.b32 %r2, %r1, 6; mov.u32 %r3, t; add.s32 %r4, %r3, %r2;\n";

TEST(JoinedLoads, FourWordsOfARowAreOne) {
  EXPECT_EQ(loads(row + "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];\n"
                        "ld.shared.f32 %f4, [%r4+12]; ld.shared.f32 %f3, [%r4+8];\n"),
            (std::vector<int>{16, follows, follows, follows}));
}

TEST(JoinedLoads, WhatIsLeftOverIsTwoOrOne) {
  EXPECT_EQ(
      loads(row + "ld.shared.f32 %f1, [%r4+4]; ld.shared.f32 %f2, [%r4+8]; ld.shared.f32 %f3, [%r4+12];\n"),
      (std::vector<int>{0, 8, follows}));
}

TEST(JoinedLoads, ARowThatIsPaddedIsNotAligned) {
  EXPECT_EQ(loads("mov.u32 %r1, %tid.y; mul.lo.s32 %r2, %r1, 68; mov.u32 %r3, t; add.s32 %r4, %r3, %r2;\n"
                  "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];\n"),
            (std::vector<int>{0, 0}));
}

TEST(JoinedLoads, NothingIsJoinedAcrossAStoreABarrierOrAnotherBase) {
  EXPECT_EQ(
      loads(row + "ld.shared.f32 %f1, [%r4]; st.shared.f32 [%r4+4], %f1; ld.shared.f32 %f2, [%r4+4];\n"),
      (std::vector<int>{0, 0}));
  EXPECT_EQ(loads(row + "ld.shared.f32 %f1, [%r4]; bar.sync 0; ld.shared.f32 %f2, [%r4+4];\n"),
            (std::vector<int>{0, 0}));
  EXPECT_EQ(loads(row + "ld.shared.f32 %f1, [%r4]; add.s32 %r4, %r4, 16; ld.shared.f32 %f2, [%r4+4];\n"),
            (std::vector<int>{0, 0}));
  EXPECT_EQ(loads(row + "ld.volatile.shared.f32 %f1, [%r4]; ld.volatile.shared.f32 %f2, [%r4+4];\n"),
            (std::vector<int>{0, 0}));
  // Stores to global memory are no matter.
  EXPECT_EQ(loads(row + "ld.shared.f32 %f1, [%r4]; cvt.u64.u32 %rd, %r2; st.global.f32 [%rd], %f1;\n"
                        "ld.shared.f32 %f2, [%r4+4];\n"),
            (std::vector<int>{8, follows}));
}

TEST(JoinedLoads, AnExactQuotientBetweenThemKeepsWordsApart) {
  const auto between = [](const std::string& instruction) {
    return loads(row + "ld.shared.f32 %f1, [%r4]; " + instruction + " ld.shared.f32 %f2, [%r4+4];\n");
  };
  EXPECT_EQ(between("div.rn.f32 %f3, %f1, %f1;"), (std::vector<int>{0, 0}));
  EXPECT_EQ(between("sqrt.rn.f32 %f3, %f1;"), (std::vector<int>{0, 0}));
  EXPECT_EQ(between("div.approx.f32 %f3, %f1, %f1;"), (std::vector<int>{8, follows}));
}

TEST(JoinedLoads, ALoopThatGoesOnByWholeGroupsStaysAligned) {
  EXPECT_EQ(loads(row + "L: ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];\n"
                        "add.s32 %r4, %r4, 32; setp.lt.s32 %p, %r4, 100; @%p bra L;\n"),
            (std::vector<int>{8, follows}));
  EXPECT_EQ(loads(row + "L: ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];\n"
                        "add.s32 %r4, %r4, 4; setp.lt.s32 %p, %r4, 100; @%p bra L;\n"),
            (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace heddle::profiler
