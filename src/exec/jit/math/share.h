// Code that is to be compiled soon rather than to run fast: what an operation becomes stands in a function of
// its own, once for all the places that ask for it with the same types.
#pragma once

#include "exec/jit/abi/host.h"
#include "llvm/IR/Module.h"

namespace heddle::exec::jit {

// Before expand_math(), which finds the operations in their new places.
void share_math(llvm::Module& module, const Host& host);

}  // namespace heddle::exec::jit
