// One instruction: what its form and words need, its guard, and each operand against its rule.
#include "ptx/fit.h"
#include "ptx/verify/verifier.h"

namespace heddle::ptx {
namespace {

std::string text_of(const isa::Version& v) { return std::to_string(v.major) + "." + std::to_string(v.minor); }

std::string text_of(const isa::TargetNeed& t) {
  return "sm_" + std::to_string(t.sm) +
         (t.suffix == isa::TargetNeed::Suffix::a   ? "a"
          : t.suffix == isa::TargetNeed::Suffix::f ? "f"
                                                   : "");
}

bool is_call(const isa::FormInfo& form) {
  for (const isa::OperandRule& rule : form.operands)
    if (rule.shape == isa::OperandShape::call_list) return true;
  return false;
}

}  // namespace

// False when it complained.
bool Verifier::check_need(const isa::Needs& needs, uint32_t offset, const std::string& what,
                          std::string_view section) {
  if (!isa::meets(module_.version, needs)) {
    complain(offset, "",
             what + " needs PTX " + text_of(needs.ptx) + ", this module is PTX " + text_of(module_.version),
             section);
    return false;
  }
  if (!isa::meets(*module_.target, needs)) {
    std::string wanted = text_of(needs.target);
    for (const isa::TargetNeed& other : needs.other_targets) wanted += ", " + text_of(other);
    complain(offset, "",
             what + " needs " + wanted +
                 (needs.target.suffix == isa::TargetNeed::Suffix::none ? " or later" : "") +
                 ", this module is for " + std::string(module_.target->name),
             section);
    return false;
  }
  if (isa::removed(needs, module_.version, *module_.target)) {
    complain(offset, "",
             what + " is gone from the language in PTX " + text_of(module_.version) + " for " +
                 std::string(module_.target->name),
             section);
    return false;
  }
  return true;
}

void Verifier::check_needs(const Statement& statement, const Mnemonic& mnemonic, const isa::FormInfo& form,
                           const isa::SlotValues& words) {
  // The same mnemonic asks for the same everywhere: it is looked at where it first stands.
  std::vector<bool>& checked = needs_checked_[statement.mnemonic];
  if (checked.size() <= statement.candidate) checked.resize(statement.candidate + 1u);
  if (checked[statement.candidate]) return;
  checked[statement.candidate] = true;
  // What is mapped to instructions of f32 asks for no more than those that have doubles do.
  static const isa::TargetInfo* const with_doubles = isa::find_target("sm_13");
  const bool mapped = singles_for_doubles_ && mnemonic.text.find(".f64") != std::string::npos;
  const auto is_mapped = [&](const isa::Needs& needs) { return mapped && isa::meets(*with_doubles, needs); };
  if (!is_mapped(form.needs) &&
      !check_need(form.needs, statement.offset, "'" + mnemonic.text + "'", form.section))
    return;
  for (const isa::WordNeeds& need : form.word_needs) {
    if (words[need.slot] != need.word || is_mapped(need.needs)) continue;
    const std::string what =
        need.word == isa::Word::none
            ? "'" + mnemonic.text + "' without ." + std::string(isa::name(need.slot))
            : "'." + std::string(isa::spelling(need.word)) + "' in '" + mnemonic.text + "'";
    if (!check_need(need.needs, statement.offset, what, form.section)) return;
  }
}

void Verifier::check_guard(const Statement& statement) {
  if (statement.name == no_name) return;
  const Meaning& meaning = names_.find(statement.name);
  if (meaning.kind == Meaning::Kind::unknown) {
    complain(statement.offset, text(statement.name), "guard " + quoted(statement.name) + " is not declared",
             "9.3");
  } else if (meaning.kind != Meaning::Kind::register_ || meaning.variable->type != isa::Type::pred) {
    Diagnostic& d = complain(statement.offset, text(statement.name),
                             "guard " + quoted(statement.name) + " is no .pred register", "9.3");
    note_declaration(d, meaning, text(statement.name));
  }
}

void Verifier::check_instruction(const Function& function, const Statement& statement) {
  check_guard(statement);
  const Mnemonic& mnemonic = module_.mnemonics[statement.mnemonic];
  if (statement.candidate >= mnemonic.candidates.size()) return;  // said by the parser
  const Mnemonic::Candidate& candidate = mnemonic.candidates[statement.candidate];
  const isa::FormInfo& form = isa::forms(mnemonic.opcode)[candidate.alternative];
  check_needs(statement, mnemonic, form, candidate.values);
  const std::span<const Operand> operands{function.operands.data() + statement.index,
                                          statement.operand_count};
  if (is_call(form)) return check_call(function, statement, form, candidate.values, operands);
  OperandPlaces places;
  if (!fit(form, candidate.values, operands, places)) return;  // said by the parser
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    if (places.at[i] == OperandPlaces::absent) continue;
    const isa::OperandRule& rule = form.operands[i];
    const Use use{&form, &candidate.values, &mnemonic, &rule,
                  isa::resolve(rule.type, candidate.values, module_.address_bits)};
    const Operand& operand = operands[places.at[i]];
    check_operand(use, operands.subspan(places.at[i], 1u + operand.child_count));
  }
  for (const isa::OperandNeeds& need : form.operand_needs) {
    if (need.operand >= form.operands.size() || places.at[need.operand] == OperandPlaces::absent) continue;
    if (need.suffix != isa::Word::none && operands[places.at[need.operand]].component != need.suffix)
      continue;
    check_need(need.needs, operands[places.at[need.operand]].offset,
               "operand '" + std::string(form.operands[need.operand].name) + "' of '" + mnemonic.text + "'",
               form.section);
  }
  check_named({&statement, &mnemonic, &form, &candidate.values, operands, &places});
}

}  // namespace heddle::ptx
