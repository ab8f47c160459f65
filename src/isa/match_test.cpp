#include <gtest/gtest.h>

#include <algorithm>
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

using Matcher = bool (*)(const FormInfo&, std::span<const Word>, SlotValues&);

// The forms that a mnemonic's words fit: "add.sat.s32".
std::vector<Match> matches(const std::string& mnemonic, Matcher matcher = match) {
  std::istringstream text(mnemonic);
  std::string part;
  std::getline(text, part, '.');
  const Opcode opcode = find_opcode(part);
  std::vector<Word> words;
  while (std::getline(text, part, '.')) words.push_back(find_word(part));
  std::vector<Match> found;
  for (const FormInfo& form : forms(opcode)) {
    SlotValues values;
    if (matcher(form, words, values)) found.push_back({&form, values});
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

TEST(Match, AnyOrderIsTakenWhenAsked) {
  EXPECT_TRUE(matches("add.f32.rn").empty());
  const auto found = matches("cvt.f64.bf16.rp", match_reordered);  // as the manual's examples have it
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].values.is(Slot::rnd, Word::rp));
  EXPECT_EQ(found[0].values.type(Slot::dtype), Type::f64);
  EXPECT_EQ(found[0].values.type(Slot::atype), Type::bf16);
  EXPECT_EQ(matches("min.s16x2.relu", match_reordered).size(), 1u);
  EXPECT_TRUE(matches("add.f32.rn.rn", match_reordered).empty());
  EXPECT_TRUE(matches("mul.u32", match_reordered).empty());
}

// PTX ISA 9.7.3.13: up to PTX 1.3 rcp.f32 means rcp.approx.ftz.f32, rcp.f64 means rcp.rn.f64.
TEST(Match, OldSpellingsSayWhatTheyImply) {
  const auto f32 = matches("rcp.f32");
  ASSERT_EQ(f32.size(), 1u);
  EXPECT_TRUE(f32[0].values.has(Slot::approx));
  EXPECT_TRUE(f32[0].values.has(Slot::ftz));
  const auto f64 = matches("rcp.f64");
  ASSERT_EQ(f64.size(), 1u);
  EXPECT_TRUE(f64[0].values.is(Slot::rnd, Word::rn));
  EXPECT_FALSE(removed(f64[0].form->needs, {1, 3}, *find_target("sm_13")));
  EXPECT_TRUE(removed(f64[0].form->needs, {1, 4}, *find_target("sm_13")));
}

// PTX ISA 9.7.9.5: gone from PTX 6.4 on, for sm_70 and later.
TEST(Match, ShuffleWithoutSyncIsRemovedWhereBothLimitsArePassed) {
  const Needs& needs = info(Form::shfl).needs;
  EXPECT_FALSE(removed(needs, {6, 3}, *find_target("sm_70")));
  EXPECT_FALSE(removed(needs, {8, 0}, *find_target("sm_61")));
  EXPECT_TRUE(removed(needs, {6, 4}, *find_target("sm_70")));
}

// PTX ISA 9.7.9.4: the elements of an unpacked b64 are b32 or b16.
TEST(Match, HalvesAndQuartersOfAType) {
  const auto found = matches("mov.b64");
  for (const Match& m : found)
    for (const OperandRule& rule : m.form->operands) {
      if (rule.count == 2) EXPECT_EQ(resolve(rule.type, m.values, 64), Type::b32);
      if (rule.count == 4) EXPECT_EQ(resolve(rule.type, m.values, 64), Type::b16);
    }
  EXPECT_EQ(found.size(), 5u);  // mov, pack of 2 and 4, unpack to 2 and 4
}

TEST(Match, AddressesHaveTheSizeOfTheModule) {
  const TypeRule pointer{.kind = TypeRule::Kind::pointer, .choices = {}};
  EXPECT_EQ(resolve(pointer, {}, 32), Type::u32);
  EXPECT_EQ(resolve(pointer, {}, 64), Type::u64);
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

TEST(Match, AChoiceOfWordsTakesEachOfItsSequences) {
  EXPECT_EQ(matches("redux.sync.add.s32").size(), 1u);
  EXPECT_EQ(matches("redux.sync.xor.b32").size(), 1u);
  EXPECT_TRUE(matches("redux.sync.xor.u32").empty());
  EXPECT_TRUE(matches("redux.sync.add.b32").empty());
}

// mbarrier's scope says something only beside an order (PTX ISA 9.7.13.15.13).
TEST(Match, OptionalWordsThatComeTogetherDoNotComeAlone) {
  EXPECT_EQ(matches("mbarrier.test_wait.acquire.cluster.shared.b64").size(), 1u);
  EXPECT_EQ(matches("mbarrier.test_wait.shared.b64").size(), 1u);
  EXPECT_TRUE(matches("mbarrier.test_wait.acquire.shared.b64").empty());
  EXPECT_TRUE(matches("mbarrier.test_wait.cluster.shared.b64").empty());
}

TEST(Match, AnOperandMayHaveWordsAndValuesOfItsOwn) {
  const auto add = matches("vadd.u32.s32.u32");
  ASSERT_FALSE(add.empty());
  const OperandRule& a = add[0].form->operands[1];
  EXPECT_NE(std::ranges::find(a.suffixes, Word::h1), a.suffixes.end());
  EXPECT_EQ(std::ranges::find(a.suffixes, Word::b3210), a.suffixes.end());
  const auto copy = matches("cp.async.ca.shared.global.L2::cache_hint");
  ASSERT_FALSE(copy.empty());
  const auto operands = copy[0].form->operands;
  ASSERT_EQ(operands[2].allowed.size(), 3u);
  EXPECT_EQ(operands[2].allowed[1].first, 8);
  EXPECT_EQ(operands[2].allowed[1].last, 8);
  EXPECT_TRUE(operands.back().tied);
  EXPECT_EQ(operands.back().tied_to, Slot::cache_hint);
}

// PTX ISA 9.7.14.5: elements of a fragment over 32 threads, in 32-bit registers.
TEST(Match, FragmentsAreAsLongAsTheirShapeSays) {
  const auto product = matches("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  ASSERT_EQ(product.size(), 1u);
  EXPECT_EQ(fragment_count(*product[0].form, 0, product[0].values), 4u);  // 16x8 f32
  EXPECT_EQ(fragment_count(*product[0].form, 1, product[0].values), 4u);  // 16x16 f16
  EXPECT_EQ(fragment_count(*product[0].form, 2, product[0].values), 2u);  // 16x8 f16
  EXPECT_FALSE(fragment_fits(*product[0].form, 2, product[0].values, 4));
}

// PTX ISA 9.7.10.3: two coordinates, or four of which two are ignored; no offsets into a cube.
TEST(Match, CoordinatesFollowTheGeometry) {
  const auto flat = matches("tex.2d.v4.f32.f32");
  ASSERT_EQ(flat.size(), 1u);
  const FormInfo& form = *flat[0].form;
  EXPECT_TRUE(fragment_fits(form, 2, flat[0].values, 2));
  EXPECT_TRUE(fragment_fits(form, 2, flat[0].values, 4));
  EXPECT_FALSE(fragment_fits(form, 2, flat[0].values, 3));
  EXPECT_TRUE(fragment_fits(form, 3, flat[0].values, 2));
  const auto cube = matches("tex.cube.v4.f32.f32");
  ASSERT_EQ(cube.size(), 1u);
  EXPECT_EQ(fragment_count(*cube[0].form, 3, cube[0].values), 0u);
}

}  // namespace
}  // namespace heddle::isa
