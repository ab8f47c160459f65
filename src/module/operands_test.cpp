#include "module/operands.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "module/test_link.h"

namespace heddle::module {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* registers =
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .b64 "
    "%rd<9>;\n";

// A kernel with the usual registers around the text, in front of it the module's variables.
std::unique_ptr<Image> body(const std::string& text, const std::string& variables = {}) {
  return link_text(variables + ".visible .entry k(.param .u64 p, .param .u32 n) {\n" + registers + text +
                   "\nret; }");
}
const Function& kernel(const Image& image) { return *image.find_function("k"); }
const Operand& operand(const Image& image, uint32_t index, uint32_t instruction = 0) {
  const Function& f = kernel(image);
  return f.operands[f.code[instruction].first_operand + index];
}
const Operand& child(const Image& image, const Operand& o, uint32_t index) {
  return kernel(image).operands[o.first_child + index];
}

TEST(Operands, ConstantsTakeTheOperandsType) {
  EXPECT_EQ(operand(*body("add.u32 %r1, %r2, -1;"), 2).value, 0xffffffffu);
  EXPECT_EQ(operand(*body("add.s16 %h1, %h2, 70000;"), 2).value, 4464u);
  EXPECT_EQ(operand(*body("add.s64 %rd1, %rd2, -1;"), 2).value, ~uint64_t{0});
  EXPECT_EQ(operand(*body("add.f32 %f1, %f2, 1.5;"), 2).value, 0x3fc00000u);
  EXPECT_EQ(operand(*body("add.f32 %f1, %f2, 0f3F800000;"), 2).value, 0x3f800000u);
  EXPECT_EQ(operand(*body("add.f64 %d1, %d2, 1.5;"), 2).value, 0x3ff8000000000000u);
  EXPECT_EQ(operand(*body("mov.b64 %rd1, 1.5;"), 1).value, 0x3ff8000000000000u);
  EXPECT_EQ(operand(*body("add.u32 %r1, %r2, WARP_SZ;"), 2).value, 32u);
  EXPECT_EQ(operand(*body("and.pred %p1, %p2, 1;"), 2).value, 1u);
  EXPECT_EQ(operand(*body("add.u32 %r1, %r2, 5;"), 2).type, isa::Type::u32);
}

TEST(Operands, RegistersKnowTheirOwnTypeAndTheInstructions) {
  const auto image = body("add.s32 %r1, %r2, %r3;");
  EXPECT_EQ(operand(*image, 1).type, isa::Type::s32);
  EXPECT_EQ(operand(*image, 1).declared, isa::Type::b32);
}

TEST(Operands, NegationAndBarsStay) {
  const auto image = body("setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;");
  EXPECT_EQ(operand(*image, 0).reg, 0u);
  EXPECT_EQ(operand(*image, 1).kind, OperandKind::reg);
  EXPECT_TRUE(operand(*image, 4).negated);
  const auto plain = body("setp.lt.u32 %p1, %r1, %r2;");
  EXPECT_EQ(operand(*plain, 1).kind, OperandKind::absent);
  EXPECT_EQ(operand(*plain, 2).kind, OperandKind::reg);
}

TEST(Operands, SpecialRegistersHaveComponents) {
  const auto image =
      body("mov.u32 %r1, %ctaid.y; mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid; mov.u32 %r1, %envreg31;");
  EXPECT_EQ(operand(*image, 1).kind, OperandKind::special);
  EXPECT_EQ(operand(*image, 1).component, isa::Word::y);
  const Operand& whole = operand(*image, 1, 1);
  ASSERT_EQ(whole.kind, OperandKind::vector);
  ASSERT_EQ(whole.child_count, 4u);
  EXPECT_EQ(child(*image, whole, 3).component, isa::Word::w);
  EXPECT_EQ(isa::info(operand(*image, 1, 2).special).name, "%envreg31");
}

TEST(Operands, VariablesAreAddressesWithOffsets) {
  const auto image =
      body("mov.u64 %rd1, v+4; mov.u64 %rd1, v[2]; mov.u64 %rd1, %rd2+8;", ".global .v2 .f32 v[4];");
  EXPECT_EQ(operand(*image, 1).kind, OperandKind::symbol);
  EXPECT_EQ(operand(*image, 1).value, 4u);
  EXPECT_EQ(operand(*image, 1, 1).value, 16u);
  EXPECT_EQ(operand(*image, 1, 2).kind, OperandKind::address);
  EXPECT_EQ(operand(*image, 1, 2).value, 8u);
}

TEST(Operands, FunctionNamesAreHandles) {
  const auto image = body("mov.u64 %rd1, f;", ".func f() { ret; }");
  EXPECT_EQ(operand(*image, 1).kind, OperandKind::function);
  EXPECT_TRUE(image->find_function("f")->address_taken);
  EXPECT_FALSE(image->find_function("k")->address_taken);
}

TEST(Operands, AVectorRegisterIsAVectorOfItsElements) {
  const auto image = body(".reg .v4 .u32 v; mov.v4.u32 v, %tid; mov.u32 %r1, v.z; mov.u32 %r1, v.b;");
  const Operand& whole = operand(*image, 0);
  ASSERT_EQ(whole.kind, OperandKind::vector);
  EXPECT_EQ(operand(*image, 1, 1).reg, child(*image, whole, 2).reg);
  EXPECT_EQ(operand(*image, 1, 2).reg, child(*image, whole, 2).reg);
  EXPECT_EQ(operand(*image, 1, 1).component, isa::Word::none);
}

TEST(Operands, AVectorHasNoElementPastItsEnd) {
  const Linked l = link_units({".visible .entry k() { .reg .v2 .u32 v; mov.u32 v.z, 1; ret; }"});
  EXPECT_THAT(l.messages, ElementsAre(HasSubstr("'v' has 2 elements; there is no .z")));
}

TEST(Operands, GuardsAreSlots) {
  const auto image = body("setp.eq.u32 %p1, %r1, 0; @!%p1 bra L; @%p1 mov.u32 %r1, 1; L:");
  EXPECT_EQ(kernel(*image).code[1].guard, operand(*image, 0).reg);
  EXPECT_TRUE(kernel(*image).code[1].guard_negated);
  EXPECT_FALSE(kernel(*image).code[2].guard_negated);
  EXPECT_EQ(kernel(*image).code[0].guard, none);
  EXPECT_THAT(
      link_units({".visible .entry k() { .reg .b32 r; @r exit; }"}, {}, Reading::parsed_only).messages,
      ElementsAre(HasSubstr("the guard 'r' is no predicate register")));
}

TEST(Operands, ANameOfTheWrongKindIsSaidToBeOne) {
  const auto messages = [](const std::string& text) {
    return link_units(
               {".func f() { ret; } .global .u32 v; .visible .entry k() {\n.reg .b32 r; .reg .b64 d;\n" +
                text + "\nL: ret; }"},
               {}, Reading::parsed_only)
        .messages;
  };
  EXPECT_THAT(messages("bra v;"), ElementsAre(HasSubstr("'v' is a variable, not a label")));
  EXPECT_THAT(messages("bra f;"), ElementsAre(HasSubstr("'f' is a function, not a label")));
  EXPECT_THAT(messages("call L;"), ElementsAre(HasSubstr("'L' is a label, not a function")));
  EXPECT_THAT(messages("mov.u64 d, L;"), ElementsAre(HasSubstr("'L' is a label, not a value")));
  EXPECT_THAT(messages("t: .calltargets f; brx.idx r, t;"),
              ElementsAre(HasSubstr("'t' is a list of call targets, not a list of branch targets")));
  EXPECT_THAT(
      messages("t: .branchtargets L; call d, t;"),
      ElementsAre(HasSubstr("'t' is a list of branch targets, not a prototype or list of call targets")));
  EXPECT_THAT(messages("ld.global.u32 r, [f];"),
              ElementsAre(HasSubstr("'f' is neither a register nor a variable")));
}

}  // namespace
}  // namespace heddle::module
