// The second stage: a thread program as the vectoriser wants it. Registers are SSA values, local variables
// too where that can be; generic addresses have got the space that they come from; 64-bit values of which
// only 32 bits matter have 32; the control flow has no switches, one return, no irreducible cycles, loops
// with preheaders and single latches, and phis where a value leaves its loop (LCSSA).
#pragma once

#include <span>

#include "exec/jit/thread/program.h"
#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// May run more than once: again after something was made constant.
void canonicalise(llvm::Function& thread, std::span<const LocalVariable> variables,
                  unsigned address_bits = 64);

// The program's own function; then what only its clean form tells: program.needs of waiting loops.
void canonicalise(ThreadProgram& program);

}  // namespace heddle::exec::jit
