// Functions of long doubles that are constants, in code of the host.
//
// GCC computes them when it compiles; LLVM leaves x86's 80-bit numbers alone. The C++ library counts on it:
// each number of std::uniform_real_distribution takes two logarithms and a division, of constants
// (std::generate_canonical, [rand.util.canonical]), which cost twenty times what the rest does.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

class LongDoublesPass : public llvm::PassInfoMixin<LongDoublesPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace heddle::frontend
