// Loops around barriers whose turns are few and known are unrolled: the trees of reductions, scans and sorts,
// `for (step = blockDim.x / 2; step > 0; step /= 2)`. The step of each turn is a number then, so that
// accesses are known rows, tests are known for whole groups, and no value of the loop lives across a barrier.
#pragma once

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace heddle::exec::jit {

// False: nothing was unrolled. Else the function wants to be simplified; analyses are those of before.
bool unroll_barrier_loops(llvm::Function& thread, llvm::FunctionAnalysisManager& analyses);

}  // namespace heddle::exec::jit
