#include <optional>

#include "frontend/back_end.h"
#include "frontend/guard.h"
#include "frontend/integer_conversions.h"
#include "frontend/nvvm/program.h"
#include "frontend/precision.h"
#include "frontend/session.h"
#include "frontend/wide_copies.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"

namespace heddle::frontend {

namespace {

constexpr const char* triple = "nvptx64-nvidia-cuda";

std::unique_ptr<llvm::TargetMachine> machine_of(const NvvmOptions& options) {
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (target == nullptr) return nullptr;
  llvm::TargetOptions code;
  code.AllowFPOpFusion = options.fuse ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, options.target.clang_name, options.target.ptx_feature, code, llvm::Reloc::Static, std::nullopt,
      options.optimize ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::None));
}

// Units that ask for lines themselves have them without an option.
bool has_lines_alone(const llvm::Module& module) {
  for (const llvm::DICompileUnit* unit : module.debug_compile_units())
    if (unit->getEmissionKind() != llvm::DICompileUnit::DebugDirectivesOnly) return false;
  return true;
}

// Lines alone: .loc directives, and none of the sections that describe variables.
void keep_lines_alone(llvm::Module& module) {
  llvm::stripNonLineTableDebugInfo(module);
  llvm::DebugInfoFinder found;
  found.processModule(module);
  llvm::NamedMDNode* units = module.getNamedMetadata("llvm.dbg.cu");
  if (units == nullptr) return;
  units->clearOperands();
  for (llvm::DICompileUnit* unit : found.compile_units()) {
    auto* lines = llvm::DICompileUnit::getDistinct(
        module.getContext(), unit->getSourceLanguage(), unit->getFile(), unit->getProducer(),
        unit->isOptimized(), unit->getFlags(), unit->getRuntimeVersion(), unit->getSplitDebugFilename(),
        llvm::DICompileUnit::DebugDirectivesOnly, nullptr, nullptr, nullptr, nullptr, nullptr, 0, false,
        false, llvm::DICompileUnit::DebugNameTableKind::None, false, unit->getSysRoot(), unit->getSDK());
    units->addOperand(lines);
    for (llvm::DISubprogram* function : found.subprograms())
      if (function->getUnit() == unit) function->replaceUnit(lines);
  }
}

// NVVM IR Specification, "Supported Properties": LLVM 19 has another word for this one.
void rename_annotations(llvm::Module& module) {
  llvm::NamedMDNode* annotations = module.getNamedMetadata("nvvm.annotations");
  if (annotations == nullptr) return;
  for (unsigned i = 0; i < annotations->getNumOperands(); ++i) {
    llvm::MDNode* node = annotations->getOperand(i);
    for (unsigned at = 1; at < node->getNumOperands(); at += 2) {
      const auto* word = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(at).get());
      if (word != nullptr && word->getString() == "cluster_max_blocks")
        node->replaceOperandWith(at, llvm::MDString::get(module.getContext(), "maxclusterrank"));
    }
  }
}

void prepare(llvm::Module& module, llvm::TargetMachine& machine, const NvvmOptions& options) {
  module.setDataLayout(machine.createDataLayout());
  rename_annotations(module);
  if (options.debug == NvvmOptions::Debug::none && !has_lines_alone(module)) llvm::StripDebugInfo(module);
  if (options.debug == NvvmOptions::Debug::lines) keep_lines_alone(module);
  // What __nvvm_reflect("__CUDA_FTZ") answers; another module may have said it before.
  if (module.getModuleFlag("nvvm-reflect-ftz") == nullptr)
    module.addModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", options.flush_subnormals ? 1 : 0);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", options.target.clang_name);
    function.addFnAttr("target-features", options.target.ptx_feature);
    function.addFnAttr("denormal-fp-math-f32",
                       options.flush_subnormals ? "preserve-sign,preserve-sign" : "ieee,ieee");
    // Marks of debuggers' compilers, which keep what is marked from being inlined.
    if (!options.optimize) continue;
    if (function.hasFnAttribute(llvm::Attribute::OptimizeNone)) {
      function.removeFnAttr(llvm::Attribute::OptimizeNone);
      function.removeFnAttr(llvm::Attribute::NoInline);
    }
  }
}

void run_passes(llvm::Module& module, llvm::TargetMachine& machine, const NvvmOptions& options) {
  llvm::PassBuilder builder(&machine);
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager& passes, auto...) {
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(
        DefineConversionsPass(DefineConversionsPass::Casts::instructions)));
  });
  builder.registerOptimizerLastEPCallback([&options](llvm::ModulePassManager& passes, auto...) {
    if (!options.precision.is_default())
      passes.addPass(llvm::createModuleToFunctionPassAdaptor(PrecisionPass(options.precision)));
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(LowerConversionsPass()));
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(WideCopiesPass()));
    passes.addPass(BackEndPass());
  });
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager calls;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(calls);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, calls, modules);
  if (options.optimize)
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
  else
    builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0).run(module, modules);
}

bool emit(llvm::Module& module, llvm::TargetMachine& machine, std::string& ptx) {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile, true))
    return false;
  passes.run(module);
  ptx = text.str().str();
  return true;
}

// Errors of the back end, of inline PTX say, are told and end nothing.
struct Listener : llvm::DiagnosticHandler {
  explicit Listener(NvvmResult& result) : result_(result) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() > llvm::DS_Warning) return true;
    const bool error = info.getSeverity() == llvm::DS_Error;
    if (error) result_.status = NvvmStatus::invalid_ir;
    result_.log += error ? "error: " : "warning: ";
    llvm::raw_string_ostream stream(result_.log);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    stream << '\n';
    return true;
  }
  NvvmResult& result_;
};

template <class Work>
NvvmResult run(const std::vector<NvvmModule>& modules, Work&& work) {
  NvvmResult result;
  const auto failure = guarded([&] {
    prepare_llvm();
    llvm::LLVMContext context;
    context.setDiagnosticHandler(std::make_unique<Listener>(result));
    if (const std::unique_ptr<llvm::Module> whole = nvvm::read_modules(modules, context, result))
      if (result.status == NvvmStatus::ok) work(*whole, result);
  });
  if (failure) {
    result.status = NvvmStatus::failed;
    result.log += "error: " + *failure + "\n";
  }
  return result;
}

}  // namespace

NvvmResult verify_nvvm(const std::vector<NvvmModule>& modules) {
  return run(modules, [](llvm::Module&, NvvmResult&) {});
}

NvvmResult compile_nvvm(const std::vector<NvvmModule>& modules, const NvvmOptions& options) {
  return run(modules, [&](llvm::Module& module, NvvmResult& result) {
    const std::unique_ptr<llvm::TargetMachine> machine = machine_of(options);
    if (machine == nullptr) {
      result.status = NvvmStatus::failed;
      result.log += "error: LLVM has no code generator for PTX\n";
      return;
    }
    prepare(module, *machine, options);
    run_passes(module, *machine, options);
    std::string ptx;
    if (!emit(module, *machine, ptx)) {
      result.status = NvvmStatus::failed;
      result.log += "error: LLVM cannot write PTX\n";
      return;
    }
    if (result.status != NvvmStatus::ok) return;
    auto finished = finish_ptx(options.target, std::move(ptx));
    if (!finished) {
      result.status = NvvmStatus::invalid_ir;
      result.log += "error: " + finished.error().message + "\n";
      return;
    }
    result.ptx = std::move(*finished);
  });
}

}  // namespace heddle::frontend
