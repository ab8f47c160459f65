#pragma once

#include "exec/interp/step.h"

namespace heddle::exec::interp {

// The value of a special register for one lane; `component` as in %tid.x (Word::none means .x).
uint64_t read_special(Warp& warp, isa::SpecialRegister which, isa::Word component, int lane);

}  // namespace heddle::exec::interp
