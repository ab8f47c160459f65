#include "exec/jit/analysis/parting.h"

#include "exec/jit/analysis/reading.h"
#include "exec/jit/analysis/run_order.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "module/image.h"

namespace heddle::exec::jit {

namespace {

using module::Space;

bool is_access(const llvm::Instruction& i) { return is_op(&i, Op::load) || is_op(&i, Op::store); }

bool may_tell_order(const llvm::Instruction& i) {
  const auto op = op_of(&i);
  if (!op || effect(*op) == Effect::none) return false;
  if (!is_access(i)) return *op != Op::prefetch;
  const auto& access = llvm::cast<llvm::CallInst>(i);
  return space_of(access) == Space::shared || space_of(access) == Space::generic ||
         (flags_of(access) & access_strong) != 0;
}

}  // namespace

bool threads_part_for_good(llvm::Function& thread, const Shape& shape, unsigned lanes) {
  if (llvm::any_of(llvm::instructions(thread), may_tell_order)) return false;
  const Reading reading(thread, shape, lanes, 32 / lanes, Reading::slow);
  const Flow& flow = reading.flow;
  for (const llvm::Loop* loop : flow.loops().getLoopsInPreorder()) {
    const bool inner =
        llvm::any_of(loop->getSubLoops(), [&](const llvm::Loop* sub) { return flow.is_divergent_loop(sub); });
    if (!flow.is_divergent_loop(loop) || !inner) continue;
    unsigned instructions = 0, branches = 0, places = 0;
    for (const llvm::BasicBlock* block : loop->blocks()) {
      branches += flow.is_divergent(block);
      for (const llvm::Instruction& i : *block) {
        if (llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::DbgInfoIntrinsic>(i)) continue;
        ++instructions;
        places += is_access(i) && space_of(llvm::cast<llvm::CallInst>(i)) == Space::local &&
                  reading.patterns.of(i.getOperand(0)).kind == Pattern::vector;
      }
    }
    if (branches * cost::instructions_of_a_parting >= instructions &&
        places * cost::instructions_of_a_place >= instructions)
      return true;
  }
  return false;
}

}  // namespace heddle::exec::jit
