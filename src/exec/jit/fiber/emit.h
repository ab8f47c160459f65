// From a thread program to the code of a thread with a stack of its own (fiber.h): its operations become
// plain code, with checks where a device would fault, or requests to the scheduler.
#pragma once

#include "exec/jit/ir/program.h"
#include "exec/jit/kernel/kernel.h"

namespace heddle::exec::jit {

// The module then has `void kernel(Context*, i64 first, i64 count)`, a KernelEntry. `entry` is the
// image's.
void emit_threads(ThreadProgram& program, const module::Image& image, uint32_t entry, const Shape& shape);

}  // namespace heddle::exec::jit
