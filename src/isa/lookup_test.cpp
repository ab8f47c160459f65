#include <gtest/gtest.h>

#include "isa/isa.h"

namespace heddle::isa {
namespace {

TEST(Lookup, EveryNameIsFoundAndNothingElse) {
  for (std::size_t i = 1; i < word_count; ++i)
    EXPECT_EQ(find_word(spelling(static_cast<Word>(i))), static_cast<Word>(i));
  for (std::size_t i = 1; i < opcode_count; ++i)
    EXPECT_EQ(find_opcode(name(static_cast<Opcode>(i))), static_cast<Opcode>(i));
  for (std::size_t i = 1; i < special_register_count; ++i) {
    const auto reg = static_cast<SpecialRegister>(i);
    EXPECT_EQ(find_special_register(info(reg).name), reg);
  }
  for (std::size_t i = 1; i < directive_count; ++i)
    EXPECT_EQ(find_directive(info(static_cast<Directive>(i)).name), static_cast<Directive>(i));
  for (std::string_view wrong : {"", "ad", "addd", "ADD", "u33", "%tidx", "tid", ".add"}) {
    EXPECT_EQ(find_opcode(wrong), Opcode::none) << wrong;
    EXPECT_EQ(find_word(wrong), Word::none) << wrong;
    EXPECT_EQ(find_special_register(wrong), SpecialRegister::none) << wrong;
    EXPECT_EQ(find_directive(wrong), Directive::none) << wrong;
  }
}

TEST(Lookup, WordsThatAreTypesSaySo) {
  EXPECT_EQ(type_of(Word::u32), Type::u32);
  EXPECT_EQ(type_of(Word::bf16x2), Type::bf16x2);
  EXPECT_EQ(type_of(Word::sat), Type::none);
  EXPECT_EQ(info(Type::f16x2).bits, 32);
  EXPECT_EQ(info(Type::f16x2).elements, 2);
  EXPECT_EQ(info(Type::pred).kind, TypeKind::predicate);
}

// PTX ISA 11.1.2: sm_90a code runs on sm_90a alone; sm_100f code on the family of sm_100.
TEST(Targets, ArchitectureAndFamilyNeeds) {
  using Suffix = TargetNeed::Suffix;
  const auto meets_need = [](std::string_view target, uint16_t sm, Suffix suffix) {
    return meets(*find_target(target), TargetNeed{sm, suffix, static_cast<uint16_t>(sm / 10)});
  };
  EXPECT_TRUE(meets_need("sm_90a", 80, Suffix::none));
  EXPECT_TRUE(meets_need("sm_90a", 90, Suffix::a));
  EXPECT_FALSE(meets_need("sm_90", 90, Suffix::a));
  EXPECT_FALSE(meets_need("sm_100a", 90, Suffix::a));
  EXPECT_TRUE(meets_need("sm_103a", 100, Suffix::f));
  EXPECT_TRUE(meets_need("sm_103f", 100, Suffix::f));
  EXPECT_FALSE(meets_need("sm_103", 100, Suffix::f));
  EXPECT_FALSE(meets_need("sm_120a", 100, Suffix::f));
  EXPECT_EQ(find_target("sm_91"), nullptr);
}

}  // namespace
}  // namespace heddle::isa
