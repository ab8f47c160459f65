// A pass behind Job::is_1x.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// PTX ISA 10.1: devices before sm_20 have no stack, hence no calls with parameters in memory. What kernels
// call becomes part of them, and nothing else is left, as compilers of that time had it. A function that
// calls itself stays and is refused later.
class InlineAllPass : public llvm::PassInfoMixin<InlineAllPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::frontend
