#include "exec/jit/transform/barrier_loops.h"

#include "exec/jit/analysis/run_order.h"
#include "exec/jit/ir/ops.h"
#include "exec/jit/passes/costs.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

namespace heddle::exec::jit {

namespace {

using llvm::Instruction;
using llvm::Loop;

bool has_barrier(const Loop& loop) {
  for (const llvm::BasicBlock* block : loop.blocks())
    for (const Instruction& i : *block)
      if (is_op(&i, Op::barrier)) return true;
  return false;
}

uint64_t instructions_of(const Loop& loop) {
  uint64_t count = 0;
  for (const llvm::BasicBlock* block : loop.blocks()) count += block->size();
  return count;
}

// How often to unroll it: completely, or 0.
unsigned turns_of(const Loop& loop, llvm::ScalarEvolution& evolution) {
  if (!loop.isInnermost() || !loop.isLoopSimplifyForm() || !loop.isSafeToClone() || !has_barrier(loop))
    return 0;
  const unsigned turns = evolution.getSmallConstantTripCount(&loop);
  if (turns == 0 || turns > cost::most_barrier_turns) return 0;
  return turns * instructions_of(loop) <= cost::most_unrolled_barriers ? turns : 0;
}

// All threads make the same turns, so that who meets at an operation still meets at its copies. LLVM would
// copy none: elsewhere it is not known who comes.
class MayCopy {
 public:
  explicit MayCopy(llvm::Module& module) {
    for (llvm::Function& f : module)
      if (f.hasFnAttribute(llvm::Attribute::NoDuplicate)) functions_.push_back(&f);
    for (llvm::Function* f : functions_) f->removeFnAttr(llvm::Attribute::NoDuplicate);
  }
  MayCopy(const MayCopy&) = delete;
  MayCopy& operator=(const MayCopy&) = delete;
  ~MayCopy() {
    for (llvm::Function* f : functions_) f->addFnAttr(llvm::Attribute::NoDuplicate);
  }

 private:
  llvm::SmallVector<llvm::Function*, 8> functions_;
};

// One of them; its parent may be the innermost loop then.
bool unroll_one(llvm::Function& thread) {
  ThreadAnalyses known(thread);
  for (Loop* loop : known.loops.getLoopsInPreorder()) {
    const unsigned turns = turns_of(*loop, known.evolution);
    if (turns == 0) continue;
    llvm::UnrollLoopOptions options{};
    options.Count = turns;
    if (llvm::UnrollLoop(loop, options, &known.loops, &known.evolution, &known.dominators, &known.assumptions,
                         &known.target, nullptr, true) != llvm::LoopUnrollResult::Unmodified)
      return true;
  }
  return false;
}

}  // namespace

bool unroll_barrier_loops(llvm::Function& thread, llvm::FunctionAnalysisManager& analyses) {
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(thread);
  if (llvm::none_of(loops.getLoopsInPreorder(), [](const Loop* loop) { return has_barrier(*loop); }))
    return false;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(llvm::LCSSAPass());
  analyses.invalidate(thread, passes.run(thread, analyses));
  const MayCopy now(*thread.getParent());
  bool any = false;
  while (unroll_one(thread)) any = true;
  return any;
}

}  // namespace heddle::exec::jit
