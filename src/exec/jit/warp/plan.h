// How many vectors an instruction becomes. `gathers`: Plan::gathers.
#pragma once

#include "exec/jit/kernel.h"
#include "exec/jit/thread/program.h"

namespace heddle::exec::jit {

Plan choose_plan(const ThreadProgram& program, const Shape& shape, VectorLevel level, bool gathers,
                 Tier tier);

}  // namespace heddle::exec::jit
