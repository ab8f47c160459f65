// Vectors cut up into the widths that code is made for, and put together again.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::exec::jit {

using Chunks = llvm::SmallVector<llvm::Value*, 4>;

// Vectors of `width` lanes. A scalar is the first lane of one; lanes that nobody asked for are zero.
Chunks cut_up(llvm::IRBuilderBase& ir, llvm::Value* value, unsigned width);
// The first `lanes` lanes of vectors of one width; 0: a scalar.
llvm::Value* put_together(llvm::IRBuilderBase& ir, Chunks chunks, unsigned lanes);

}  // namespace heddle::exec::jit
