// Which programs vectors are not for. What an instruction shows by itself is found while it is lowered; this
// is what only the loops of a clean program show.
#pragma once

#include "exec/jit/ir/program.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

// A loop that a thread leaves when another one has done something: it looks at memory that others write, and
// nothing that it does itself can end it. Where the lanes of a warp, or the warps of a block, run one after
// another, it would run forever. `thread` is canonical.
//
// One that looks at the grid's own workspace (exec/grid_workspace.h) waits for other blocks: it gets an
// operation `sleep`, by which the whole block gives way, and is for vectors like any other. So is one that
// nothing but other blocks can end (Needs::blocks_wait), unless somebody observes.
void find_waits(llvm::Function& thread, const Dim3& block, bool observed, Needs& needs);

// Loops that try for a lock: lanes of a warp want it one after another, unless one lane alone comes there.
llvm::SmallVector<const llvm::Loop*> find_lock_loops(const llvm::LoopInfo& loops,
                                                     const llvm::DominatorTree& dominators);

// Whether the lanes of a warp execute the step together (PTX ISA 9.7.14: .sync, .aligned).
bool is_of_a_warp(const llvm::CallInst& step, std::span<const Site> sites, const module::Image& image);

// Whether threads that wait for one another may do so as warps on their own (fiber/warps.h).
bool may_be_warps(const ThreadProgram& program);

// What is known of a loop that waits, of whom it waits for; of an operation `sleep` the name of an attribute.
// Without: it may end by itself, or is no loop at all.
inline constexpr char waits_for_lanes[] = "waits-for-lanes";  // who left the loop may be who ends it
inline constexpr char waits_for_others[] =
    "waits-for-others";  // no lane of its warp can, before it has ended

// For warps on their own: each loop that waits, or may do so, gets an operation `sleep`.
void give_way_in_waits(llvm::Function& thread);

// Loops that wait, innermost ones too, and whether the thread looks at what others write at all. What sleeps
// there says that it waits.
struct WaitLoops {
  llvm::SmallVector<const llvm::Loop*> loops;
  bool looks = false;
};
WaitLoops find_wait_loops(const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators);

// Whether lanes look at what others of their warp write without a barrier between, by volatile shared memory:
// programs of before sm_70 that were right because warps moved in lockstep, as vectors do. On a device that
// moves them so (not `independent`) it need not be volatile, and operations of a warp have no members named.
bool may_want_lockstep(const llvm::Function& thread, bool independent);

// A barrier with a count becomes one of the whole block where the count is that; others need independent
// threads: those that come wait for some, not for all.
void count_barriers(ThreadProgram& program, const Dim3& block);

}  // namespace heddle::exec::jit
