// Fences next to an atomic operation that changes memory. On x86 the lock of such an operation orders
// everything before and behind it, so that the fence says nothing more; it takes twice its time.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// The last thing before machine code: what LLVM's passes may move is theirs no more.
void drop_locked_fences(llvm::Function& function);

}  // namespace heddle::exec::jit
