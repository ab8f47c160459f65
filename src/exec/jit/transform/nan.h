// NaNs of f32. PTX's f32 arithmetic gives the one NaN 0x7fffffff; a host's gives others. Which one it is can
// be seen only where the bits leave arithmetic: a store, a bit cast, a shuffle. So lowering emits plain
// floating-point instructions, and this pass, on SSA form and before any other clean-up, puts the canonical
// NaN in at those places, for values that come from arithmetic; values that were loaded or moved keep their
// bits. f64 keeps payloads, which lower functions see to themselves.
#pragma once

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

inline llvm::ConstantFP* canonical_nan(llvm::LLVMContext& context) {
  return llvm::ConstantFP::get(context,
                               llvm::APFloat(llvm::APFloat::IEEEsingle(), llvm::APInt(32, 0x7fff'ffff)));
}

// A select whose NaN is one of arithmetic; operations that compute say so themselves.
void mark_arithmetic(llvm::Value* value);
// A double made of a float, of which only the number matters.
void mark_number(llvm::Value* value);
// The bits of a float or double; those of a NaN may be any of one of its sign.
llvm::Value* bits_with_any_nan(llvm::IRBuilderBase& ir, llvm::Value* value);

// Of f64, it takes away operations `first_nan` that cannot matter and adds those that keep LLVM from folding
// an operation, and with it the making quiet of a NaN. Of approximate functions it finds those whose argument
// is never subnormal: with .ftz they are the same, and shorter.
void canonicalise_nans(llvm::Function& thread);

}  // namespace heddle::exec::jit
