// The pass behind FloatPrecision.
#pragma once

#include "frontend/clang.h"
#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// PTX ISA 9.7.3.8 div, 9.7.3.15 sqrt: the float divisions and square roots that the source left to the
// compiler become div.full or div.approx, sqrt.approx. Those that a program asks for by name (__fdiv_rn)
// stay.
class PrecisionPass : public llvm::PassInfoMixin<PrecisionPass> {
 public:
  explicit PrecisionPass(FloatPrecision precision) : precision_(precision) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  FloatPrecision precision_;
};

}  // namespace heddle::frontend
