#include "ptx/address_size.h"

#include <algorithm>

namespace heddle::ptx {

namespace {

bool is_wide_register(const Module& module, const Function& function, NameId name) {
  const std::string_view text = module.text(name);
  const std::string_view stem = text.substr(0, text.find_last_not_of("0123456789") + 1);
  return std::ranges::any_of(function.declarations, [&](const Variable& variable) {
    if (variable.space != StateSpace::reg || isa::info(variable.type).bits != 64) return false;
    return variable.range == 0 ? variable.name == name : module.text(variable.name) == stem;
  });
}

}  // namespace

unsigned inferred_address_bits(const Module& module) {
  for (const Function& function : module.functions)
    for (const Operand& operand : function.operands)
      if (operand.kind == OperandKind::address && operand.name != no_name &&
          is_wide_register(module, function, operand.name))
        return 64;
  return 32;
}

}  // namespace heddle::ptx
