// Which registers an instruction reads and writes.
#pragma once

#include <cstdint>
#include <span>

#include "isa/isa.h"
#include "module/image.h"

namespace heddle::analysis {

struct RegisterAccess {
  uint32_t slot;
  bool read, write;  // both: <>d
};

namespace detail {

template <class Visit>
void visit_operand(const module::Function& function, const isa::OperandRule& rule,
                   const module::Operand& operand, Visit& visit) {
  using module::OperandKind;
  switch (operand.kind) {
    case OperandKind::reg: {
      const bool wide = isa::info(operand.declared).bits > 64;
      const RegisterAccess access{operand.reg, rule.access != isa::Access::write,
                                  rule.access != isa::Access::read};
      visit(access);
      if (wide) visit(RegisterAccess{operand.reg + 1, access.read, access.write});
      return;
    }
    case OperandKind::address:
      if (operand.reg != module::none) visit(RegisterAccess{operand.reg, true, false});
      return;
    case OperandKind::vector:
    case OperandKind::list:
      for (uint32_t i = 0; i < operand.child_count; ++i)
        visit_operand(function, rule, function.operands[operand.first_child + i], visit);
      return;
    case OperandKind::bracket:
      for (uint32_t i = 0; i < operand.child_count; ++i) {
        const isa::OperandRule& inner = i < rule.inner.size() ? rule.inner[i] : rule;
        visit_operand(function, inner, function.operands[operand.first_child + i], visit);
      }
      return;
    default: return;
  }
}

}  // namespace detail

// Calls visit(RegisterAccess) for each register that the instruction names, its guard included.
template <class Visit>
void each_register(const module::Image& image, const module::Function& function,
                   const module::Instruction& instruction, Visit&& visit) {
  if (instruction.guard != module::none) visit(RegisterAccess{instruction.guard, true, false});
  const auto forms = isa::forms(instruction.opcode);
  const uint16_t alternative = image.mnemonics[instruction.mnemonic].alternative;
  if (alternative >= forms.size()) return;
  const auto rules = forms[alternative].operands;
  for (uint32_t i = 0; i < instruction.operand_count && i < rules.size(); ++i)
    detail::visit_operand(function, rules[i], function.operands[instruction.first_operand + i], visit);
}

}  // namespace heddle::analysis
