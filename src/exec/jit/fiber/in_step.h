// Keeps the lanes of a warp in step where threads have stacks of their own.
//
// On a device the lanes that nothing parts stay together, and programs rely on it: one lane writes, another
// reads what it wrote, and no barrier is between. So where an access may meet an earlier one of another lane
// of its warp, and one of both writes, the operation `in_step` comes between them: lanes wait there for those
// that are on their way. Barriers and operations of the whole warp are such places by themselves.
#pragma once

#include "exec/jit/ir/program.h"

namespace heddle::exec::jit {

inline constexpr char last_first[] = "last-first";  // of a call of Op::in_step

// Before emit_threads(). How many places it put in.
unsigned keep_in_step(ThreadProgram& program, const module::Image& image, const Dim3& block);

}  // namespace heddle::exec::jit
