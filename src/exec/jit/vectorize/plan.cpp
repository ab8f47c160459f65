// Many vectors at once hide latency and share what is uniform, as long as they stay in registers, as their
// threads stay together, and as accesses are of whole vectors.
#include <algorithm>
#include <bit>

#include "exec/jit/analysis/reading.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/compilation.h"
#include "exec/jit/passes/costs.h"
#include "exec/jit/vectorize/access/memory.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace heddle::exec::jit {

namespace {

struct Facts {
  bool loops = false;
  bool scattered = false;      // accesses lane by lane in a loop
  bool parts_in_warp = false;  // lanes of a warp leave a loop one by one
  bool parts_often = false;    // threads leave a loop inside of a loop at different times
  unsigned crooked_rows = 0;   // vectors of shared memory that may lie across lines of the cache
  unsigned columns = 0;        // of shared memory: lanes a known distance apart, each in a line of its own
  unsigned carried = 0;        // vectors' worth of values that the innermost loops keep, at most
};

// In registers of `bits`.
unsigned registers_for(const llvm::Type* type, unsigned lanes, unsigned bits) {
  return std::max(1u, type->getScalarSizeInBits() * lanes / bits);
}

Facts find_facts(llvm::Function& thread, const Shape& shape, unsigned lanes, const Plan& plan) {
  Facts facts;
  Reading reading(thread, shape, plan.lanes, plan.vectors, Reading::fast);
  Flow& flow = reading.flow;
  const Patterns& patterns = reading.patterns;
  for (const llvm::Instruction& i : llvm::instructions(thread)) {
    if (!is_op(&i, Op::load)) continue;
    const auto& call = llvm::cast<llvm::CallInst>(i);
    const Pattern address = patterns.of(call.getArgOperand(0));
    if (immediate(call, 1) != static_cast<uint64_t>(module::Space::shared) || !address.stepped() ||
        address.lane_step == 0 || address.zeros >= 6)
      continue;
    ++(std::abs(address.lane_step) < 64 ? facts.crooked_rows : facts.columns);
  }
  for (const llvm::BasicBlock* block : flow.order()) {
    const llvm::Loop* loop = flow.loops().getLoopFor(block);
    if (loop == nullptr) continue;
    facts.loops = true;
    if (flow.is_divergent(block) && loop->isLoopExiting(block)) {
      facts.parts_often |= loop->getLoopDepth() > 1;
      facts.parts_in_warp |= !branches_by_steps(*block, patterns);
    }
    unsigned carried = 0;
    for (const llvm::Instruction& i : *block) {
      if (llvm::isa<llvm::PHINode>(i) && block == loop->getHeader() && loop->isInnermost() &&
          patterns.of(&i).kind == Pattern::vector)
        carried += registers_for(i.getType(), lanes, lanes * 32);
      const auto op = op_of(&i);
      if (op != Op::load && op != Op::store) continue;
      const Pattern address = patterns.of(i.getOperand(0));
      facts.scattered |= address.kind == Pattern::vector;
    }
    facts.carried = std::max(facts.carried, carried);
  }
  return facts;
}

// What a warp costs with vectors of so many lanes, in instructions: one for each lane of an access whose
// lanes go one by one, one for each vector of what else varies. What stands in loops counts for each turn, of
// which nobody knows how many there are.
uint64_t cost_of_warp(llvm::Function& thread, const Shape& shape, unsigned lanes) {
  Reading reading(thread, shape, lanes, 32 / lanes, Reading::fast);
  const Flow& flow = reading.flow;
  const Patterns& patterns = reading.patterns;
  uint64_t sum = 0;
  for (const llvm::Instruction& i : llvm::instructions(thread)) {
    const bool accesses = is_op(&i, Op::load) || is_op(&i, Op::store);
    const Pattern pattern = patterns.of(accesses ? i.getOperand(0) : &i);
    uint64_t once = 0;
    if (pattern.kind == Pattern::vector)
      once = accesses ? 32 : 32 / lanes;
    else if (pattern.stepped() && !pattern.uniform())
      once = accesses ? 32 / lanes : 0;
    const unsigned depth = std::min(flow.loops().getLoopDepth(i.getParent()), 4u);
    for (unsigned loop = 0; loop < depth; ++loop) once *= cost::turns_of_a_loop;
    sum += once;
  }
  return sum;
}

// As many as the host's vectors have. Where a vector would lie across rows of the block, and what it loads or
// stores be gathered and scattered therefore, as many as lie in one row, if that outweighs what more vectors
// cost.
unsigned lanes_for(llvm::Function& thread, const Shape& shape, unsigned most) {
  const auto [x, y, z] = shape.block;
  const uint32_t row = x > 1 ? x : y > 1 ? y : z;
  if (row % most == 0 || row == shape.block.count()) return most;
  unsigned lanes = most;
  while (lanes > 4 && row % lanes != 0) lanes /= 2;
  if (row % lanes != 0) return most;
  return cost_of_warp(thread, shape, lanes) < cost_of_warp(thread, shape, most) ? lanes : most;
}

// How many vectors make pieces of memory of rows of the block that lie side by side there: as many as a line
// of the cache takes. 0: nothing is gained.
unsigned vectors_for_rows(llvm::Function& thread, const Shape& shape, unsigned lanes, unsigned warps) {
  unsigned vectors = std::min(32u, std::bit_floor(warps) * (32 / lanes));
  while (vectors > 32 / lanes && row_of({shape.block, lanes, vectors}, vectors) == 0) vectors /= 2;
  const unsigned row = row_of({shape.block, lanes, vectors}, vectors);
  if (row == 0) return 0;
  Reading reading(thread, shape, lanes, vectors, Reading::fast, row);
  const Patterns& patterns = reading.patterns;
  unsigned longest = 0;
  for (const llvm::Instruction& i : llvm::instructions(thread)) {
    if (!is_op(&i, Op::load) && !is_op(&i, Op::store)) continue;
    const auto& access = llvm::cast<llvm::CallInst>(i);
    if (!rows_are_pieces(patterns, access)) continue;
    const auto [elements, type] = elements_of(access);
    longest = std::max(longest, patterns.row_count() * elements * type->getScalarSizeInBits() / 8);
  }
  if (longest == 0) return 0;
  for (; longest > 64 && vectors * lanes > 2 * row && vectors > 32 / lanes; longest /= 2) vectors /= 2;
  return vectors;
}

// Warps that load from one place, add and store there again are a race: each may find what another has left.
// On a device the warps of a block set out together, so that all have loaded before one of them stores;
// programs exist that come out right by that alone. So the block is one group then, whose warps go step by
// step. Here: of threads of one column of the block. 0: there is nothing of the kind, or the block is too
// large for one group.
unsigned vectors_that_race(llvm::Function& thread, const Shape& shape, unsigned lanes, unsigned warps) {
  const unsigned vectors = warps * (32 / lanes);
  if (shape.block.count() != vectors * lanes || !std::has_single_bit(vectors) || vectors > 32) return 0;
  const unsigned row = row_of({shape.block, lanes, vectors}, vectors);
  if (row == 0) return 0;
  llvm::DenseSet<const llvm::Value*> loaded;
  const auto is_global = [](const llvm::Instruction& i, Op op) {
    return is_op(&i, op) &&
           immediate(llvm::cast<llvm::CallInst>(i), 1) == static_cast<uint64_t>(module::Space::global);
  };
  for (const llvm::Instruction& i : llvm::instructions(thread))
    if (is_global(i, Op::load)) loaded.insert(i.getOperand(0));
  const bool both = llvm::any_of(llvm::instructions(thread), [&](const llvm::Instruction& i) {
    return is_global(i, Op::store) && loaded.contains(i.getOperand(0));
  });
  if (!both) return 0;
  const Reading reading(thread, shape, lanes, vectors, Reading::fast, row);
  const Patterns& patterns = reading.patterns;
  const bool race = llvm::any_of(llvm::instructions(thread), [&](const llvm::Instruction& i) {
    if (!is_global(i, Op::store) || !loaded.contains(i.getOperand(0))) return false;
    const Pattern address = patterns.of(i.getOperand(0));
    return address.rows && address.row_step == 0 && !address.uniform();
  });
  return race ? vectors : 0;
}

}  // namespace

