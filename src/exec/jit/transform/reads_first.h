// What all warps read behind a barrier is read before one of them stores there again.
//
// A loop whose barrier stands before its reads alone has a race: a warp may store what the next turn is to
// read while others still read this one's. On a device the warps that a barrier lets go set out together, so
// that all have read long before one comes around; programs exist that come out right by that alone (block
// reductions called twice). Here warps go from barrier to barrier one after another. So another barrier
// stands behind such reads.
#pragma once

#include "exec/jit/ir/program.h"

namespace heddle::exec::jit {

// How many barriers it put in. Observers are not told of them.
unsigned keep_reads_first(ThreadProgram& program, const Dim3& block);

}  // namespace heddle::exec::jit
