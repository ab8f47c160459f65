// Loads of a thread that lie one behind the other become one load of all of them, a run, where the lanes of a
// vector do not lie side by side: each lane then reads whole pieces, which are transposed in registers.
// Stores do, too, where the lanes lie a known distance apart.
//
// Accesses of a block of the program are put together, and loops in which a thread reads along a row are
// unrolled before, until a turn reads a whole run. Nothing is read or written that the program would not, and
// nothing moves across what could tell (run_order.h; docs/reference/vector-code.md, "Runs").
#pragma once

#include "exec/jit/analysis/pattern.h"
#include "exec/jit/ir/program.h"
#include "exec/jit/passes/passes.h"

namespace heddle::exec::jit {

// Before fission. `patterns` and `flow` are those of the program's entry with the whole block as one unit;
// they are out of date when the result is not 0, the number of runs. Of `passes` it looks at the parts of
// Pass::runs.
unsigned join_runs(ThreadProgram& program, const Flow& flow, const Patterns& patterns, PassSet passes);

}  // namespace heddle::exec::jit
