// The approximate functions of 16 lanes.
#pragma once

#include "exec/jit/ir/math.h"
#include "exec/jit/math/lanes.h"

namespace heddle::exec::jit::avx512 {

bool has_unit(Approximation function);
llvm::Value* unit(llvm::IRBuilderBase& ir, Approximation function, bool ftz,
                  llvm::ArrayRef<llvm::Value*> sources);

}  // namespace heddle::exec::jit::avx512
