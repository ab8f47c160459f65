// Warps that go their own ways (fiber/warps.h): the whole program is one region for one warp, on a stack of
// its own.
#pragma once

#include "exec/jit/vectorize/weaver.h"

namespace heddle::exec::jit {

// A count that says "all threads of the block".
inline constexpr uint32_t whole_block = ~0u;

// Every barrier of the block becomes one of `whole_block` threads, at which the warp arrives and waits.
void barriers_of_warps(llvm::Function& thread);

// The kernel runs the function that was made, for every warp of its blocks.
void make_warp_kernel(Weaver& weaver);

}  // namespace heddle::exec::jit
