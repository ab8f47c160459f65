// What an instruction's operands are like, and which names may stand for them.
#pragma once

#include <string_view>
#include <vector>

#include "isa/isa.h"
#include "module/image.h"
#include "module/scopes.h"

namespace heddle::module {

// A form with the words of one mnemonic, as far as operands need it; made once a mnemonic.
struct ResolvedForm {
  struct Rule {
    const isa::OperandRule* rule = nullptr;
    isa::Type type = isa::Type::none;  // none: as the register is declared
    Space space = Space::generic;      // of an address
    std::vector<Rule> inner;
  };
  ResolvedForm(const isa::FormInfo& form, const isa::SlotValues& words, unsigned address_bits);
  const isa::FormInfo* form;
  isa::SlotValues words;
  std::vector<Rule> rules;
  bool is_call = false;
};

// Shapes are matched by the parser; what a name stands for is only known with its scopes.
bool stands_for(isa::OperandShape shape, Binding::Kind kind);
std::string_view describe(Binding::Kind kind);       // "a label"
std::string_view describe(isa::OperandShape shape);  // what it wants: "a list of branch targets"

}  // namespace heddle::module
