// A thread program becomes a kernel: vector code that runs blocks.
//
//   void @kernel(Context*, i64 first block, i64 count)
//
// Each region (fission.h) is emitted twice. Fast code works on a whole group, takes for granted that lanes
// stay together and that no address wraps, and tests just that where it could end; slow code works on one
// warp under masks and takes nothing for granted. Fast code leaves for slow code at a divergent branch and
// comes back where the lanes meet again; a group whose assumption failed, or whose threads are not all
// there, stays in slow code.
#pragma once

#include <string>

#include "exec/jit/abi/code.h"
#include "exec/jit/passes/compilation.h"

namespace heddle::exec::jit {

// What the shape says is put into the program: %ntid, ranges, registers that are 0. Before canonicalise().
void specialise(ThreadProgram& program, const Shape& shape);

// Between the passes `guards` and `weave`, as text: the regions, each value with its pattern in fast and in
// slow code, divergent branches and guards.
std::string describe_regions(const Compilation& compilation);

}  // namespace heddle::exec::jit
