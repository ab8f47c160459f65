// The two lists of LLVM passes behind vectors and threads.
#pragma once

#include "exec/jit/kernel/kernel.h"
#include "exec/jit/passes/passes.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::exec::jit {

// `off`: of the parts of Pass::optimise. `times`: nullptr where they are of no interest.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, Tier tier, PassSet off = {},
              LlvmTimes* times = nullptr);

}  // namespace heddle::exec::jit
