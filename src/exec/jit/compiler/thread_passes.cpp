// The passes of one thread's program that are not beside what they run, and which way the kernel goes from
// there.
#include <algorithm>

#include "exec/jit/analysis/needs.h"
#include "exec/jit/analysis/parting.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/compilation.h"
#include "exec/jit/passes/costs.h"
#include "exec/jit/transform/local_rows.h"
#include "exec/jit/transform/merge_blocks.h"
#include "exec/jit/transform/reads_first.h"
#include "exec/jit/transform/rolled_loops.h"
#include "exec/jit/transform/short_sides.h"
#include "exec/jit/vectorize/weave.h"

namespace heddle::exec::jit::pass {

namespace {

void leave_to_reference(Compilation& c) {
  c.is_final = true;
  c.refused = c.program.needs.reason;
}

}  // namespace

void lower(Compilation& c) {
  c.program = jit::lower(*c.image, c.function, c.meaning);
  // Blocks of a cluster are there at once; what they do to one another no loop of the code need show.
  if (c.meaning.cluster.count() > 1) c.program.needs.independent_threads = true;
  if (c.program.needs.reference) leave_to_reference(c);
}

void specialise(Compilation& c) { jit::specialise(c.program, c.shape); }

void block_barriers(Compilation& c) { count_barriers(c.program, c.shape.block); }

void reads_first(Compilation& c) { keep_reads_first(c.program, c.shape.block); }

// Vectors where they can be, threads with stacks of their own where those may wait for one another, and what
// neither takes for the reference executor.
void choose_path(Compilation& c) {
  const Needs& needs = c.program.needs;
  if (needs.reference) return leave_to_reference(c);
  c.of_thread = c.program.module->getInstructionCount();
  const bool by_warps = needs.independent_threads && c.meaning.independent && may_be_warps(c.program);
  c.may_be_threads = c.large_by_threads && c.meaning.observed == observe::nothing && c.tier == Tier::quick &&
                     c.of_thread <= cost::most_of_a_thread &&
                     (by_warps || !may_want_lockstep(*c.program.entry, c.meaning.independent));
  if (by_warps && c.of_thread > cost::most_of_best_warps && c.tier) c.tier = Tier::quick;
  const bool part = c.tier == Tier::best && c.runs(Pass::lone_threads) && !needs.independent_threads &&
                    c.meaning.independent && c.meaning.observed == observe::nothing &&
                    threads_part_for_good(*c.program.entry, c.shape, most_lanes(c.level));
  if (c.vectors && !part && (!needs.independent_threads || by_warps)) {
    c.path = by_warps ? pass_table::warps : pass_table::vectors;
    return;
  }
  c.path = pass_table::threads;
  if (c.meaning.observed != observe::nothing)
    return c.give_up("threads on their own tell an observer nothing of warps");
  // Earlier devices move a warp in lockstep, which threads on their own do not: only those may that cannot
  // tell.
  if (!c.meaning.independent && c.vector_instructions == 0)
    c.give_up(c.why_no_vectors.empty() ? "lanes that wait for one another in lockstep" : c.why_no_vectors);
}

void rolled_loops(Compilation& c) {
  // Who observes is told of the loops' own instructions.
  if (c.meaning.observed == observe::nothing) roll_loops(c.program, *c.image, c.shape, most_lanes(c.level));
}

void merge_blocks(Compilation& c) {
  // An observer is told of warps, and who waits for other blocks must run beside them.
  if (!c.shape.merges || c.meaning.observed != observe::nothing || c.program.needs.watches) return;
  c.merged_blocks = jit::merge_blocks(c.program, c.shape.block, most_lanes(c.level));
}

void local_lanes(Compilation& c) {
  // An observer is told of addresses as the program has them.
  if (c.program.observed == observe::nothing) lay_local_memory_by_lanes(c.program, c.vector_shape().block);
}

void short_sides(Compilation& c) { choose_short_sides(*c.program.entry); }

// Where every instruction becomes many (each branch diverges, each barrier has its copies), threads on their
// own are there a second and more before. Slow code on its own is made beside, and waits for nobody: it has a
// limit of its own.
void vector_limit(Compilation& c) {
  if (!c.may_be_threads) return;
  unsigned slow = 0;
  for (const llvm::Function* part : c.slow_functions) slow += part->getInstructionCount();
  const unsigned instructions = c.program.module->getInstructionCount(), fast = instructions - slow;
  const unsigned most = c.by_warps() ? cost::most_quick_warps
                                     : std::clamp(c.of_thread * cost::vectors_a_thread,
                                                  cost::most_quick_vectors, cost::most_quick_vectors_of_any);
  if (std::max(fast, slow) <= most) return;
  c.vector_instructions = c.by_warps() ? instructions / cost::warps_cost_less : instructions;
  c.give_up(std::to_string(instructions) + " instructions of vectors are too many for quick code");
}

}  // namespace heddle::exec::jit::pass
