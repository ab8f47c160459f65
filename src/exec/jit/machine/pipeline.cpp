#include "exec/jit/machine/pipeline.h"

#include "exec/jit/math/division.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"

namespace heddle::exec::jit {

namespace {

// Enough for what the vectoriser emits (memory form, two versions of blocks) at about half the time of O3.
constexpr const char* quick_passes =
    "always-inline,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,expand-division,"
    "simplifycfg,jump-threading,"
    "loop-mssa(loop-rotate,licm),gvn<no-pre;no-load-pre;no-memdep>,instcombine<no-verify-fixpoint>,"
    "simplifycfg,"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,adce,simplifycfg),globaldce";

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, Tier tier) {
  llvm::PipelineTuningOptions tuning;
  // The code is vectors already: these would spend their time on loops over groups and undo the plan.
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine, tuning);
  // A function of a kernel is not the C library's because of its name; only what loops are recognised as.
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  library.disableAllFunctions();
  for (llvm::LibFunc f : {llvm::LibFunc_memcpy, llvm::LibFunc_memmove, llvm::LibFunc_memset}) {
    library.setAvailable(f);
  }
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  // Behind the first clean-up, which finds constant divisors.
  const ExpandDivision division(machine.getMCSubtargetInfo()->checkFeatures("+avx512dq"));
  builder.registerPipelineParsingCallback([&](llvm::StringRef name, llvm::FunctionPassManager& to,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name != "expand-division") return false;
    to.addPass(ExpandDivision(division));
    return true;
  });
  builder.registerPeepholeEPCallback(
      [&](llvm::FunctionPassManager& to, llvm::OptimizationLevel) { to.addPass(ExpandDivision(division)); });

  llvm::ModulePassManager passes;
  if (tier == Tier::quick) {
    // The list is ours and constant: it parses.
    llvm::cantFail(builder.parsePassPipeline(passes, quick_passes));
  } else {
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  }
  passes.run(module, modules);
}

}  // namespace heddle::exec::jit
