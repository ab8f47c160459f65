// Results of several values are taken apart where they come to be: no choice between whole results and no
// frozen one remains, and none of them leaves its block. LLVM's clean-up likes it the other way round.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

bool take_apart_aggregates(llvm::Function& thread);

}  // namespace heddle::exec::jit
