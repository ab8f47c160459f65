// Programs whose threads part for good: each goes through a search of its own, by what it has in its own
// memory.
#pragma once

#include "exec/jit/kernel/kernel.h"
#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// A vector gains nothing there: lanes leave each loop at different times, within a turn they go different
// ways, and what they read and write at places of their own goes lane by lane anyway. Nothing in the program
// may tell in which order threads run: no barriers, nothing that lanes exchange, no shared memory.
bool threads_part_for_good(llvm::Function& thread, const Shape& shape, unsigned lanes);

}  // namespace heddle::exec::jit
