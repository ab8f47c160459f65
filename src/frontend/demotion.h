// Doubles on devices without them, before compute capability 1.3: numbers of single precision (CUDA C
// Programming Guide 4.0, 5.1; OpenCL Programming Guide for the CUDA Architecture, C.2). Where one lies in
// memory it takes its 64 bits still, of which the lower half is used (PTX ISA 11.1.2, map_f64_to_f32).
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// To come before SoftwareFloatsPass: device math functions of doubles become those of floats.
class DemoteCallsPass : public llvm::PassInfoMixin<DemoteCallsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

// To come last, but before PrecisionPass and SoftwareFmaPass: arithmetic is that of floats. What is left of
// type double is what lies in memory and in registers, for .target map_f64_to_f32: its constants are made
// such that LLVM does not write them as integers.
class DemoteArithmeticPass : public llvm::PassInfoMixin<DemoteArithmeticPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::frontend
