// 64-bit values of which nobody sees more than the lower 32 bits become 32-bit ones. A compiler's clean-up
// may have left a counter as phi [y & 0xffffffff], [y] at a join: one value, but not to an analysis of
// shapes.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::exec::jit {

bool narrow(llvm::Function& thread, llvm::FunctionAnalysisManager& analyses);

}  // namespace heddle::exec::jit
