// The initial bytes of a variable.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "module/image.h"
#include "ptx/ast.h"

namespace heddle::module {

struct InitialValue {
  std::vector<std::byte> bytes;  // without trailing zeros
  std::vector<Relocation> relocations;
  uint64_t size = 0;  // of the whole variable: an empty first dimension is as long as its values
};

// What a name in an initialiser stands for: a symbol or a function, or nothing (and then it has said why).
struct Referent {
  uint32_t symbol = none, function = none;
};
using FindReferent = std::function<std::optional<Referent>(NameId)>;
// Called with the place in the source and what is wrong there.
using Complain = std::function<void(uint32_t offset, std::string message)>;

// Braces nest as in C, missing values are zero (PTX ISA 5.4.4).
InitialValue initial_value(const ptx::Module& module, const ptx::Variable& variable, unsigned address_bits,
                           const FindReferent& find, const Complain& complain);

}  // namespace heddle::module
