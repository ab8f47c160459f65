// A value that is computed alike on every way to a place is computed there, once.
//
// Compilers leave such values where one way wants them before: if (thread == 0) reads row[i], and all read
// row[j] behind it, the other way computes the row for itself. Where threads part, a phi of the two looks as
// if they differed from thread to thread, and all that is made of it is a vector.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::exec::jit {

struct AlikePhis : llvm::PassInfoMixin<AlikePhis> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace heddle::exec::jit
