// Rows and columns change places in registers: what turns accesses of several neighbours by each lane into
// loads and stores of whole vectors.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

// M vectors of N elements become N vectors of M elements; M and N are powers of two, elements have 1, 2, 4 or
// 8 bytes. Shuffles of two vectors each: inside of 16-byte chunks first, then of whole chunks, as x86 does
// them in one instruction.
llvm::SmallVector<llvm::Value*, 16> transpose(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> rows);

// Vectors one behind the other as one; their number is a power of two.
llvm::Value* concatenate(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> parts);
// Elements [first, first + count) of a vector.
llvm::Value* slice(llvm::IRBuilder<>& builder, llvm::Value* vector, unsigned first, unsigned count);

}  // namespace heddle::exec::jit
