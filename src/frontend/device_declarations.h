// A pass for device code of CUDA.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// What is known of device code's declarations, and clang does not say. Math functions (spec/math) are not
// inlined, so that a call of one would be taken for something that may change all memory and wait for other
// lanes: they compute a number, and those with a second result write it behind their pointers. Dynamic shared
// memory begins at a multiple of 16 bytes whatever its type, as nvcc declares it: neighbouring words of it
// can be read and written together.
class DeviceDeclarationsPass : public llvm::PassInfoMixin<DeviceDeclarationsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::frontend
