#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "isa/isa.h"

namespace heddle::isa {
namespace {

struct Match {
  const FormInfo* form;
  SlotValues values;
};

// The forms that a mnemonic's words fit: "add.sat.s32".
std::vector<Match> matches(const std::string& mnemonic) {
  std::istringstream text(mnemonic);
  std::string part;
  std::getline(text, part, '.');
  const Opcode opcode = find_opcode(part);
  std::vector<Word> words;
  while (std::getline(text, part, '.')) words.push_back(find_word(part));
  std::vector<Match> found;
  for (const FormInfo& form : forms(opcode)) {
    SlotValues values;
    if (match(form, words, values)) found.push_back({&form, values});
  }
  return found;
}

TEST(Match, WordsGoToTheirSlots) {
  const auto found = matches("add.sat.s32");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].form->form, Form::add_int);
  EXPECT_TRUE(found[0].values.is(Slot::sat, Word::sat));
  EXPECT_EQ(found[0].values.type(), Type::s32);
}

TEST(Match, AWordThatTheFormDoesNotTakeIsRefused) {
  EXPECT_TRUE(matches("add.sat.u32").empty());
  EXPECT_TRUE(matches("add.u32.sat").empty());
  EXPECT_TRUE(matches("add").empty());
  EXPECT_TRUE(matches("add.u32.u32").empty());
  EXPECT_TRUE(matches("add.nonsense").empty());
}

TEST(Match, TypesOfOperandsFollowTheWords) {
  const auto found = matches("mul.wide.s16");
  ASSERT_EQ(found.size(), 1u);
  const auto& operands = found[0].form->operands;
  ASSERT_EQ(operands.size(), 3u);
  EXPECT_EQ(resolve(operands[0].type, found[0].values, 64), Type::s32);
  EXPECT_EQ(resolve(operands[1].type, found[0].values, 64), Type::s16);
  EXPECT_EQ(operands[0].access, Access::write);
  EXPECT_EQ(operands[1].access, Access::read);
}

}  // namespace
}  // namespace heddle::isa
