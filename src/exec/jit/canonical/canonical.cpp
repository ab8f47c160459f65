#include "exec/jit/canonical/canonical.h"

#include "exec/jit/canonical/aggregates.h"
#include "exec/jit/canonical/local_variables.h"
#include "exec/jit/canonical/narrow.h"
#include "exec/jit/canonical/spaces.h"
#include "exec/jit/thread/nan.h"
#include "exec/jit/thread/needs.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/FixIrreducible.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

namespace heddle::exec::jit {

namespace {

class Passes {
 public:
  explicit Passes(llvm::Function& thread) : thread_(thread) {
    builder_.registerModuleAnalyses(modules_);
    builder_.registerCGSCCAnalyses(graphs_);
    builder_.registerFunctionAnalyses(functions_);
    builder_.registerLoopAnalyses(loops_);
    builder_.crossRegisterProxies(loops_, functions_, graphs_, modules_);
  }

  template <class... Pass>
  void run(Pass&&... pass) {
    llvm::FunctionPassManager manager;
    (manager.addPass(std::forward<Pass>(pass)), ...);
    functions_.invalidate(thread_, manager.run(thread_, functions_));
  }
  // After a change by other hands.
  void changed(bool control_flow) {
    llvm::PreservedAnalyses kept;
    if (!control_flow) kept.preserveSet<llvm::CFGAnalyses>();
    functions_.invalidate(thread_, kept);
  }
  llvm::FunctionAnalysisManager& analyses() { return functions_; }

 private:
  llvm::Function& thread_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager graphs_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
};

llvm::InstCombinePass combine() {
  return llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false));
}

// Nothing that makes tables or merges code of different places: an operation's place is its meaning.
llvm::SimplifyCFGPass simplify_flow() {
  return llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                   .convertSwitchToLookupTable(false)
                                   .hoistCommonInsts(false)
                                   .sinkCommonInsts(false)
                                   .needCanonicalLoops(true));
}

llvm::GVNPass number_values() {
  return llvm::GVNPass(llvm::GVNOptions().setPRE(false).setLoadPRE(false).setMemDep(false));
}

// What a variable's promotion shows may be the address of the next one.
constexpr int most_rounds = 4;

}  // namespace

void canonicalise(llvm::Function& thread, std::span<const LocalVariable> variables, unsigned address_bits) {
  Passes passes(thread);
  passes.run(llvm::PromotePass());
  canonicalise_nans(thread);
  passes.changed(false);
  for (int round = 0; round < most_rounds; ++round) {
    infer_spaces(thread, address_bits);
    if (!promote_local_variables(thread, variables)) break;
    passes.run(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  }
  passes.changed(false);
  passes.run(llvm::EarlyCSEPass(), combine(), simplify_flow(), llvm::EarlyCSEPass(), number_values(),
             llvm::ADCEPass());
  const bool inferred = infer_spaces(thread, address_bits);
  passes.changed(false);
  const bool narrowed = narrow(thread, passes.analyses());
  if (narrowed) passes.changed(false);
  if (inferred || narrowed) passes.run(combine(), simplify_flow());
  // Phis of phis leave extractions from what was put together.
  if (take_apart_aggregates(thread)) passes.run(llvm::InstSimplifyPass());
  passes.run(llvm::LowerSwitchPass(), llvm::UnifyFunctionExitNodesPass(), llvm::FixIrreduciblePass(),
             llvm::LoopSimplifyPass(), llvm::LCSSAPass());
}

void canonicalise(ThreadProgram& program) {
  if (program.needs.reference) return;
  canonicalise(*program.entry, program.variables, program.address_bits);
  for (const CalledFunction& f : program.functions)
    canonicalise(*f.code, program.variables, program.address_bits);
  find_waits(*program.entry, program.needs);
}

}  // namespace heddle::exec::jit
