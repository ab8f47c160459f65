#include "profiler/joined_accesses.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "module/test_link.h"

namespace heddle::profiler {
namespace {

// What is said of each access of one kind, in the order of the text.
std::vector<Joined> accesses(const std::string& body, isa::Opcode opcode) {
  const auto image = module::link_text(
      ".visible .entry k() { .shared .align 4 .b8 t[4096]; .reg .b32 %r<20>; .reg .f32 %f<20>; .reg .b64 "
      "%rd; .reg .pred %p;\n" +
      body + "ret; }");
  const module::Function& function = image->functions[image->function_index("k")];
  const JoinedAccesses joined(*image, function);
  std::vector<Joined> result;
  for (uint32_t i = 0; i < function.code.size(); ++i)
    if (function.code[i].opcode == opcode) result.push_back(joined.of(i));
  return result;
}

std::vector<int> bytes_of(const std::vector<Joined>& all) {
  std::vector<int> result;
  for (const Joined& one : all) result.push_back(one.bytes);
  return result;
}

std::vector<int> loads(const std::string& body) { return bytes_of(accesses(body, isa::Opcode::ld)); }
std::vector<int> stores(const std::string& body) { return bytes_of(accesses(body, isa::Opcode::st)); }

constexpr int follows = Joined::another;

// A row of a tile of 16 words.
const std::string row = "mov.u32 %r1, %tid.y; shl.b32 %r2, %r1, 6; mov.u32 %r3, t; add.s32 %r4, %r3, %r2;\n";

TEST(JoinedAccesses, FourWordsOfARowAreOne) {
  EXPECT_EQ(loads(row + "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];\n"
                        "ld.shared.f32 %f4, [%r4+12]; ld.shared.f32 %f3, [%r4+8];\n"),
            (std::vector<int>{16, follows, follows, follows}));
}

TEST(JoinedAccesses, WhatIsLeftOverIsTwoOrOne) {
  EXPECT_EQ(
      loads(row + "ld.shared.f32 %f1, [%r4+4]; ld.shared.f32 %f2, [%r4+8]; ld.shared.f32 %f3, [%r4+12];\n"),
      (std::vector<int>{0, 8, follows}));
}

TEST(JoinedAccesses, ARowThatIsPaddedIsNotAligned) {
  EXPECT_EQ(loads("mov.u32 %r1, %tid.y; mul.lo.s32 %r2, %r1, 68; mov.u32 %r3, t; add.s32 %r4, %r3, %r2;\n"
                  "ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];\n"),
            (std::vector<int>{0, 0}));
}

TEST(JoinedAccesses, NothingIsJoinedAcrossAStoreABarrierOrAnotherBase) {
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

TEST(JoinedAccesses, AnExactQuotientBetweenThemKeepsWordsApart) {
  const auto between = [](const std::string& instruction) {
    return loads(row + "ld.shared.f32 %f1, [%r4]; " + instruction + " ld.shared.f32 %f2, [%r4+4];\n");
  };
  EXPECT_EQ(between("div.rn.f32 %f3, %f1, %f1;"), (std::vector<int>{0, 0}));
  EXPECT_EQ(between("sqrt.rn.f32 %f3, %f1;"), (std::vector<int>{0, 0}));
  EXPECT_EQ(between("div.approx.f32 %f3, %f1, %f1;"), (std::vector<int>{8, follows}));
}

TEST(JoinedAccesses, ALoopThatGoesOnByWholeGroupsStaysAligned) {
  EXPECT_EQ(loads(row + "L: ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];\n"
                        "add.s32 %r4, %r4, 32; setp.lt.s32 %p, %r4, 100; @%p bra L;\n"),
            (std::vector<int>{8, follows}));
  EXPECT_EQ(loads(row + "L: ld.shared.f32 %f1, [%r4]; ld.shared.f32 %f2, [%r4+4];\n"
                        "add.s32 %r4, %r4, 4; setp.lt.s32 %p, %r4, 100; @%p bra L;\n"),
            (std::vector<int>{0, 0}));
}

TEST(JoinedAccesses, StoresCountWhereTheLastIs) {
  const std::string pair = row + "st.shared.f32 [%r4+4], %f1; st.shared.f32 [%r4], %f2;\n";
  EXPECT_EQ(stores(pair), (std::vector<int>{follows, 8}));
  EXPECT_EQ(accesses(pair, isa::Opcode::st)[1].before, 0);
  const std::string ascending = row + "st.shared.f32 [%r4], %f1; st.shared.f32 [%r4+4], %f2;\n";
  EXPECT_EQ(stores(ascending), (std::vector<int>{follows, 8}));
  EXPECT_EQ(accesses(ascending, isa::Opcode::st)[1].before, 4);
}

TEST(JoinedAccesses, AStoreByAnotherBaseOrALoadKeepsStoresApart) {
  EXPECT_EQ(stores(row + "st.shared.f32 [%r4], %f1; st.shared.f32 [%r3], %f2; st.shared.f32 [%r4+4], %f1;\n"),
            (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(stores(row + "st.shared.f32 [%r4], %f1; ld.shared.f32 %f2, [%r3]; st.shared.f32 [%r4+4], %f1;\n"),
            (std::vector<int>{0, 0}));
  EXPECT_EQ(stores(row + "st.shared.f32 [%r4], %f1; bar.sync 0; st.shared.f32 [%r4+4], %f1;\n"),
            (std::vector<int>{0, 0}));
}

TEST(JoinedAccesses, VariablesThatLieSideBySideAreNeighbours) {
  const std::string two = ".shared .align 4 .b32 one; .shared .align 4 .b32 other;\n";
  EXPECT_EQ(stores(two + "st.shared.f32 [one], %f1; st.shared.f32 [other], %f2;\n"),
            (std::vector<int>{follows, 8}));
  EXPECT_EQ(loads(two + "ld.shared.f32 %f1, [one]; ld.shared.f32 %f2, [other];\n"),
            (std::vector<int>{8, follows}));
}

}  // namespace
}  // namespace heddle::profiler
