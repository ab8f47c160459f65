// Loads that step through memory too far for the host's prefetchers get hints: a thread's program asks for
// what the next turn of an outer loop will read.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// Before fission. Returns how many hints were added.
unsigned add_prefetches(llvm::Function& thread);

}  // namespace heddle::exec::jit
