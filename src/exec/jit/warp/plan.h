// How many vectors an instruction becomes.
#pragma once

#include "exec/jit/kernel.h"
#include "exec/jit/thread/program.h"

namespace heddle::exec::jit {

Plan choose_plan(const ThreadProgram& program, const Shape& shape, VectorLevel level, Tier tier);

}  // namespace heddle::exec::jit
