// What things cost, as the table costs.def has it: cost::most_of_a_side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::exec::jit {

namespace cost {

#define HEDDLE_COST(id, type, value, unit, of, source) inline constexpr type id = value;
#include "exec/jit/passes/costs.def"
#undef HEDDLE_COST

}  // namespace cost

// The table for the user: `heddle ptx jit --list-costs`, and docs/reference/jit-passes.md.
std::string list_costs();

}  // namespace heddle::exec::jit
