// What devices of compute capability 1.x compute in software, since they have no instruction for it: fused
// multiplication, and roundings other than a few (OpenCL Programming Guide for the CUDA Architecture, C.2;
// spec/math/rounded.toml). It stays calls, which the executors bind. What a compiler contracts of itself is
// another thing, the device's own multiply-add.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// To come before anything is inlined: functions of that kind that a library defines by the instructions of
// later devices have no body here; of functions with two results (frexp) each is computed on its own, since
// there are no generic addresses that could say where the second one goes.
class SoftwareFloatsPass : public llvm::PassInfoMixin<SoftwareFloatsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

// To come last: llvm.fma of floats is such a function; llvm.fmuladd, which may be contracted, is not.
// Elements of vectors whose place is known late are chosen, where LLVM would go through memory by a generic
// address.
class SoftwareFmaPass : public llvm::PassInfoMixin<SoftwareFmaPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::frontend
