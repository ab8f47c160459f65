#include "exec/jit/transform/canonical.h"

#include "exec/jit/analysis/needs.h"
#include "exec/jit/passes/compilation.h"
#include "exec/jit/passes/costs.h"
#include "exec/jit/transform/aggregates.h"
#include "exec/jit/transform/alike_phis.h"
#include "exec/jit/transform/barrier_loops.h"
#include "exec/jit/transform/local_variables.h"
#include "exec/jit/transform/mbarriers.h"
#include "exec/jit/transform/nan.h"
#include "exec/jit/transform/narrow.h"
#include "exec/jit/transform/spaces.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InstSimplifyPass.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
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

// What LLVM's passes may suppose of PTX's machine: it counts bits in one instruction (popc).
class PtxMachine final : public llvm::TargetTransformInfoImplCRTPBase<PtxMachine> {
 public:
  explicit PtxMachine(const llvm::DataLayout& layout) : TargetTransformInfoImplCRTPBase(layout) {}
  // NOLINTNEXTLINE(readability-identifier-naming): LLVM's
  llvm::TargetTransformInfo::PopcntSupportKind getPopcntSupport(unsigned /*bits*/) const {
    return llvm::TargetTransformInfo::PSK_FastHardware;
  }
};

// It has no library: a function is not the C library's because of its name, and no loop becomes a memset.
llvm::TargetLibraryInfoImpl no_library(const llvm::Function& f) {
  llvm::TargetLibraryInfoImpl library(llvm::Triple(f.getParent()->getTargetTriple()));
  library.disableAllFunctions();
  return library;
}

}  // namespace

class Cleaning::OneFunction {
 public:
  OneFunction(llvm::Function& thread, const ThreadProgram& program) : thread(thread), program_(program) {
    functions_.registerPass([] {
      return llvm::TargetIRAnalysis([](const llvm::Function& f) {
        return llvm::TargetTransformInfo(PtxMachine(f.getParent()->getDataLayout()));
      });
    });
    functions_.registerPass([&thread] { return llvm::TargetLibraryAnalysis(no_library(thread)); });
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
    functions_.invalidate(thread, manager.run(thread, functions_));
  }
  // After a change by other hands.
  void changed(bool control_flow) {
    llvm::PreservedAnalyses kept;
    if (!control_flow) kept.preserveSet<llvm::CFGAnalyses>();
    functions_.invalidate(thread, kept);
  }
  llvm::FunctionAnalysisManager& analyses() { return functions_; }
  bool infer_spaces() { return jit::infer_spaces(thread, program_); }
  bool promote_local_variables() { return jit::promote_local_variables(thread, program_.variables); }

  llvm::Function& thread;
  bool simple = true;  // since simplify nothing was found that makes more to simplify

 private:
  const ThreadProgram& program_;
  llvm::LoopAnalysisManager loops_;
  llvm::FunctionAnalysisManager functions_;
  llvm::CGSCCAnalysisManager graphs_;
  llvm::ModuleAnalysisManager modules_;
  llvm::PassBuilder builder_;
};

Cleaning::Cleaning(ThreadProgram& program) {
  functions.push_back(std::make_unique<OneFunction>(*program.entry, program));
  for (const CalledFunction& f : program.functions)
    functions.push_back(std::make_unique<OneFunction>(*f.code, program));
}

Cleaning::~Cleaning() = default;

namespace {

llvm::InstCombinePass combine() {
  return llvm::InstCombinePass(llvm::InstCombineOptions().setVerifyFixpoint(false));
}

// Nothing that makes tables or merges code of different places: an operation's place is its meaning. Several
// branches to one place become one (a || b && c), though all of the conditions are computed then.
llvm::SimplifyCFGPass simplify_flow() {
  return llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()
                                   .convertSwitchToLookupTable(false)
                                   .hoistCommonInsts(false)
                                   .sinkCommonInsts(false)
                                   .bonusInstThreshold(cost::most_of_a_condition)
                                   .needCanonicalLoops(true));
}

