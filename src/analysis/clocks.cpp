#include "analysis/clocks.h"

#include <algorithm>

#include "module/calls.h"

namespace heddle::analysis {

namespace {

// An operand, or a part of one.
bool is_clock_operand(const module::Operand& o) {
  return o.kind == module::OperandKind::special && is_clock(o.special);
}

}  // namespace

bool is_clock(isa::SpecialRegister which) {
  using enum isa::SpecialRegister;
  return which == clock || which == clock_hi || which == clock64 || which == globaltimer ||
         which == globaltimer_lo || which == globaltimer_hi;
}

bool reads_clock(const module::Function& function, const module::Instruction& instruction) {
  for (uint32_t i = 0; i < instruction.operand_count; ++i) {
    const module::Operand& o = function.operands[instruction.first_operand + i];
    if (is_clock_operand(o)) return true;
    for (uint32_t child = 0; child < o.child_count; ++child)
      if (is_clock_operand(function.operands[o.first_child + child])) return true;
  }
  return false;
}

bool reads_clock(const module::Image& image, uint32_t entry) {
  return std::ranges::any_of(module::reachable_functions(image, entry), [&](uint32_t function) {
    return std::ranges::any_of(image.functions[function].operands, is_clock_operand);
  });
}

}  // namespace heddle::analysis
