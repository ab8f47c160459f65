// The two lists of LLVM passes behind the vectoriser.
#pragma once

#include "exec/jit/kernel.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::exec::jit {

void optimise(llvm::Module& module, llvm::TargetMachine& machine, Tier tier);

}  // namespace heddle::exec::jit
