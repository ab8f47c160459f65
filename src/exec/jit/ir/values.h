// Types of values, and bits as values of other types.
#pragma once

#include "isa/isa.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

// i1, iN, float for f32, double for f64, iN for all else.
llvm::Type* type_of_value(llvm::LLVMContext& context, isa::Type type);
unsigned bits_of(isa::Type type);
llvm::Value* as_integer(llvm::IRBuilderBase& ir, llvm::Value* value);
// The low bits of `value`, or zeros above them.
llvm::Value* resize(llvm::IRBuilderBase& ir, llvm::Value* value, unsigned bits, bool is_signed = false);
// The same bits as a value of a type of the same width.
llvm::Value* as_type(llvm::IRBuilderBase& ir, llvm::Value* value, llvm::Type* type);
// As what several elements of one access are loaded or stored in one piece.
llvm::Type* type_in_one_piece(llvm::IRBuilderBase& ir, unsigned bytes);

}  // namespace heddle::exec::jit
