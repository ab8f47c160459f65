// Numbers with a point to integers, as PTX's cvt does it.
//
// For LLVM a conversion whose result does not fit is poison, and it folds such constants to whatever is
// easiest. In device code every conversion has a result (PTX ISA, cvt; CUDA C++ Programming Guide, "Type
// casting"): nvcc converts to 32 bits, or to 64 or 128 where the integer has more, clamped to their range,
// and an integer of 8 or 16 bits is the low part of that. So 300.0f as an unsigned char is 44 and -1.0f is 0.
#pragma once

#include "llvm/IR/PassManager.h"

namespace heddle::frontend {

// First of all passes: conversions become intrinsics that clamp, which LLVM folds as PTX computes.
class DefineConversionsPass : public llvm::PassInfoMixin<DefineConversionsPass> {
 public:
  // Casts: what clang makes of them under -fno-strict-float-cast-overflow, which hands on constants unfolded,
  // are intrinsics already. OpenCL C's are not, since there a program may ask for such an intrinsic itself
  // (convert_char_sat).
  enum class Casts : unsigned char { instructions, intrinsics };
  explicit DefineConversionsPass(Casts casts) : casts_(casts) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }

 private:
  Casts casts_;
};

// Among the last: the intrinsics become conversions again, a cvt each; those of more than 64 bits are
// computed.
class LowerConversionsPass : public llvm::PassInfoMixin<LowerConversionsPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace heddle::frontend
