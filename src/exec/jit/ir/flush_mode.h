// Whether a whole program can leave .ftz to the host's mode of floating-point arithmetic: where every
// operation that could tell a subnormal from a zero belongs to an instruction that flushes.
#pragma once

#include "exec/jit/ir/program.h"

namespace heddle::exec::jit {

struct FlushUse {
  bool flushes = false;  // some instruction does
  bool keeps = false;    // some operation must not
};
// Of a program lowered for the mode.
FlushUse flush_use(const module::Image& image, const ThreadProgram& program, const Meaning& meaning);

}  // namespace heddle::exec::jit
