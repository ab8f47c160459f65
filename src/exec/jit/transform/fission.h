// Barriers fall apart: a thread function becomes one function for each barrier, "a thread from here to the
// next barrier". What lives across goes through slots, unless it is as cheap to compute again.
#pragma once

#include <vector>

#include "exec/jit/ir/program.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// `i32 @region()`: returns the number of the region that follows, or `region_end`.
inline constexpr unsigned region_end =
    0;  // 0 also is the region that the block begins with, which never follows

struct Slot {
  llvm::Type* type = nullptr;
};

struct Regions {
  std::vector<llvm::Function*> functions;  // [0]: from the beginning
  std::vector<Slot> slots;
  unsigned recomputed = 0;  // values that would have been slots
};

// The function is used up.
Regions split_at_barriers(llvm::Function& thread);

// What a region may return, each once; empty: anything.
llvm::SmallVector<uint32_t, 4> outcomes_of(const llvm::Function& region);

// Which barrier a thread comes to next must not differ within a block, but for threads that exit before
// (they count as arrived). The branch that breaks this, or nullptr.
class Flow;
const llvm::Instruction* divergent_barrier(llvm::Function& thread, const Flow& flow);

}  // namespace heddle::exec::jit
