// Code for the operations approximate, rounded, first_nan and math (ir/ops.def), scalar and of any number
// of lanes. It runs after the vectoriser and before LLVM's optimiser, because what is fast differs: a table
// is permutes within registers for a vector and a load for a scalar, a direction of rounding is part of an
// AVX-512 instruction and an error-free transformation elsewhere.
#pragma once

#include "exec/jit/abi/host.h"
#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// All calls of these operations in the function, whatever their types.
// `flush_mode`: they run in the host's mode without subnormals.
void expand_math(llvm::Function& function, const Host& host, bool flush_mode = false);

}  // namespace heddle::exec::jit
