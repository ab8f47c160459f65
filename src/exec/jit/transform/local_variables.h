// Local variables whose addresses are only used by loads and stores at constant offsets become registers: the
// frames of calls, and what code without optimisation keeps on its stack.
#pragma once

#include <span>

#include "exec/jit/ir/program.h"
#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// True: some became allocas, which SROA takes to pieces.
bool promote_local_variables(llvm::Function& thread, std::span<const LocalVariable> variables);

}  // namespace heddle::exec::jit
