// Hints a thread's program gives itself: loads that step through memory too far for the host's prefetchers
// ask for what the next turn of an outer loop will read; stores of launches that write a stream (stream.h)
// ask for the lines that a block soon to come will write, since a store that finds its line at hand does not
// hold up those behind it.
#pragma once

#include <cstdint>

#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// Before fission, and after find_streams. Returns how many hints were added. `merged_blocks`: of the launch
// in each block (merge_blocks.h).
unsigned add_prefetches(llvm::Function& thread, uint64_t threads_of_block, unsigned merged_blocks);

}  // namespace heddle::exec::jit
