// Threads that do nothing in a region, whatever memory holds: those that `if (threadIdx.x < 32)` at its head
// sends away.
#pragma once

#include "exec/launch.h"
#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// The number of threads of the block, in the order of its warps, up to the last one that does anything in
// `region` but to come to its end.
unsigned threads_at_work(llvm::Function& region, const Dim3& block);

}  // namespace heddle::exec::jit
