// Division of vectors of integers. A host has none: LLVM would take the vectors to pieces and divide lane by
// lane. But a floating-point quotient with enough digits shows the integer one, exactly.
//
// It runs behind the vectoriser, on vectors alone. Constant divisors are left to LLVM, which multiplies.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::exec::jit {

class ExpandDivision : public llvm::PassInfoMixin<ExpandDivision> {
 public:
  // `converts_i64`: vectors of 64-bit integers become vectors of double in one instruction (AVX512DQ); else
  // those are left alone.
  explicit ExpandDivision(bool converts_i64) : converts_i64_(converts_i64) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  bool converts_i64_;
};

}  // namespace heddle::exec::jit
