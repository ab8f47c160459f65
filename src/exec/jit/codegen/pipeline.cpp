#include "exec/jit/codegen/pipeline.h"

#include <optional>
#include <vector>

#include "exec/jit/codegen/locked_fences.h"
#include "exec/jit/codegen/short_masks.h"
#include "exec/jit/codegen/stopwatch.h"
#include "exec/jit/codegen/wide_halves.h"
#include "exec/jit/math/division.h"
#include "exec/jit/passes/costs.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "support/process_end.h"

namespace heddle::exec::jit {

namespace {

// Enough for what the vectoriser emits (memory form, two versions of blocks) at a quarter of the time of O3.
constexpr const char* quick_passes =
    "always-inline,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,expand-division,shorten-"
    "masks,"
    "simplifycfg,jump-threading,early-cse<memssa>,adce,simplifycfg,split-blocks),globaldce";

// In long blocks instcombine finds little and asks for known bits through six levels of operands, again for
// each instruction: nine tenths of all the time for a thousand instructions of a hash function.
constexpr const char* quick_passes_for_long_blocks =
    "always-inline,function(sroa,early-cse<memssa>,instsimplify,expand-division,shorten-masks,"
    "simplifycfg,jump-threading,early-cse<memssa>,adce,simplifycfg,split-blocks),globaldce";

// To take a variable out of memory LLVM looks at all blocks, for each variable anew. Where that takes
// minutes they stay where quick code has its values anyway.
constexpr const char* quick_passes_for_many_variables =
    "always-inline,function(instsimplify,expand-division,simplifycfg,adce,split-blocks),globaldce";

bool has_many_variables(const llvm::Module& module) {
  for (const llvm::Function& f : module) {
    uint64_t variables = 0;
    if (!f.isDeclaration())
      for (const llvm::Instruction& i : f.getEntryBlock()) variables += llvm::isa<llvm::AllocaInst>(i);
    if (variables * f.size() > cost::many_variables) return true;
  }
  return false;
}

bool has_long_blocks(const llvm::Module& module) {
  for (const llvm::Function& f : module)
    for (const llvm::BasicBlock& block : f)
      if (block.size() > cost::long_block && &block != &f.getEntryBlock()) return true;
  return false;
}

// LLVM's quickest code generator asks the same questions of a block's instructions, but not of other blocks:
// a thousand instructions in blocks of 32 take a fifth of the time of one block. What lives from one to the
// next lies on the stack.
struct SplitBlocks : llvm::PassInfoMixin<SplitBlocks> {
  llvm::PreservedAnalyses run(llvm::Function& f, llvm::FunctionAnalysisManager&) {
    llvm::SmallVector<llvm::BasicBlock*, 16> blocks;
    for (llvm::BasicBlock& block : f)
      if (&block != &f.getEntryBlock()) blocks.push_back(&block);  // whose variables have fixed places
    bool changed = false;
    llvm::SmallVector<llvm::Instruction*, 64> places;
    for (llvm::BasicBlock* block : blocks) {
      places.clear();
      const std::size_t all = block->size();
      std::size_t at = 0;
      for (llvm::Instruction& i : *block) {
        const std::size_t before = at++;
        if (before == 0 || before % cost::split_block != 0 || all - before <= cost::split_block / 2) continue;
        if (!llvm::isa<llvm::PHINode>(i) && !i.isTerminator()) places.push_back(&i);
      }
      // The last piece first: what is cut off is moved.
      for (llvm::Instruction* place : llvm::reverse(places)) block->splitBasicBlock(place);
      changed |= !places.empty();
    }
    return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
  }
};

// Passes run within passes: only the innermost one's time counts.
class PassWatch {
 public:
  PassWatch(llvm::PassInstrumentationCallbacks& between, LlvmTimes& times) : times_(times) {
    between.registerBeforeNonSkippedPassCallback([this](llvm::StringRef name, llvm::Any) {
      note();
      running_.push_back(name.str());
    });
    between.registerAfterPassCallback(
        [this](llvm::StringRef, llvm::Any, const llvm::PreservedAnalyses&) { end(); });
    between.registerAfterPassInvalidatedCallback(
        [this](llvm::StringRef, const llvm::PreservedAnalyses&) { end(); });
  }

 private:
  void note() {
    const double ms = watch_.lap_ms();
    if (!running_.empty()) times_[running_.back()] += ms;
  }
  void end() {
    note();
    running_.pop_back();
  }
  LlvmTimes& times_;
  std::vector<std::string> running_;
  Stopwatch watch_;
};

}  // namespace

void optimise(llvm::Module& module, llvm::TargetMachine& machine, Tier tier, PassSet off, LlvmTimes* times) {
  llvm::PipelineTuningOptions tuning;
  // The code is vectors already: these would spend their time on loops over groups and undo the plan.
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = false;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassInstrumentationCallbacks between;
  between.registerBeforeNonSkippedPassCallback([](llvm::StringRef, llvm::Any) { LibraryWork::rest(); });
  std::optional<PassWatch> watch;
  if (times != nullptr) watch.emplace(between, *times);
  llvm::PassBuilder builder(&machine, tuning, std::nullopt, &between);
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
  const auto add = [&](Pass part, llvm::FunctionPassManager& to) {
    if (off.has(part)) return;
    if (part == Pass::expand_division) to.addPass(ExpandDivision(division));
    if (part == Pass::shorten_masks) to.addPass(ShortenMasks());
    if (part == Pass::split_blocks) to.addPass(SplitBlocks());
  };
  builder.registerPipelineParsingCallback([&](llvm::StringRef name, llvm::FunctionPassManager& to,
                                              llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    const std::optional<Pass> part = find_pass(name);
    if (!part) return false;
    add(*part, to);
    return true;
  });
  builder.registerPeepholeEPCallback([&](llvm::FunctionPassManager& to, llvm::OptimizationLevel) {
    add(Pass::expand_division, to);
    add(Pass::shorten_masks, to);
  });

  llvm::ModulePassManager passes;
  if (tier == Tier::quick) {
    // The lists are ours and constant: they parse.
    llvm::cantFail(builder.parsePassPipeline(passes, has_many_variables(module)
                                                         ? quick_passes_for_many_variables
                                                     : has_long_blocks(module) ? quick_passes_for_long_blocks
                                                                               : quick_passes));
  } else {
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  }
  passes.run(module, modules);
  if (machine.getTargetTriple().isX86() && !off.has(Pass::locked_fences))
    for (llvm::Function& f : module) drop_locked_fences(f);
  if (!machine.getMCSubtargetInfo()->checkFeatures("+avx512fp16") && !off.has(Pass::wide_halves))
    for (llvm::Function& f : module) widen_halves(f);
}

}  // namespace heddle::exec::jit
