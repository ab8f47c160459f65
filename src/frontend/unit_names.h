// Names of relocatable device code that differ between compilations, not only between files.
#pragma once

#include <string>

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// Host: clang names what registers a unit's device code after a hash of the file's path as it was written, so
// util.cu of two folders, or one file with two sets of macros, would clash in a link. This names it after the
// unit's identity (-cuid). Device: a static variable gets a name of the unit only once the host's code refers
// to it, which clang may learn after it has emitted kernels that use the variable by its plain name; those
// uses would refer to a variable that is nowhere. And clang lists what the host uses of other units; it would
// declare a kernel there as a function.
class UnitNamesPass : public llvm::PassInfoMixin<UnitNamesPass> {
 public:
  UnitNamesPass(std::string identity, bool is_device)
      : identity_(std::move(identity)), is_device_(is_device) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  std::string identity_;
  bool is_device_;
};

}  // namespace heddle::frontend
