#include "ptx/syntax.h"

#include <algorithm>
#include <vector>

#include "ptx/fit.h"
#include "ptx/quote.h"
#include "support/spelling.h"

namespace heddle::ptx {

namespace {

using isa::FormInfo;
using isa::OperandRule;
using isa::OperandShape;
using isa::SlotRule;
using isa::Word;

constexpr std::size_t kShownWords = 12;  // of a slot's words in a message

std::string name_of(const SlotRule& slot) {
  return '.' + std::string(slot.words.size() == 1 ? isa::spelling(slot.words[0]) : isa::name(slot.slot));
}

std::string shown(std::span<const OperandRule> rules);

std::string shown(const OperandRule& rule) {
  std::string name(rule.name);
  switch (rule.shape) {
    case OperandShape::address: return '[' + name + ']';
    case OperandShape::texture:
    case OperandShape::surface:
    case OperandShape::tensor: return '[' + shown(rule.inner) + ']';
    case OperandShape::call_list: return '(' + name + ')';
    default: return name;
  }
}

std::string shown(std::span<const OperandRule> rules) {
  std::string out;
  std::vector<uint8_t> open;  // optional parts that are not closed yet
  bool comma_due = false;
  bool head = true;  // only optional operands so far: {d, }a
  for (const OperandRule& rule : rules) {
    while (!open.empty() && open.back() != rule.optional_group && open.back() != rule.optional_parent) {
      open.pop_back();
      if (head) {
        out += rule.piped ? "|" : ", ";
        comma_due = false;
      }
      out += '}';
    }
    if (rule.optional_group != 0 && (open.empty() || open.back() != rule.optional_group)) {
      open.push_back(rule.optional_group);
      out += '{';
    }
    head = head && rule.optional_group != 0;
    if (comma_due) out += rule.piped ? "|" : ", ";
    out += shown(rule);
    comma_due = true;
  }
  out.append(open.size(), '}');
  return out;
}

// How far the words of a mnemonic go along a form: a required slot cannot be skipped.
struct Progress {
  std::size_t words = 0;  // taken
  std::size_t slot = 0;   // the rule that the next word would have to meet, or one behind it
};

Progress follow(std::span<const SlotRule> rules, std::span<const Word> words, std::size_t first) {
  Progress best{0, first};
  for (std::size_t r = first; r < rules.size() && !words.empty(); ++r) {
    if (std::ranges::find(rules[r].words, words[0]) != rules[r].words.end()) {
      Progress further = follow(rules, words.subspan(1), r + 1);
      ++further.words;
      if (further.words > best.words) best = further;
    }
    if (!rules[r].optional) break;
  }
  return best;
}

// What may stand at a place: ".u16, .u32 or .u64".
std::string expected_at(std::span<const SlotRule> rules, std::size_t slot) {
  std::vector<std::string> words;
  for (std::size_t r = slot; r < rules.size(); ++r) {
    for (const Word word : rules[r].words) words.push_back('.' + std::string(isa::spelling(word)));
    if (!rules[r].optional) break;
  }
  std::string out;
  for (std::size_t i = 0; i < std::min(words.size(), kShownWords); ++i) {
    if (i != 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  if (words.size() > kShownWords) out += ", ...";
  return out;
}

std::string_view nearest_modifier(isa::Opcode opcode, std::string_view spelling) {
  NearestWord nearest(spelling);
  for (const FormInfo& form : isa::forms(opcode)) {
    for (const SlotRule& slot : form.slots) {
      for (const Word word : slot.words) nearest.consider(isa::spelling(word));
    }
  }
  return nearest.best();
}

bool has_modifier(isa::Opcode opcode, Word word) {
  return std::ranges::any_of(isa::forms(opcode), [&](const FormInfo& form) {
    return std::ranges::any_of(form.slots, [&](const SlotRule& slot) {
      return std::ranges::find(slot.words, word) != slot.words.end();
    });
  });
}

std::size_t ordinal(std::span<const Operand> operands, std::size_t at) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < at && i < operands.size(); i += 1u + operands[i].child_count) ++count;
  return count;
}

}  // namespace

std::string syntax(const FormInfo& form) {
  std::string out(isa::name(form.opcode));
  for (const SlotRule& slot : form.slots) out += slot.optional ? '{' + name_of(slot) + '}' : name_of(slot);
  const std::string operands = shown(form.operands);
  if (!operands.empty()) out += ' ' + operands;
  return out;
}

std::string rule_of(const FormInfo& form) {
  return "PTX ISA " + (form.section.empty() ? "9.7" : std::string(form.section)) + ' ' +
         std::string(isa::name(form.opcode));
}

std::string rule_of(isa::Opcode opcode) { return rule_of(isa::forms(opcode).front()); }

std::string explain_opcode(std::string_view name) {
  NearestWord nearest(name);
  for (std::size_t i = 1; i < isa::opcode_count; ++i)
    nearest.consider(isa::name(static_cast<isa::Opcode>(i)));
  std::string message = "unknown instruction " + quoted(name.substr(0, 64));
  if (!nearest.best().empty()) message += "; did you mean " + quoted(nearest.best()) + "?";
  return message;
}

WrongModifiers explain_modifiers(isa::Opcode opcode, std::span<const std::string_view> spellings) {
  const std::string name(isa::name(opcode));
  std::vector<Word> words;
  WrongModifiers wrong;
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    const Word word = isa::find_word(spellings[i]);
    if (word == Word::none || !has_modifier(opcode, word)) {
      wrong.at = i;
      wrong.message = quoted(name) + " has no modifier '." + std::string(spellings[i].substr(0, 64)) + "'";
      const std::string_view nearest = nearest_modifier(opcode, spellings[i]);
      if (nearest.empty()) break;
      wrong.message += "; did you mean '." + std::string(nearest) + "'?";
      words.push_back(isa::find_word(nearest));  // so that the nearest form has it
      break;
    }
    words.push_back(word);
  }
  Progress best;
  for (const FormInfo& form : isa::forms(opcode)) {
    const Progress progress = follow(form.slots, words, 0);
    if (wrong.nearest == nullptr || progress.words > best.words) {
      best = progress;
      wrong.nearest = &form;
    }
  }
  if (!wrong.message.empty() || wrong.nearest == nullptr) return wrong;
  wrong.at = best.words;
  std::string so_far = name;
  for (std::size_t i = 0; i < best.words; ++i) so_far += '.' + std::string(spellings[i]);
  const std::string expected = expected_at(wrong.nearest->slots, best.slot);
  if (best.words == spellings.size()) {
    wrong.message = quoted(so_far) + " is not complete; expected " + expected;
  } else {
    wrong.message = "'." + std::string(spellings[best.words]) + "' may not stand after " + quoted(so_far);
    if (!expected.empty()) wrong.message += "; expected " + expected;
  }
  return wrong;
}

