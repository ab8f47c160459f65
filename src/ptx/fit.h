// Which operand of a statement belongs to which operand rule of a form. Decided by shapes alone: how many
// operands, brackets, braces, bars, negation. Types are the verifier's matter.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "isa/isa.h"
#include "ptx/ast.h"

namespace heddle::ptx {

// For each rule of a list the index of its operand in the span that was fitted, or absent.
struct OperandPlaces {
  static constexpr uint16_t absent = 0xffff;
  static constexpr std::size_t most = 32;  // no form has more rules; a test holds the tables to it
  std::array<uint16_t, most> at{};
};

// Fits the operands of a statement (children included, as Function::operands has them) to a form's rules.
// Where a plain name could be a vector declared .v4 or a scalar that an optional rule asks for, it is taken
// for the scalar.
bool fit(const isa::FormInfo& form, const isa::SlotValues& words, std::span<const Operand> operands,
         OperandPlaces& out);

// The same for the parts of a bracket list, whose rules stand in OperandRule::inner; `parts` are its
// children.
bool fit_parts(std::span<const isa::OperandRule> rules, const isa::SlotValues& words,
               std::span<const Operand> parts, OperandPlaces& out);

// Whether one operand (with its children behind it) has the shape that a rule asks for. `count` is the number
// of elements of a vector or fragment, 0 when open. `strict` asks for braces around more than one element.
bool fits(const isa::OperandRule& rule, const isa::SlotValues& words, std::span<const Operand> operand,
          unsigned count, bool strict);

// Where a fit ended: the furthest operand that no rule took, and the rule that did not take it (null: there
// was none left). `bar`: only the bar before it was wrong.
struct Misfit {
  std::size_t operand = 0;
  const isa::OperandRule* rule = nullptr;
  bool bar = false;
};
Misfit explain_misfit(const isa::FormInfo& form, const isa::SlotValues& words,
                      std::span<const Operand> operands);

// "a register", "a vector of 4 registers": what a rule asks for, for messages.
std::string describe(const isa::OperandRule& rule, const isa::SlotValues& words);
// "an address": what an operand is.
std::string_view describe(const Operand& operand);

// Whether a predicate may stand there, so that its negation is !p; elsewhere it is -a.
bool takes_predicate(const isa::OperandRule& rule);

// What may stand behind any register: .x to .w, .r to .a, nothing. Other words are for a rule to allow.
bool is_element(isa::Word component);

// The number of elements that a vector rule outside bracket lists asks for; 1 is a scalar.
unsigned vector_count(const isa::OperandRule& rule, const isa::SlotValues& words);

}  // namespace heddle::ptx