llvm::GVNPass number_values() {
  return llvm::GVNPass(llvm::GVNOptions().setPRE(false).setLoadPRE(false).setMemDep(false));
}

// What a variable's promotion shows may be the address of the next one.
constexpr int most_rounds = 4;

template <class F>
void each(Compilation& c, F&& body) {
  if (c.cleaning == nullptr) c.cleaning = std::make_unique<Cleaning>(c.program);
  for (const auto& function : c.cleaning->functions) body(*function);
}
using One = Cleaning::OneFunction;

void clean_up(One& one) {
  one.run(llvm::EarlyCSEPass(), combine(), simplify_flow(), llvm::EarlyCSEPass(), AlikePhis(),
          number_values(), llvm::ADCEPass());
}

}  // namespace

namespace pass {

void registers(Compilation& c) {
  each(c, [](One& one) { one.run(llvm::PromotePass()); });
}

void nans(Compilation& c) {
  each(c, [](One& one) {
    canonicalise_nans(one.thread);
    one.changed(false);
  });
}

void spaces(Compilation& c) {
  each(c, [](One& one) {
    for (int round = 0; round < most_rounds; ++round) {
      one.infer_spaces();
      if (!one.promote_local_variables()) break;
      one.run(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
    }
    one.changed(false);
  });
}

void simplify(Compilation& c) { each(c, clean_up); }

void narrow(Compilation& c) {
  each(c, [](One& one) {
    if (!jit::narrow(one.thread, one.analyses())) return;
    one.simple = false;
    one.changed(false);
  });
}

void simplify_again(Compilation& c) {
  each(c, [](One& one) {
    if (!one.simple) one.run(combine(), simplify_flow());
  });
}

void bit_loops(Compilation& c) {
  each(c, [](One& one) {
    const auto loops = [&one] {
      return one.analyses().getResult<llvm::LoopAnalysis>(one.thread).getLoopsInPreorder();
    };
    const auto before = loops();
    if (llvm::none_of(before, [](const llvm::Loop* loop) { return loop->getNumBlocks() == 1; })) return;
    llvm::LoopPassManager passes;
    passes.addPass(llvm::LoopIdiomRecognizePass());
    passes.addPass(llvm::LoopDeletionPass());
    one.run(llvm::createFunctionToLoopPassAdaptor(std::move(passes)));
    if (loops().size() < before.size()) one.run(combine(), simplify_flow());
  });
}

void barrier_loops(Compilation& c) {
  // Who observes is told of the loop's own branches.
  if (c.meaning.observed != observe::nothing) return;
  each(c, [](One& one) {
    if (!unroll_barrier_loops(one.thread, one.analyses())) return;
    one.changed(true);
    clean_up(one);
  });
}

void aggregates(Compilation& c) {
  each(c, [](One& one) {
    // Phis of phis leave extractions from what was put together.
    if (take_apart_aggregates(one.thread)) one.run(llvm::InstSimplifyPass());
  });
}

void mbarriers(Compilation& c) {
  if (c.meaning.observed == observe::nothing && make_block_barriers(c.program, c.shape.block))
    each(c, [](One& one) {
      one.changed(true);
      one.run(combine(), simplify_flow());
      drop_unused_clocks(one.thread);
      one.changed(false);
    });
  c.program.needs.independent_threads |= has_mbarrier_tests(c.program);
}

void flow(Compilation& c) {
  each(c, [](One& one) {
    one.run(llvm::LowerSwitchPass(), llvm::UnifyFunctionExitNodesPass(), llvm::FixIrreduciblePass(),
            llvm::LoopSimplifyPass(), llvm::LCSSAPass());
  });
}

void waits(Compilation& c) {
  c.cleaning.reset();
  find_waits(*c.program.entry, c.shape.block, c.meaning.observed != observe::nothing, c.program.needs);
}

}  // namespace pass

}  // namespace heddle::exec::jit
