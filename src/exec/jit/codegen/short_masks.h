// Loads and stores of the first few lanes of a vector, known when the kernel is compiled: those of a block's
// last threads, or of a block smaller than a vector. They become accesses of a shorter vector, without a
// mask: a masked one that reaches over the end of a line of the cache costs two, whatever its mask says.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::exec::jit {

struct ShortenMasks : llvm::PassInfoMixin<ShortenMasks> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace heddle::exec::jit