void pass::plan(Compilation& c) {
  if (c.given_plan) {
    c.plan = *c.given_plan;
    return;
  }
  llvm::Function& thread = *c.program.entry;
  const Shape shape = c.vector_shape();
  const unsigned widest = most_lanes(c.level);
  const unsigned lanes = c.runs(Pass::fitting_lanes) ? lanes_for(thread, shape, widest) : widest;
  const unsigned warp = 32 / lanes, registers = c.level == VectorLevel::avx512 ? 32 : 16;
  Plan& plan = c.plan = {.lanes = lanes, .vectors = warp};
  const auto warps = static_cast<unsigned>((shape.block.count() + 31) / 32);
  if (c.by_warps() || warps < 2) return;
  if (c.runs(Pass::racing_rows)) {
    if (const unsigned all = vectors_that_race(thread, shape, lanes, warps); all != 0) {
      plan.vectors = all;
      return;
    }
  }
  if (c.tier != Tier::best) return;
  const Facts facts = find_facts(thread, shape, lanes, plan);
  // Rows that were just written and are read across lines: the wider, the longer the loads wait for the
  // stores.
  if (c.runs(Pass::crooked_rows) && !facts.loops && facts.crooked_rows + facts.columns > 1 &&
      c.level == VectorLevel::avx512) {
    if (facts.columns == 0 || !c.gathers) plan.lanes = 8, plan.vectors = 4;
    return;
  }
  // What is carried stays in registers, or nearly.
  const bool parts = facts.parts_in_warp || facts.parts_often;
  const unsigned rows =
      parts || !c.runs(Pass::row_groups) ? 0 : vectors_for_rows(thread, shape, lanes, warps);
  if (rows > plan.vectors && rows * facts.carried <= registers) {
    plan.vectors = rows;
    return;
  }
  if (!facts.loops || facts.scattered || !c.runs(Pass::wide_groups)) return;
  const unsigned most = parts ? cost::most_parting_warps : cost::most_warps_together;
  // What is carried and one value beside it, in two thirds of the registers.
  const unsigned room = registers * 2 / 3 / ((facts.carried + 1) * warp);
  // Long code hides latency by itself.
  const unsigned short_enough = cost::most_of_wide_group / (warp * thread.getInstructionCount());
  unsigned chosen = 1;
  while (2 * chosen <= std::min({most, room, warps, short_enough})) chosen *= 2;
  plan.vectors = chosen * warp;
}

}  // namespace heddle::exec::jit
