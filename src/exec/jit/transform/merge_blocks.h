// Thread-block merge: of a grid of many blocks of few threads, several neighbours along x become one block,
// whose threads fill vectors. `add<<<n, 1>>>` then runs as `add<<<n / 128, 128>>>` would.
//
// Blocks are independent, so this is right for every program whose threads do not meet: no shared memory, no
// barrier, no operation of a warp, nobody who waits or asks for his place in a warp.
#pragma once

#include "exec/fault.h"
#include "exec/jit/ir/program.h"

namespace heddle::exec::jit {

// How many blocks of this size become one; 1: the program stays as it is. Of a merged program %tid.x counts
// the threads of all, %ctaid.x is the first one's, and threads that are not there (the grid's row ends, or
// what a thread of the host has taken of it) leave at once. `lanes` of a vector. The program is canonical and
// specialised on the block's shape.
unsigned merge_blocks(ThreadProgram& program, const Dim3& block, unsigned lanes);

}  // namespace heddle::exec::jit
