// What the scheduler wants to know of an instruction: clocks, memory, and the registers that sequences for
// one instruction use.
#pragma once

#include "analysis/registers/code.h"

namespace heddle::analysis::registers {

bool is_float(isa::Type);
// Whether it reaches memory at an address that may have a constant beside the register.
bool reaches(const module::Instruction&);
// Whether it does something besides what it defines.
bool has_effect(const module::Image&, const module::Instruction&);
// `parted`: lanes may do it without the others.
void describe(const module::Image&, const module::Function&, const module::Instruction&, bool parted,
              Operation&);

}  // namespace heddle::analysis::registers
