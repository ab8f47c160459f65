#include "exec/jit/passes/costs.h"

namespace heddle::exec::jit {

std::string list_costs() {
  std::string text = "| number | value | counted in | asked by | why |\n|---|---|---|---|---|\n";
#define HEDDLE_COST(id, type, value, unit, of, source) \
  text += std::string("| `" #id "` | ") + std::to_string(cost::id) + " | " unit " | " of " | " source " |\n";
#include "exec/jit/passes/costs.def"
#undef HEDDLE_COST
  return text;
}

}  // namespace heddle::exec::jit
