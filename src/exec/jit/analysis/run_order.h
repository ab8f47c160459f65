// What loads and stores of a thread may move across when they are put together (runs.h).
//
// Nothing says that two addresses of one space differ, unless they are a known distance apart and so are the
// lanes' (PTX has no restrict). Weak accesses between two that order others may be done in any order, as long
// as those of one place keep theirs (PTX ISA, memory consistency model: program order alone orders nothing
// else); of another warp's nothing is promised.
#pragma once

#include <optional>

#include "exec/jit/analysis/pattern.h"
#include "exec/jit/ir/ops.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "module/image.h"

namespace heddle::exec::jit {

inline module::Space space_of(const llvm::CallInst& access) {
  return static_cast<module::Space>(immediate(access, 1));
}
inline uint64_t flags_of(const llvm::CallInst& access) { return immediate(access, 2); }
inline bool is_ordered(const llvm::CallInst& access) {
  return (flags_of(access) & (access_strong | access_acquire | access_release)) != 0;
}
// What a load or a store moves; of several elements, all of them.
unsigned bytes_of(const llvm::CallInst& access);

// How far lanes are apart stays with the access: analyses are out of date when loops have been unrolled, but
// copies have the same lanes. Nothing is kept where threads of a warp do not lie whole steps apart.
void keep_lane_step(llvm::CallInst& access, const Pattern& address);
void copy_lane_step(const llvm::CallInst& from, llvm::CallInst& to);
std::optional<int64_t> lane_step_of(const llvm::CallInst& access);

// The row that an access of a loop goes along, where the loop is entered only when the rows of all lanes have
// been found apart (tested_rows.h). Copies have the same.
struct TestedRow {
  uint64_t loop = 0, row = 0;
  bool operator==(const TestedRow&) const = default;
};
void keep_tested_row(llvm::CallInst& access, const TestedRow& row);
void copy_tested_row(const llvm::CallInst& from, llvm::CallInst& to);
std::optional<TestedRow> tested_row_of(const llvm::CallInst& access);
// Of two rows that were found apart.
bool are_tested_apart(const llvm::CallInst& a, const llvm::CallInst& b);

// LLVM's knowledge of a thread's function, until it changes.
struct ThreadAnalyses {
  explicit ThreadAnalyses(llvm::Function& f)
      : library(llvm::TargetLibraryInfoImpl(llvm::Triple(f.getParent()->getTargetTriple())), &f),
        dominators(f),
        loops(dominators),
        assumptions(f),
        target(f.getParent()->getDataLayout()),
        evolution(f, library, assumptions, dominators, loops) {}
  llvm::TargetLibraryInfo library;
  llvm::DominatorTree dominators;
  llvm::LoopInfo loops;
  llvm::AssumptionCache assumptions;
  llvm::TargetTransformInfo target;
  llvm::ScalarEvolution evolution;

  // Of b's address from a's, where it is a constant.
  std::optional<int64_t> distance(const llvm::CallInst& a, const llvm::CallInst& b);
};

// What lanes have in common of two accesses a known distance apart in each thread is known as well.
bool lanes_are_known(const llvm::CallInst& a, const llvm::CallInst& b);
// No byte of access a, of any thread of a warp, is one of b's of any thread, when b lies `distance` behind a
// in one thread.
bool lie_apart(const llvm::CallInst& a, const llvm::CallInst& b, int64_t distance);

enum class Crossing : uint8_t {
  free,      // moves across
  by_place,  // does where the two lie apart
  barred,
};
// Of a load that moves up, or of a store that moves down, across `i`.
Crossing crossing_of_load(const llvm::Instruction& i, module::Space space, bool non_coherent);
Crossing crossing_of_store(const llvm::Instruction& i, module::Space space);

}  // namespace heddle::exec::jit
