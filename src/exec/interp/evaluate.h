// From an instruction to its eval: the generated table, and what happens where it has no entry.
#pragma once

#include "exec/interp/step.h"

namespace heddle::exec::interp {

void evaluate(Step& step);

}  // namespace heddle::exec::interp
