// From an instruction to its eval: the generated table, and what happens where it has no entry.
#pragma once

#include "exec/interp/step.h"

namespace heddle::exec::interp {

void evaluate(Step& step);
// An instruction that its guard switches off for all lanes that came: told to who follows operands.
void tell_switched_off(Warp& warp, const Activation& activation, const module::Instruction& instruction,
                       Mask came);

}  // namespace heddle::exec::interp
