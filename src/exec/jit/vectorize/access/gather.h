// Instructions of a warp whose lanes may have parted (fiber/warps.h).
#pragma once

#include <functional>

#include "exec/jit/fiber/warps.h"
#include "exec/jit/vectorize/unit.h"

namespace heddle::exec::jit {

using Results = llvm::SmallVector<Rep, 2>;  // of an instruction: one, or one for each element

// `here` emits the code for the lanes that are here, as long as these are all; else they meet the members
// that they name, wherever those stand.
Results gather_lanes(Unit& unit, const llvm::CallInst& call, Op op, const std::function<Results()>& here);

// Of a step: the lanes of a warp do it together (analysis/needs.h).
inline constexpr char of_a_warp[] = "of-a-warp";

// Calls who does a step for the lanes of a warp that are here, with its registers where the columns say:
// heddle_jit_matrix for a form's in the frame of matrices, else heddle_jit_step.
struct StepColumns {
  bool matrix = false;
  llvm::SmallVector<LaneColumn, 8> sources, results;
};
void call_step(Unit& unit, const llvm::CallInst& step, llvm::Value* warp, llvm::Value* active,
               const StepColumns& columns);

}  // namespace heddle::exec::jit
