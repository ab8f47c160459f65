// Loops in which each thread goes along a row of its own, and which write: rows, or something else.
//
// Loads that are put together move across stores, which needs to know that they have nothing in common. PTX
// says nothing about that; the addresses do, before the loop: all that it will touch. So such a loop gets a
// second version, which is entered where rows of all lanes are found apart (Op::rows_apart), and in which
// 32-bit indices are known not to wrap. What a thread stores it need not load again there, and of what it
// stores to one place twice only the last is stored.
#pragma once

#include "exec/jit/analysis/run_order.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::exec::jit {

struct TestedLoop {
  llvm::BasicBlock* block = nullptr;  // the version, whose accesses have a tested row; nullptr: there is none
  unsigned turns = 0;                 // that make runs of full length
};
struct RowQuestions {
  llvm::function_ref<bool(const llvm::CallInst&)> is_row;  // an access whose lanes lie apart
  llvm::function_ref<unsigned(unsigned bytes)> elements;   // wanted of a run
  uint64_t number = 0;                                     // of the loop
  unsigned most_instructions = 0;                          // of an unrolled turn
};
// Of a loop of one block, in simplified form. Marks `row_mark` on accesses that may become part of a run.
TestedLoop test_rows(llvm::BasicBlock& block, ThreadAnalyses& known, const RowQuestions& questions,
                     const char* row_mark);

// Of all blocks: what is stored is not loaded again, nor stored where it is stored over, within a tested
// loop.
void fold_tested_rows(llvm::Function& thread);

}  // namespace heddle::exec::jit
