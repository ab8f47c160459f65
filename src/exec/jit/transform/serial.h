// Parts of a program in which threads are better off one after another.
//
// Where each thread goes through a row of its own and rows end at different times, a warp under masks makes
// as many turns as its longest row and reads each time from as many lines as it has lanes; a thread alone
// makes as many turns as it needs, along lines. Such a part only reads, so nobody sees in which order threads
// run it.
#pragma once

#include <vector>

#include "exec/jit/analysis/pattern.h"

namespace heddle::exec::jit {

struct SerialPart {
  // Threads part at the end of this block, go through the part or not, and meet again at `end`.
  const llvm::BasicBlock *branch = nullptr, *end = nullptr;
  std::vector<const llvm::BasicBlock*> blocks;  // in the order of the flow
};

// An operation that says the same before the part: who the thread is, what the launch says.
bool is_known_before(const llvm::Instruction& instruction);

// Of one region, with what is known of a group of fast code and of a warp of slow code.
std::vector<SerialPart> find_serial_parts(const Flow& fast, const Flow& slow, const Patterns& of_fast,
                                          const Patterns& of_slow);

}  // namespace heddle::exec::jit
