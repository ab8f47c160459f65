// What must hold for every record, whatever it says.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "isa/isa.h"

namespace heddle::isa {
namespace {

// The words of a form's first slot, the second ... one each, optional ones left out or not.
std::vector<Word> a_spelling(const FormInfo& form, bool with_optional, bool last_words) {
  std::vector<Word> words;
  for (const SlotRule& rule : form.slots)
    if (with_optional || !rule.optional) words.push_back(last_words ? rule.words.back() : rule.words.front());
  return words;
}

std::string text(const FormInfo& form, std::span<const Word> words) {
  std::string result(name(form.opcode));
  for (const Word word : words) result += "." + std::string(spelling(word));
  return result + " of " + std::string(form.id);
}

TEST(Tables, EveryFormMatchesItsOwnSpellings) {
  for (const FormInfo& form : all_forms())
    for (const bool optional : {false, true})
      for (const bool last : {false, true}) {
        const auto words = a_spelling(form, optional, last);
        SlotValues values;
        ASSERT_TRUE(match(form, words, values)) << text(form, words);
        std::vector<Word> back;
        for (const SlotRule& rule : form.slots)
          if (values.has(rule.slot)) back.push_back(values[rule.slot]);
        EXPECT_EQ(back, words) << text(form, words);
        EXPECT_TRUE(match_reordered(form, words, values)) << text(form, words);
      }
}

TEST(Tables, FormsStandByTheirOpcodes) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < opcode_count; ++i) {
    const auto opcode = static_cast<Opcode>(i);
    EXPECT_FALSE(title(opcode).empty()) << name(opcode);
    EXPECT_FALSE(forms(opcode).empty()) << name(opcode);
    for (const FormInfo& form : forms(opcode)) EXPECT_EQ(form.opcode, opcode) << form.id;
    count += forms(opcode).size();
  }
  EXPECT_EQ(count, all_forms().size());
  EXPECT_TRUE(forms(Opcode::none).empty());
  for (std::size_t i = 1; i < form_count; ++i)
    EXPECT_EQ(info(static_cast<Form>(i)).form, static_cast<Form>(i));
}

TEST(Tables, OperandTypesResolveUnlessTheRuleLeavesThemOpen) {
  for (const FormInfo& form : all_forms()) {
    SlotValues values;
    const auto words = a_spelling(form, true, false);
    ASSERT_TRUE(match(form, words, values));
    for (const OperandRule& rule : form.operands) {
      const bool open = rule.type.kind == TypeRule::Kind::any || rule.type.kind == TypeRule::Kind::one_of;
      const Type type = resolve(rule.type, values, 64);
      EXPECT_EQ(type == Type::none, open) << text(form, words) << ", operand " << rule.name;
    }
  }
}

void expect_sane(const Needs& needs, std::string_view what) {
  const auto known = [](const Version& v) { return std::ranges::find(versions(), v) != versions().end(); };
  EXPECT_TRUE(known(needs.ptx)) << what;
  EXPECT_TRUE(needs.last_ptx == Needs{}.last_ptx || (known(needs.last_ptx) && needs.last_ptx >= needs.ptx))
      << what;
  const bool some = std::ranges::any_of(targets(), [&](const TargetInfo& t) { return meets(t, needs); });
  EXPECT_TRUE(some) << what << " asks for a target that does not exist";
}

TEST(Tables, NeedsNameVersionsAndTargetsThatExist) {
  for (const FormInfo& form : all_forms()) {
    expect_sane(form.needs, form.id);
    for (const WordNeeds& need : form.word_needs) {
      expect_sane(need.needs, form.id);
      const auto takes = [&](const SlotRule& rule) {
        return rule.slot == need.slot && std::ranges::find(rule.words, need.word) != rule.words.end();
      };
      if (need.word != Word::none)  // an empty slot may ask for something too
        EXPECT_TRUE(std::ranges::any_of(form.slots, takes)) << form.id << " " << spelling(need.word);
    }
  }
  for (std::size_t i = 1; i < special_register_count; ++i) {
    const SpecialRegisterInfo& reg = info(static_cast<SpecialRegister>(i));
    expect_sane(reg.needs, reg.name);
  }
  for (std::size_t i = 1; i < directive_count; ++i) {
    const DirectiveInfo& directive = info(static_cast<Directive>(i));
    expect_sane(directive.needs, directive.name);
    EXPECT_NE(directive.places, 0) << directive.name;
  }
}

TEST(Tables, OptionalPartsAreNumberedAndNested) {
  for (const FormInfo& form : all_forms())
    for (std::size_t i = 0; i < form.operands.size(); ++i) {
      const OperandRule& rule = form.operands[i];
      if (rule.optional_parent != 0) EXPECT_LT(rule.optional_parent, rule.optional_group) << form.syntax;
      if (rule.piped) EXPECT_GT(i, 0u) << form.syntax;
    }
}

TEST(Tables, FragmentsHaveALengthForEverySpelling) {
  for (const FormInfo& form : all_forms())
    for (std::size_t i = 0; i < form.operands.size(); ++i) {
      const OperandRule& operand = form.operands[i];
      const auto is_fragment = [](const OperandRule& o) { return o.shape == OperandShape::fragment; };
      if (!is_fragment(operand) && !std::ranges::any_of(operand.inner, is_fragment)) continue;
      SlotValues values;
      ASSERT_TRUE(match(form, a_spelling(form, true, false), values));
      if (operand.optional_group != 0) continue;  // words may forbid it
      EXPECT_NE(fragment_count(form, i, values), 0u) << form.syntax << ", operand " << operand.name;
    }
}

TEST(Tables, TargetsAscendAndStartWithTheirVersions) {
  std::set<std::string_view> names;
  for (const TargetInfo& target : targets()) {
    EXPECT_TRUE(names.insert(target.name).second) << target.name;
    EXPECT_EQ(find_target(target.name), &target);
    EXPECT_EQ(find_target("compute" + std::string(target.name.substr(2))), &target);
    EXPECT_NE(std::ranges::find(versions(), target.ptx), versions().end()) << target.name;
  }
  EXPECT_TRUE(std::ranges::is_sorted(versions()));
}

}  // namespace
}  // namespace heddle::isa