WrongOperands explain_operands(const Mnemonic& mnemonic, std::span<const Operand> operands) {
  Misfit furthest;
  WrongOperands wrong;
  const isa::SlotValues* words = nullptr;
  for (const Mnemonic::Candidate& candidate : mnemonic.candidates) {
    const FormInfo& form = isa::forms(mnemonic.opcode)[candidate.alternative];
    const Misfit misfit = explain_misfit(form, candidate.values, operands);
    if (wrong.nearest == nullptr || misfit.operand > furthest.operand) {
      furthest = misfit;
      wrong.nearest = &form;
      words = &candidate.values;
    }
  }
  wrong.at = furthest.operand;
  const std::string text = quoted(mnemonic.text);
  if (furthest.rule == nullptr) {
    const std::size_t count = ordinal(operands, furthest.operand) - 1;
    wrong.message = text + " takes no operand here";
    if (count != 0)
      wrong.message = text + " takes " + std::to_string(count) + (count == 1 ? " operand" : " operands");
    return wrong;
  }
  const OperandRule& rule = *furthest.rule;
  const std::string operand = "operand " + quoted(rule.name) + " of " + text;
  if (furthest.operand >= operands.size()) {
    wrong.message = operand + " is missing: " + describe(rule, *words);
  } else if (furthest.bar) {
    wrong.message =
        operand + (rule.piped ? " stands after a bar, not a comma" : " stands after a comma, not a bar");
  } else {
    const Operand& found = operands[furthest.operand];
    wrong.message =
        operand + " must be " + describe(rule, *words) + ", found " + std::string(describe(found));
    if (found.kind == OperandKind::vector) wrong.message += " of " + std::to_string(found.child_count);
  }
  return wrong;
}

}  // namespace heddle::ptx
