// Which values are live at the beginning of each block: phi results are not, what they take at the ends of
// edges is live at the ends of the predecessors.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

using LiveValues = llvm::SmallPtrSet<llvm::Instruction*, 16>;
using LiveIn = llvm::DenseMap<const llvm::BasicBlock*, LiveValues>;
LiveIn live_in(llvm::Function& function);
LiveValues live_out(const LiveIn& live, llvm::BasicBlock& block);  // at its terminator, its operands included

}  // namespace heddle::exec::jit
