// The operations of math.h in plain IR: for any type, scalar or vector, on any host.
#pragma once

#include "exec/jit/ir/math.h"
#include "exec/jit/math/lanes.h"

namespace heddle::exec::jit::portable {

llvm::Value* approximate(llvm::IRBuilderBase& ir, Approximation function, bool ftz,
                         llvm::ArrayRef<llvm::Value*> sources);
llvm::Value* rounded(llvm::IRBuilderBase& ir, Arithmetic operation, Direction direction,
                     llvm::ArrayRef<llvm::Value*> sources);
llvm::Value* first_nan(llvm::IRBuilderBase& ir, llvm::Value* result, llvm::Value* source);

// A double that is exact or rounded to odd as a float, rounded in a direction.
llvm::Value* narrowed(const Lanes& l, Direction direction, llvm::Value* value);

}  // namespace heddle::exec::jit::portable
