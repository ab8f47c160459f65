// What comes before the weaver, in its order. The compiler runs this, and so does what `heddle ptx jit`
// prints: else it would show another kernel than the one that runs.
#pragma once

#include "exec/jit/kernel.h"
#include "exec/jit/thread/program.h"

namespace heddle::exec::jit {

// Of a lowered program: what the shape of its blocks says is put in, the program cleaned, and barriers of so
// many threads as the block has are barriers of the block. Nothing where it needs the reference executor.
void prepare_thread(ThreadProgram& program, const Shape& shape);

// Then for vectors alone.
void prepare_vectors(ThreadProgram& program, const Shape& shape);

}  // namespace heddle::exec::jit
