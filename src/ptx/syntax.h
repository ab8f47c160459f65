// What a form looks like and why something is not of that form, in words a reader of PTX knows.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "isa/isa.h"
#include "ptx/ast.h"

namespace heddle::ptx {

// "add{.ftz}{.sat}.f32 d, a, b": slots that take one word show it, others their name.
std::string syntax(const isa::FormInfo& form);

// "PTX ISA 9.7.1.1 add".
std::string rule_of(const isa::FormInfo& form);
std::string rule_of(isa::Opcode opcode);

// Why no form of the opcode takes the modifiers `spellings` (without dots), which are no mnemonic. `at` is
// the modifier to blame, spellings.size() when one is missing behind the last.
struct WrongModifiers {
  std::size_t at = 0;
  std::string message;
  const isa::FormInfo* nearest = nullptr;
};
WrongModifiers explain_modifiers(isa::Opcode opcode, std::span<const std::string_view> spellings);

// "unknown instruction 'ad'; did you mean 'add'?"
std::string explain_opcode(std::string_view name);

// Why the operands of a statement fit none of the mnemonic's candidates. `at` is the operand to blame, in the
// flat list; operands.size() when one is missing behind the last.
struct WrongOperands {
  std::size_t at = 0;
  std::string message;
  const isa::FormInfo* nearest = nullptr;
};
WrongOperands explain_operands(const Mnemonic& mnemonic, std::span<const Operand> operands);

}  // namespace heddle::ptx
