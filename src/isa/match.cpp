#include <algorithm>

#include "isa/isa.h"
#include "isa/tables.h"

namespace heddle::isa {
namespace {

// Words in order against slots in order. An optional slot that could take the word may still be skipped: a
// later slot may need that word more.
bool match_from(std::span<const SlotRule> rules, std::span<const Word> words, SlotValues& out) {
  if (words.size() > rules.size()) return false;
  if (rules.empty()) return true;
  const SlotRule& rule = rules.front();
  if (!words.empty() && std::ranges::find(rule.words, words.front()) != rule.words.end()) {
    out[rule.slot] = words.front();
    if (match_from(rules.subspan(1), words.subspan(1), out)) return true;
    out[rule.slot] = Word::none;
  }
  return rule.optional && match_from(rules.subspan(1), words, out);
}

// Words in any order, types among themselves in theirs: cvt.f64.f32 is not cvt.f32.f64.
bool match_words(std::span<const SlotRule> rules, std::span<const Word> words, SlotValues& out,
                 std::span<bool> taken, std::size_t first_type) {
  if (words.empty()) {
    for (std::size_t i = 0; i < rules.size(); ++i)
      if (!taken[i] && !rules[i].optional) return false;
    return true;
  }
  const bool is_type = type_of(words.front()) != Type::none;
  for (std::size_t i = is_type ? first_type : 0; i < rules.size(); ++i) {
    if (taken[i] || std::ranges::find(rules[i].words, words.front()) == rules[i].words.end()) continue;
    taken[i] = true;
    out[rules[i].slot] = words.front();
    if (match_words(rules, words.subspan(1), out, taken, is_type ? i + 1 : first_type)) return true;
    out[rules[i].slot] = Word::none;
    taken[i] = false;
  }
  return false;
}

void start(const FormInfo& form, SlotValues& out) {
  out = {};
  for (const SlotWord& implied : form.implied) out[implied.slot] = implied.word;
}

}  // namespace

bool match(const FormInfo& form, std::span<const Word> words, SlotValues& out) {
  start(form, out);
  return match_from(form.slots, words, out);
}

bool match_reordered(const FormInfo& form, std::span<const Word> words, SlotValues& out) {
  std::array<bool, slot_count> taken{};
  if (words.size() > form.slots.size()) return false;
  start(form, out);
  return match_words(form.slots, words, out, std::span(taken).first(form.slots.size()), 0);
}

Type resolve(const TypeRule& rule, const SlotValues& values, unsigned address_bits) {
  const auto row = [&]() -> const tables::TypeRow& {
    return tables::types[static_cast<std::size_t>(values.type(rule.slot))];
  };
  switch (rule.kind) {
    case TypeRule::Kind::fixed: return rule.type;
    case TypeRule::Kind::of_slot:
      return row().info.kind == TypeKind::none ? Type::none : values.type(rule.slot);
    case TypeRule::Kind::bits_of: return row().bits;
    case TypeRule::Kind::wide_of: return row().wide;
    case TypeRule::Kind::half_of: return row().half;
    case TypeRule::Kind::quarter_of: return row().quarter;
    case TypeRule::Kind::pointer: return address_bits == 32 ? Type::u32 : Type::u64;
    case TypeRule::Kind::any:
    case TypeRule::Kind::one_of: break;
  }
  return Type::none;
}

namespace {

const FragmentRule* fragment_rule(const FormInfo& form, std::size_t operand, const SlotValues& values) {
  const auto holds = [&](const WordCondition& c) {
    return c.any_slot ? std::ranges::find(values.words, c.word) != values.words.end()
                      : values.is(c.slot, c.word);
  };
  for (const FragmentRule& rule : form.fragments)
    if (rule.operand == operand && std::ranges::all_of(rule.when, holds)) return &rule;
  return nullptr;
}

}  // namespace

unsigned fragment_count(const FormInfo& form, std::size_t operand, const SlotValues& values) {
  const FragmentRule* rule = fragment_rule(form, operand, values);
  return rule != nullptr ? rule->count : 0;
}

bool fragment_fits(const FormInfo& form, std::size_t operand, const SlotValues& values, std::size_t count) {
  const FragmentRule* rule = fragment_rule(form, operand, values);
  return rule != nullptr && count != 0 && (count == rule->count || count == rule->other);
}

}  // namespace heddle::isa
