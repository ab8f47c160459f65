#include "module/lower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "module/test_link.h"

namespace heddle::module {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Lowering, VariablesOfAFunctionAreItsOwn) {
  const auto image = link_text(
      ".visible .entry k() { .reg .b64 p; .global .u32 count = 3; .const .u32 c = 4; mov.u64 p, count; "
      "mov.u64 p, c; ret; }\n"
      ".visible .entry l() { .reg .b64 p; .global .u64 count = k2; mov.u64 p, count; ret; }\n"
      ".global .u32 k2;");
  const Function& k = *image->find_function("k");
  const Symbol& count = image->symbols[k.operands[k.code[0].first_operand + 1].index];
  EXPECT_EQ(count.owner, image->function_index("k"));
  EXPECT_THAT(count.init, ElementsAre(std::byte{3}));
  EXPECT_EQ(image->symbols[k.operands[k.code[1].first_operand + 1].index].space, Space::const_);
  EXPECT_EQ(image->find_symbol("count"), nullptr);
  const Function& l = *image->find_function("l");
  const Symbol& other = image->symbols[l.operands[l.code[0].first_operand + 1].index];
  EXPECT_EQ(other.relocations.at(0).symbol, image->symbol_index("k2"));
}

TEST(Lowering, LocalVariablesKeepApartWhereCallParametersShare) {
  const auto image = link_text(
      ".visible .entry k() {\n"
      "{ .local .align 8 .b8 a[8]; .param .b32 x; }\n"
      "{ .local .align 4 .b8 b[4]; .param .b64 y; { .param .b32 z; } { .param .b32 w; } }\n"
      "ret; }");
  std::vector<std::pair<std::string, uint64_t>> places;
  for (const Symbol& s : image->symbols) places.emplace_back(s.name, s.offset);
  EXPECT_THAT(places, ElementsAre(std::pair("a", 0u), std::pair("x", 12u), std::pair("b", 8u),
                                  std::pair("y", 16u), std::pair("z", 24u), std::pair("w", 24u)));
  EXPECT_EQ(image->functions.at(0).frame_bytes, 28u);
  EXPECT_EQ(image->functions.at(0).frame_align, 8u);
}

TEST(Lowering, LocalVariablesOfAModuleHaveAnAreaOfTheirOwn) {
  const auto image = link_text(
      ".version 1.4\n.target sm_13\n.local .u32 a; .local .u64 b;\n.entry k() { .reg .u32 r; ld.local.u32 r, "
      "[b]; exit; }");
  EXPECT_EQ(image->static_local_bytes, 16u);
  EXPECT_EQ(image->find_symbol("b")->offset, 8u);
  EXPECT_EQ(image->find_symbol("b")->owner, none);
  EXPECT_EQ(image->functions.at(0).frame_bytes, 0u);
}

TEST(Lowering, ArraysWithoutASizeInAConstantBankAreTheBank) {
  const auto image = link_text(
      ".version 2.0\n.target sm_20\n.extern .const[2] .b32 a[]; .extern .const[2] .b8 b[]; .extern .const[3] "
      ".b8 c[];\n"
      ".entry k() { .reg .u32 r; ld.const[2].u32 r, [a+4]; ld.const[2].u32 r, [b]; ld.const[3].u32 r, [c]; "
      "exit; }");
  ASSERT_NE(image->find_symbol("a"), nullptr);
  EXPECT_EQ(image->symbol_index("a"), image->symbol_index("b"));
  EXPECT_NE(image->symbol_index("a"), image->symbol_index("c"));
  EXPECT_EQ(image->find_symbol("a")->size, 65536u);
  EXPECT_EQ(image->find_symbol("c")->bank, 3u);
}

TEST(Lowering, LimitsComeFromTheDirectives) {
  const auto image = link_text(
      ".visible .entry k() .maxntid 64, 2 .minnctapersm 3 .maxnreg 40 { ret; }\n"
      ".visible .entry l() .reqntid 32 .reqnctapercluster 2, 1, 1 .explicitcluster { ret; }");
  const Limits& k = image->find_function("k")->limits;
  EXPECT_THAT(k.max_threads, ElementsAre(64u, 2u, 1u));
  EXPECT_EQ(k.min_blocks, 3u);
  EXPECT_EQ(k.max_registers, 40u);
  const Limits& l = image->find_function("l")->limits;
  EXPECT_THAT(l.required_threads, ElementsAre(32u, 1u, 1u));
  EXPECT_THAT(l.required_cluster, ElementsAre(2u, 1u, 1u));
  EXPECT_TRUE(l.explicit_cluster);
}

TEST(Lowering, PointerParametersKeepWhatIsSaidOfThem) {
  const auto image =
      link_text(".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u64 .ptr q) { ret; }");
  const Signature& s = image->functions.at(0).signature;
  EXPECT_TRUE(s.params[0].pointer);
  EXPECT_EQ(s.params[0].pointee, Space::global);
  EXPECT_EQ(s.params[0].pointee_align, 16u);
  EXPECT_TRUE(s.params[1].pointer);
  EXPECT_EQ(s.params[1].pointee, Space::generic);
}

TEST(Lowering, AnAddressInSharedMemoryIsNoInitialValue) {
  EXPECT_THAT(link_units({".shared .u32 s; .global .u64 p = s;"}, {}, Reading::parsed_only).messages,
              ElementsAre(HasSubstr(
                  "the initial value of 'p' names 's', whose address is known only inside a kernel")));
}

TEST(Lowering, AFramePastTheLimitIsRefused) {
  EXPECT_THAT(
      link_units({".visible .entry k() { .local .b8 x[5000000000]; ret; }"}).messages,
      ElementsAre(HasSubstr("local variables of 'k' take 5000000000 bytes; the limit is 4294967295")));
}

TEST(Lowering, AnInstructionKnowsItsText) {
  const auto image = link_text(
      ".visible .entry k() {\n  .reg .pred p;\n  .reg .b32 r;\n  @p   add.u32\tr,\n    r, 1;\n ret; }");
  const Function& k = image->functions.at(0);
  EXPECT_EQ(instruction_text(*image, k, k.code[0]), "add.u32 r, r, 1");
  EXPECT_EQ(instruction_text(*image, k, k.code[1]), "ret");
}

}  // namespace
}  // namespace heddle::module
