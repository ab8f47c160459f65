// A pass for device code of CUDA.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// `static __constant__ float table[8];` that no host code of the file refers to: the host may write it all
// the same, by name (cuModuleGetGlobal), so nvcc keeps it and what it holds is not known. It has the name
// without the mark that C++ gives to internal ones, as EDG's compilers write it. A constant one may be
// folded.
class StaticVariablesPass : public llvm::PassInfoMixin<StaticVariablesPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::frontend
