#include "module/resolved_form.h"

namespace heddle::module {

using isa::OperandShape;

namespace {

// "shared::cluster" is .shared: which part of it, SlotValues tell.
Space space_of(isa::Word word) {
  std::string_view spelling = isa::spelling(word);
  spelling = spelling.substr(0, spelling.find(':'));
  if (spelling == "global") return Space::global;
  if (spelling == "const") return Space::const_;
  if (spelling == "shared") return Space::shared;
  if (spelling == "local") return Space::local;
  if (spelling == "param") return Space::param;
  return Space::generic;
}

ResolvedForm::Rule resolve(const isa::OperandRule& rule, const isa::SlotValues& words,
                           unsigned address_bits) {
  ResolvedForm::Rule result;
  result.rule = &rule;
  result.type = isa::resolve(rule.type, words, address_bits);
  const isa::Word space = rule.space != isa::Word::none ? rule.space : words[isa::Slot::space];
  if (rule.shape == OperandShape::address && space != isa::Word::none) result.space = space_of(space);
  for (const isa::OperandRule& inner : rule.inner)
    result.inner.push_back(resolve(inner, words, address_bits));
  return result;
}

}  // namespace

ResolvedForm::ResolvedForm(const isa::FormInfo& info, const isa::SlotValues& values, unsigned address_bits)
    : form(&info), words(values) {
  for (const isa::OperandRule& rule : info.operands) {
    rules.push_back(resolve(rule, values, address_bits));
    is_call |= rule.shape == OperandShape::call_list;
  }
}

bool stands_for(OperandShape shape, Binding::Kind kind) {
  switch (kind) {
    case Binding::Kind::label: return shape == OperandShape::label;
    case Binding::Kind::branch_table: return shape == OperandShape::targets;
    case Binding::Kind::call_table:
    case Binding::Kind::prototype: return shape == OperandShape::prototype;
    case Binding::Kind::unknown: return true;  // another complaint
    case Binding::Kind::function:
      return shape == OperandShape::function || shape == OperandShape::value ||
             shape == OperandShape::call_list;
    default:
      return shape != OperandShape::label && shape != OperandShape::targets &&
             shape != OperandShape::prototype && shape != OperandShape::function;
  }
}

std::string_view describe(Binding::Kind kind) {
  switch (kind) {
    case Binding::Kind::label: return "a label";
    case Binding::Kind::branch_table: return "a list of branch targets";
    case Binding::Kind::call_table: return "a list of call targets";
    case Binding::Kind::prototype: return "a prototype";
    case Binding::Kind::function: return "a function";
    case Binding::Kind::symbol: return "a variable";
    case Binding::Kind::reg:
    case Binding::Kind::declared_reg:
    case Binding::Kind::special: return "a register";
    case Binding::Kind::warp_size: return "a constant";
    default: return "not declared";
  }
}

std::string_view describe(OperandShape shape) {
  switch (shape) {
    case OperandShape::label: return "a label";
    case OperandShape::function: return "a function";
    case OperandShape::prototype: return "a prototype or list of call targets";
    case OperandShape::targets: return "a list of branch targets";
    case OperandShape::register_: return "a register";
    default: return "a value";
  }
}

}  // namespace heddle::module
