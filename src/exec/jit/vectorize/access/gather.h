// Instructions of a warp whose lanes may have parted (fiber/warps.h).
#pragma once

#include <functional>

#include "exec/jit/vectorize/unit.h"

namespace heddle::exec::jit {

using Results = llvm::SmallVector<Rep, 2>;  // of an instruction: one, or one for each element

// `here` emits the code for the lanes that are here, as long as these are all; else they meet the members
// that they name, wherever those stand.
Results gather_lanes(Unit& unit, const llvm::CallInst& call, Op op, const std::function<Results()>& here);

}  // namespace heddle::exec::jit
