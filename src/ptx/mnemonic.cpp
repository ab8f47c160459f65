#include "ptx/mnemonic.h"

#include <algorithm>

#include "ptx/fit.h"
#include "ptx/syntax.h"

namespace heddle::ptx {

namespace {

constexpr std::size_t kMostModifiers = 32;  // no instruction has more

}  // namespace

std::optional<uint32_t> MnemonicTable::find(std::string_view text, bool stable, SourceSpan span) {
  const NameId id = stable ? texts_.add(text) : texts_.add_copy(text);
  if (id >= index_.size()) index_.resize(id + 1);
  if (index_[id] == 0) {
    if (!resolve(text, span)) return {};
    index_[id] = static_cast<uint32_t>(out_.size());
  }
  return index_[id] - 1;
}

bool MnemonicTable::resolve(std::string_view text, SourceSpan span) {
  const std::size_t dot = text.find('.');
  const std::string_view name = text.substr(0, dot);
  const isa::Opcode opcode = isa::find_opcode(name);
  if (opcode == isa::Opcode::none) {
    diagnostics_.error({span.begin, span.begin + static_cast<uint32_t>(name.size())}, explain_opcode(name),
                       "PTX ISA 9.7 Instructions");
    return false;
  }
  std::vector<std::string_view> spellings;
  for (std::size_t at = dot; at < text.size() && spellings.size() <= kMostModifiers;) {
    const std::size_t end = std::min(text.find('.', at + 1), text.size());
    spellings.push_back(text.substr(at + 1, end - at - 1));
    at = end;
  }
  Mnemonic made;
  made.opcode = opcode;
  for (const std::string_view spelling : spellings) made.words.push_back(isa::find_word(spelling));
  const std::span<const isa::FormInfo> forms = isa::forms(opcode);
  const bool known = std::ranges::find(made.words, isa::Word::none) == made.words.end();
  // Words in another order than the manual's are taken only where no form has them in its own.
  for (const auto match : {isa::match, isa::match_reordered}) {
    if (!known || spellings.size() > kMostModifiers || !made.candidates.empty()) break;
    for (std::size_t i = 0; i < forms.size() && made.candidates.size() < Statement::no_candidate; ++i) {
      isa::SlotValues values;
      if (match(forms[i], made.words, values)) {
        made.candidates.push_back({forms[i].form, static_cast<uint16_t>(i), values});
      }
    }
  }
  if (made.candidates.empty()) {
    complain_modifiers(opcode, spellings, span);
    return false;
  }
  State state;
  for (const Mnemonic::Candidate& candidate : made.candidates) {
    state.takes_lists =
        state.takes_lists ||
        std::ranges::any_of(forms[candidate.alternative].operands, [](const isa::OperandRule& rule) {
          return rule.shape == isa::OperandShape::call_list;
        });
  }
  made.text = text;
  out_.push_back(std::move(made));
  states_.push_back(state);
  return true;
}

void MnemonicTable::complain_modifiers(isa::Opcode opcode, std::span<const std::string_view> spellings,
                                       SourceSpan span) {
  const WrongModifiers wrong = explain_modifiers(opcode, spellings);
  // The place of the modifier: the dots before it tell, unless blanks stand between.
  uint32_t begin = span.begin + static_cast<uint32_t>(isa::name(opcode).size());
  uint32_t end = span.end;
  for (std::size_t i = 0; i < wrong.at; ++i) begin += 1 + static_cast<uint32_t>(spellings[i].size());
  if (wrong.at < spellings.size()) end = begin + 1 + static_cast<uint32_t>(spellings[wrong.at].size());
  if (wrong.at >= spellings.size() || end > span.end) begin = span.begin;
  Diagnostic& error =
      diagnostics_.error({begin, std::min(end, span.end)}, wrong.message,
                         wrong.nearest != nullptr ? rule_of(*wrong.nearest) : rule_of(opcode));
  if (wrong.nearest != nullptr)
    Diagnostics::note(error, span, "the nearest form is: " + syntax(*wrong.nearest));
}

MnemonicTable::Shapes MnemonicTable::shapes_of(std::span<const Operand> operands) {
  constexpr std::size_t most = 9;
  constexpr unsigned bits = 13;
  if (operands.size() > most) return 0;
  Shapes shapes = operands.size() + 1;
  for (const Operand& operand : operands) {
    if (operand.child_count > 15 || !is_element(operand.component)) return 0;
    const unsigned shape = static_cast<unsigned>(operand.kind) | operand.negated << 3 | operand.minus << 4 |
                           operand.piped << 5 | operand.subscript << 6 | (operand.value != 0) << 7 |
                           (operand.component != isa::Word::none) << 8 |
                           static_cast<unsigned>(operand.child_count) << 9;
    shapes = shapes << bits | shape;
  }
  return shapes;
}

uint8_t MnemonicTable::choose(uint32_t index, std::span<const Operand> operands, SourceSpan span) {
  State& state = states_[index];
  const Shapes shapes = shapes_of(operands);
  if (shapes != 0) {
    for (unsigned i = 0; i < 2; ++i) {
      if (state.shapes[i] == shapes) return state.candidates[i];
    }
  }
  const Mnemonic& mnemonic = out_[index];
  const std::span<const isa::FormInfo> forms = isa::forms(mnemonic.opcode);
  OperandPlaces places;
  for (std::size_t i = 0; i < mnemonic.candidates.size(); ++i) {
    const Mnemonic::Candidate& candidate = mnemonic.candidates[i];
    if (!fit(forms[candidate.alternative], candidate.values, operands, places)) continue;
    if (shapes != 0) {
      state.shapes[state.next] = shapes;
      state.candidates[state.next] = static_cast<uint8_t>(i);
      state.next ^= 1;
    }
    return static_cast<uint8_t>(i);
  }
  const WrongOperands wrong = explain_operands(mnemonic, operands);
  SourceSpan place{span.end, span.end};
  if (wrong.at < operands.size()) place = {operands[wrong.at].offset, operands[wrong.at].offset + 1};
  Diagnostic& error = diagnostics_.error(place, wrong.message, wrong.nearest ? rule_of(*wrong.nearest) : "");
  if (wrong.nearest != nullptr) Diagnostics::note(error, span, "the syntax is: " + syntax(*wrong.nearest));
  return Statement::no_candidate;
}

}  // namespace heddle::ptx
