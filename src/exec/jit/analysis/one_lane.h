// Places of a thread program that one lane of a warp comes to, and no other: behind "if (threadIdx.x == 0)".
// Or one thread of the block.
#pragma once

#include <cstdint>
#include <optional>

#include "exec/launch.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

// Whether a branch before `place` lets through one lane of each warp at most.
bool is_for_one_lane(const llvm::BasicBlock& place, const llvm::DominatorTree& dominators, const Dim3& block);

// Which thread of the block, in the order of its warps, comes to `place`, if the branches before it let
// through no other.
std::optional<uint32_t> only_thread(const llvm::BasicBlock& place, const llvm::DominatorTree& dominators,
                                    const Dim3& block);

}  // namespace heddle::exec::jit
