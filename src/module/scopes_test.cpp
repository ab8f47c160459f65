#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "module/test_link.h"

namespace heddle::module {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<Image> body(const std::string& text) {
  return link_text(".visible .entry k() {\n" + text + "\n}");
}

const Operand& operand(const Function& f, uint32_t instruction, uint32_t index) {
  return f.operands[f.code[instruction].first_operand + index];
}
std::vector<std::string> register_names(const Function& f) {
  std::vector<std::string> names;
  for (const RegisterInfo& r : f.registers) names.push_back(r.name);
  return names;
}

TEST(Scopes, OnlyNamedRegistersGetSlots) {
  const auto image =
      body(".reg .b32 %r<1000000>; .reg .pred %p<9>; mov.u32 %r999999, 1; mov.u32 %r0, 2; ret;");
  const Function& f = image->functions.at(0);
  EXPECT_THAT(register_names(f), ElementsAre("%r999999", "%r0"));
  EXPECT_EQ(f.register_slots, 2u);
}

TEST(Scopes, AnInnerNameHidesAnOuterOne) {
  const auto image = body(".reg .b32 a; mov.u32 a, 1; { .reg .b64 a; mov.u64 a, 2; } mov.u32 a, 3; ret;");
  const Function& f = image->functions.at(0);
  EXPECT_EQ(operand(f, 0, 0).reg, operand(f, 2, 0).reg);
  EXPECT_NE(operand(f, 0, 0).reg, operand(f, 1, 0).reg);
  EXPECT_EQ(operand(f, 1, 0).declared, isa::Type::b64);
}

TEST(Scopes, AnInnerRangeHidesOnlyItsOwnNumbers) {
  const auto image = body(
      ".reg .b32 r<9>; mov.u32 r1, 1; mov.u32 r7, 1; { .reg .b64 r<3>; mov.u64 r1, 2; mov.u32 r7, 2; } "
      "mov.u32 r1, 3; ret;");
  const Function& f = image->functions.at(0);
  EXPECT_NE(operand(f, 0, 0).reg, operand(f, 2, 0).reg);
  EXPECT_EQ(operand(f, 1, 0).reg, operand(f, 3, 0).reg);
  EXPECT_EQ(operand(f, 0, 0).reg, operand(f, 4, 0).reg);
}

TEST(Scopes, ARangesNameMayEndInADigit) {
  const auto image = body(
      ".reg .b32 a1<4>; .reg .b64 a<20>; mov.u64 a12, 1; { .reg .b32 a1<3>; mov.u32 a12, 2; "
      "} ret;");
  const Function& f = image->functions.at(0);
  EXPECT_EQ(operand(f, 0, 0).declared, isa::Type::b64);
  EXPECT_EQ(operand(f, 1, 0).declared, isa::Type::b32);
}

TEST(Scopes, ASingleNameHidesAnOuterRangesMember) {
  const auto image =
      body(".reg .b32 r<9>; mov.u32 r1, 1; { .reg .b64 r1; mov.u64 r1, 2; } mov.u32 r1, 3; ret;");
  const Function& f = image->functions.at(0);
  EXPECT_EQ(operand(f, 1, 0).declared, isa::Type::b64);
  EXPECT_EQ(operand(f, 0, 0).reg, operand(f, 2, 0).reg);
}

TEST(Scopes, ClosedBlocksGiveTheirSlotsBack) {
  const auto image = body(
      "{ .reg .b32 a, b; mov.u32 a, 1; mov.u32 b, 1; } { .reg .b32 c; mov.u32 c, 1; } { .reg .b64 d; mov.u64 "
      "d, 1; } ret;");
  EXPECT_EQ(image->functions.at(0).register_slots, 3u);
}

TEST(Scopes, AnOuterRegisterFirstNamedInsideKeepsItsSlot) {
  const auto image =
      body(".reg .b32 r<3>; { mov.u32 r1, 1; } { .reg .b32 t; mov.u32 t, 1; } mov.u32 r1, 2; ret;");
  const Function& f = image->functions.at(0);
  EXPECT_NE(operand(f, 0, 0).reg, operand(f, 1, 0).reg);
  EXPECT_EQ(operand(f, 0, 0).reg, operand(f, 2, 0).reg);
}

// Control comes back to the block by a jump backward, with the outer register alive.
TEST(Scopes, ARegisterAroundTakesNoSlotOfABlockThatClosedInItsScope) {
  const auto image = body(
      ".reg .b32 out; bra A; B: { .reg .b32 t; mov.u32 t, 1; } bra C; A: mov.u32 out, 7; bra B; C: mov.u32 "
      "out, out; ret;");
  const Function& f = image->functions.at(0);
  EXPECT_NE(operand(f, 1, 0).reg, operand(f, 3, 0).reg);
  const auto nested = body(
      "{ .reg .b32 x, y; { .reg .b32 t; mov.u32 t, 1; { .reg .b32 u; mov.u32 u, 1; } } mov.u32 x, 1; { .reg "
      ".b32 v, w; mov.u32 v, 1; mov.u32 w, 1; mov.u32 y, 1; } }");
  const Function& g = nested->functions.at(0);
  EXPECT_NE(operand(g, 2, 0).reg, operand(g, 0, 0).reg);  // x lives where t and u were
  EXPECT_NE(operand(g, 2, 0).reg, operand(g, 1, 0).reg);
  EXPECT_NE(operand(g, 5, 0).reg, operand(g, 0, 0).reg);
  EXPECT_NE(operand(g, 5, 0).reg, operand(g, 1, 0).reg);
  EXPECT_EQ(g.register_slots, 4u);  // v and w have those of t and u
}

TEST(Scopes, A128BitRegisterTakesTwoSlots) {
  const auto image = body(".reg .b128 a, b; .reg .b64 x, y; mov.b128 a, {x, y}; mov.b128 b, {x, y}; ret;");
  const Function& f = image->functions.at(0);
  EXPECT_EQ(f.register_slots, 6u);
}

TEST(Scopes, LabelsBelongToTheirBlock) {
  const auto image = body("L: { L: bra L; } bra M; { M: bra M; } M: bra L; ret;");
  const Function& f = image->functions.at(0);
  EXPECT_EQ(operand(f, 0, 0).value, 0u);
  EXPECT_EQ(operand(f, 1, 0).value, 3u);
  EXPECT_EQ(operand(f, 2, 0).value, 2u);
  EXPECT_EQ(operand(f, 3, 0).value, 0u);
}

TEST(Scopes, EachFunctionBeginsAnew) {
  const auto image = link_text(
      ".visible .entry k() { .reg .b32 r<9>; { .reg .b64 d; mov.u64 d, 1; } mov.u32 r1, 1; ret; }\n"
      ".visible .entry l() { .reg .b32 r<9>; mov.u32 r1, 1; { .reg .b64 d; mov.u64 d, 1; } ret; }");
  EXPECT_THAT(register_names(image->functions.at(0)), ElementsAre("d", "r1"));
  EXPECT_THAT(register_names(image->functions.at(1)), ElementsAre("r1", "d"));
  EXPECT_EQ(image->functions.at(1).register_slots, 2u);
}

TEST(Scopes, WhatIsNotDeclaredIsNamedWithItsPlace) {
  const Linked l =
      link_units({".visible .entry k() {\n  .reg .b32 a;\n  mov.u32 a, nothing;\n  mov.u32 b, a;\n ret; }"},
                 {}, Reading::parsed_only);
  EXPECT_THAT(l.messages, ElementsAre("a.ptx:6:14: error: 'nothing' is not declared",
                                      "a.ptx:7:11: error: 'b' is not declared"));
}

TEST(Scopes, AUserMayCallARegisterLikeASpecialOne) {
  const auto image = body(".reg .b32 %laneid, a; mov.u32 a, %laneid; mov.u32 a, %warpid; ret;");
  EXPECT_EQ(operand(image->functions.at(0), 0, 1).kind, OperandKind::reg);
  EXPECT_EQ(operand(image->functions.at(0), 1, 1).kind, OperandKind::special);
}

TEST(Scopes, ModuleLevelRegistersServeEntries) {
  const auto image =
      link_text(".version 1.4\n.target sm_10\n.reg .u32 g;\n.entry k() { mov.u32 g, 1; exit; }");
  EXPECT_THAT(register_names(image->functions.at(0)), ElementsAre("g"));
}

}  // namespace
}  // namespace heddle::module
