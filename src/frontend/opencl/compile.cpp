#include <algorithm>
#include <array>
#include <mutex>

#include "clang/Basic/OpenCLOptions.h"
#include "clang/Basic/Version.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "frontend/back_end.h"
#include "frontend/clang.h"
#include "frontend/cuda.h"
#include "frontend/guard.h"
#include "frontend/integer_conversions.h"
#include "frontend/messages.h"
#include "frontend/opencl.h"
#include "frontend/opencl/messages.h"
#include "frontend/opencl/options.h"
#include "frontend/opencl/program.h"
#include "frontend/opencl/source_rules.h"
#include "frontend/session.h"
#include "frontend/shared_order.h"
#include "frontend/software_floats.h"
#include "frontend/uniform_loads.h"
#include "frontend/wide_copies.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "support/version.h"

namespace heddle::frontend {

namespace {

using opencl::Options;

constexpr const char* triple = "nvptx64-nvidia-nvcl";
constexpr const char* header_folder = "/opencl-headers/";
// A module that has such metadata is a library.
constexpr const char* library_mark = "heddle.opencl.library";

struct Input {
  const OpenClTarget& target;
  Target device;
  Options options;
  std::string resources;
};

// The macros that only a header of clang's knows for other targets than ours, but no option turns on.
bool is_option_of_clang(const std::string& name) {
  static const auto* known = new clang::OpenCLOptions;
  return known->isKnown(name);
}

std::vector<std::string> arguments_of(const Input& input) {
  std::vector<std::string> words{
      "-triple", triple, "-target-cpu", input.device.clang_name, "-target-feature", input.device.ptx_feature,
      "-resource-dir", input.resources, "-internal-isystem", input.resources + "/include",
      "-finclude-default-header", "-fdeclare-opencl-builtins", "-emit-llvm-only", "-O2",
      "-disable-llvm-passes", "-cl-kernel-arg-info", "-fno-threadsafe-statics", "-ffp-contract=on",
      "-D__OPENCL_VERSION__=300", "-D__ENDIAN_LITTLE__=1", "-D__NV_CL_C_VERSION=300",
      "-nostdsysteminc",  // the host's headers are none of a program's
      "-fgnu-keywords",   // asm, as NVIDIA's compiler has it
      // What programs that were written for other compilers are full of.
      "-Wno-pass-failed"};
  std::string extensions = "-cl-ext=-all";
  for (const std::string& name : input.target.extensions) {
    if (is_option_of_clang(name))
      extensions += ",+" + name;
    else
      words.push_back("-D" + name + "=1");
    if (name == "__opencl_c_images") words.push_back("-D__IMAGE_SUPPORT__=1");
    if (name == "cl_khr_fp64" || name == "__opencl_c_fp64") words.push_back("-DFP_FAST_FMA=1");
  }
  words.push_back(extensions);
  // Since OpenCL C 3.0 a feature says so; 1.x has them all the same.
  if (input.device.is_1x()) words.push_back("-D__IMAGE_SUPPORT__=1");
  if (input.device.number >= 20) words.push_back("-DFP_FAST_FMAF=1");
  words.push_back("-cl-std=" + input.options.standard);
  words.insert(words.end(), input.options.clang.begin(), input.options.clang.end());
  words.insert(words.end(), {"-x", "cl", "<kernel>"});
  return words;
}

// What a result depends on besides what the caller gave.
class Files final : public clang::DependencyCollector {
 public:
  void attachToPreprocessor(clang::Preprocessor& preprocessor) override {
    DependencyCollector::attachToPreprocessor(preprocessor);
    preprocessor.addPPCallbacks(std::make_unique<Watch>(tells_time_));
  }
  bool tells_time() const { return tells_time_; }

 private:
  class Watch final : public clang::PPCallbacks {
   public:
    explicit Watch(bool& tells_time) : tells_time_(tells_time) {}
    void MacroExpands(const clang::Token& name, const clang::MacroDefinition&, clang::SourceRange,
                      const clang::MacroArgs*) override {
      const llvm::StringRef word = name.getIdentifierInfo()->getName();
      tells_time_ |= word == "__DATE__" || word == "__TIME__" || word == "__TIMESTAMP__";
    }

   private:
    bool& tells_time_;
  };
  bool tells_time_ = false;
};

// Without the warning that clang does not know an extension which the device shows (cl_nv_pragma_unroll).
class ExtensionCollector final : public Collector {
 public:
  ExtensionCollector(clang::DiagnosticOptions* options, std::vector<std::string>& texts,
                     const std::vector<std::string>& extensions)
      : Collector(options, texts), extensions_(extensions) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    const bool shown = level == clang::DiagnosticsEngine::Warning && text.starts_with("OpenCL extension '") &&
                       std::ranges::any_of(extensions_, [&](const std::string& name) {
                         return text.str().contains("'" + name + "' unknown");
                       });
    if (!shown) Collector::HandleDiagnostic(level, info);
  }

 private:
  const std::vector<std::string>& extensions_;
};

// The checks come first: what they refuse never becomes code.
class Compilation final : public clang::EmitLLVMOnlyAction {
 public:
  using EmitLLVMOnlyAction::EmitLLVMOnlyAction;

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    bound_spell_checking(compiler);
    return EmitLLVMOnlyAction::BeginSourceFileAction(compiler);
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(opencl::check_source(compiler.getDiagnostics()));
    consumers.push_back(EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }
};

std::unique_ptr<llvm::Module> compile_source(const Input& input, std::string_view source,
                                             std::span<const OpenClHeader> headers,
                                             llvm::LLVMContext& context, OpenClResult& result) {
  const std::vector<std::string> words = arguments_of(input);
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  std::vector<std::string> texts;
  clang::CompilerInstance compiler;
  std::unique_ptr<llvm::Module> module;
  unsigned errors = 0, warnings = 0;
  {
    const llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> shown(new clang::DiagnosticOptions);
    ExtensionCollector collector(shown.get(), texts, input.target.extensions);
    clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, shown, &collector, false);
    const bool taken =
        clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), pointers, diagnostics);
    if (taken) {
      clang::CompilerInvocation& invocation = compiler.getInvocation();
      invocation.getFrontendOpts().DisableFree = false;
      invocation.getCodeGenOpts().DisableFree = false;
      invocation.getDiagnosticOpts().ShowCarets = false;  // or clang counts errors itself
      const llvm::StringRef text(source.data(), source.size());
      const auto buffer = llvm::MemoryBuffer::getMemBufferCopy(text, "<kernel>");
      invocation.getPreprocessorOpts().addRemappedFile("<kernel>", buffer.get());
      invocation.getPreprocessorOpts().RetainRemappedFileBuffers = true;
      auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
      auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
      if (!headers.empty()) {
        for (const OpenClHeader& header : headers)
          memory->addFile(header_folder + header.name, 0,
                          llvm::MemoryBuffer::getMemBuffer(header.text, "", false));
        overlay->pushOverlay(memory);
        // Before every -I: "embedded headers come first" (OpenCL API 3.0, clCompileProgram).
        auto& search = invocation.getHeaderSearchOpts();
        search.UserEntries.insert(
            search.UserEntries.begin(),
            clang::HeaderSearchOptions::Entry(header_folder, clang::frontend::Quoted, false, true));
        search.AddPath(header_folder, clang::frontend::Angled, false, true);
      }
      compiler.createDiagnostics(&collector, false);
      compiler.createFileManager(overlay);
      auto files = std::make_shared<Files>();
      compiler.addDependencyCollector(files);
      Compilation action(&context);
      if (compiler.ExecuteAction(action) && !compiler.getDiagnostics().hasErrorOccurred())
        module = action.takeModule();
      for (const std::string& name : files->getDependencies())
        if (!name.starts_with(header_folder) && name != "<kernel>") result.files.push_back(name);
      result.tells_time = files->tells_time();
      errors = compiler.getDiagnostics().getClient()->getNumErrors();
      warnings = compiler.getDiagnostics().getClient()->getNumWarnings();
    }
  }
  std::string& log = result.log;
  for (const std::string& text : texts) log += text;
  const auto count = [](unsigned n, const char* what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
  };
  if (errors != 0 && warnings != 0)
    log += count(warnings, "warning") + " and " + count(errors, "error") + " generated.\n";
  else if (errors + warnings != 0)
    log += (errors != 0 ? count(errors, "error") : count(warnings, "warning")) + " generated.\n";
  return module;
}

std::unique_ptr<llvm::TargetMachine> machine_of(const Input& input) {
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (target == nullptr) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  const auto level = input.options.settings.optimization == 0 ? llvm::CodeGenOptLevel::Less
                                                              : llvm::CodeGenOptLevel::Aggressive;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, input.device.clang_name, input.device.ptx_feature, options,
                                  llvm::Reloc::Static, std::nullopt, level));
}

// What the kernel's attributes ask of PTX: .reqntid and .maxnreg (User Guide for NVPTX Back-end). Where the
// groups at the end of a range may be smaller than reqd_work_group_size says (OpenCL C 3.0, 6.7.2), .maxntid:
// blocks of them are launched too.
void annotate(llvm::Module& module, const std::vector<OpenClKernel>& kernels, uint32_t most_registers) {
  llvm::NamedMDNode* annotations = module.getOrInsertNamedMetadata("nvvm.annotations");
  llvm::LLVMContext& context = module.getContext();
  const auto add = [&](llvm::Function* function, const char* what, uint32_t value) {
    auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
    annotations->addOperand(
        llvm::MDNode::get(context, {llvm::ValueAsMetadata::get(function), llvm::MDString::get(context, what),
                                    llvm::ValueAsMetadata::get(number)}));
  };
  for (const OpenClKernel& kernel : kernels) {
    llvm::Function* function = module.getFunction(kernel.name);
    if (kernel.required_group[0] != 0) {
      constexpr std::array<const char*, 3> all{"reqntidx", "reqntidy", "reqntidz"};
      constexpr std::array<const char*, 3> most{"maxntidx", "maxntidy", "maxntidz"};
      const bool uniform = function->getFnAttribute("uniform-work-group-size").getValueAsBool();
      for (std::size_t i = 0; i < 3; ++i) add(function, uniform ? all[i] : most[i], kernel.required_group[i]);
    }
    if (most_registers != 0) add(function, "maxnreg", most_registers);
  }
}

// Every function is compiled for the program's processor, those of the library and of other objects too.
void set_processor(llvm::Module& module, const Input& input) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.addFnAttr("target-cpu", input.device.clang_name);
    function.addFnAttr("target-features", input.device.ptx_feature);
    function.removeFnAttr("stack-protector-buffer-size");
  }
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine, const Input& input) {
  llvm::PassBuilder builder(&machine);
  // Built-in functions are in place before anything else looks: a work-item's number that the source takes
  // for an int is then computed as one, and not in 64 bits of which half are masked away.
  const bool is_1x = input.device.is_1x();
  builder.registerPipelineStartEPCallback([is_1x](llvm::ModulePassManager& passes, auto...) {
    if (is_1x) passes.addPass(SoftwareFloatsPass());
    passes.addPass(llvm::AlwaysInlinerPass(false));
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(
        DefineConversionsPass(DefineConversionsPass::Casts::instructions)));
    if (is_1x) add_shared_order(passes, false);
  });
  builder.registerOptimizerLastEPCallback([is_1x](llvm::ModulePassManager& passes, auto...) {
    if (is_1x) passes.addPass(SoftwareFmaPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(LowerConversionsPass()));
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(WideCopiesPass()));
    if (!is_1x) passes.addPass(llvm::createModuleToFunctionPassAdaptor(UniformLoadsPass()));
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
  const uint32_t level = input.options.settings.optimization;
  const llvm::OptimizationLevel& chosen = level == 0   ? llvm::OptimizationLevel::O1
                                          : level == 1 ? llvm::OptimizationLevel::O1
                                          : level == 2 ? llvm::OptimizationLevel::O2
                                                       : llvm::OptimizationLevel::O3;
  builder.buildPerModuleDefaultPipeline(chosen).run(module, modules);
}

std::string undefined_names(const llvm::Module& module) {
  std::string text;
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty()) continue;
    const llvm::StringRef name = function.getName();
    if (name.starts_with("__nv_") || name == "vprintf" || name == "__heddle_vprintf") continue;
    text += "error: undefined reference to '" + name.str() + "'\n";
  }
  return text;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  return line;
}

// For OpenCL's driver LLVM writes no linkage (PTX ISA 11.6); loaders look for what is visible.
std::string with_linkage(std::string_view ptx) {
  std::string out;
  out.reserve(ptx.size() + 256);
  while (!ptx.empty()) {
    const std::string_view rest = ptx, line = take_line(ptx);
    if (line.starts_with(".entry")) out += ".visible ";
    // A function without a body ends at a ; of its own line, before anything opens.
    if (line.starts_with(".func")) {
      const std::size_t stop = rest.find_first_of("{;");
      if (stop != std::string_view::npos && rest[stop] == ';') out += ".extern ";
    }
    out += line;
  }
  return out;
}

// LLVM numbers calls over the whole process, in comments: without them a program's binary does not depend on
// what was built before. They go last, since lower_to_1x() finds calls by them.
std::string without_call_numbers(std::string_view ptx) {
  std::string out;
  out.reserve(ptx.size());
  while (!ptx.empty()) {
    const std::string_view line = take_line(ptx);
    const std::size_t number = line.find(" // callseq ");
    out += line.substr(0, number);
    if (number != std::string_view::npos) out += '\n';
  }
  return out;
}

void finish(const Input& input, llvm::Module& module, OpenClResult& result) {
  const OpenClSettings& settings = input.options.settings;
  const auto machine = machine_of(input);
  if (machine == nullptr) {
    result.status = OpenClStatus::no_compiler;
    result.log += "LLVM has no code generator for PTX\n";
    return;
  }
  module.setTargetTriple(triple);
  module.setDataLayout(machine->createDataLayout());
  if (const std::string cycles = opencl::recursion_of(module); !cycles.empty()) {
    result.log += cycles;
    return;
  }
  opencl::split_called_kernels(module);
  result.kernels = opencl::describe_kernels(module, settings.argument_info);
  opencl::pass_byte_pairs_as_words(module);
  llvm::internalizeModule(module, [](const llvm::GlobalValue& value) {
    const auto* function = llvm::dyn_cast<llvm::Function>(&value);
    return function != nullptr && function->getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
  });
  opencl::lower_printf(module);
  if (const std::string problem = opencl::define_builtins(module, input.device.is_1x()); !problem.empty()) {
    result.log += "error: " + problem + "\n";
    return;
  }
  const std::string samplers = opencl::lower_samplers(module);
  if (const std::string missing = undefined_names(module); !missing.empty()) {
    result.log += missing;
    return;
  }
  set_processor(module, input);
  annotate(module, result.kernels, settings.most_registers);
  optimize(module, *machine, input);
  llvm::SmallString<0> text;
  {
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    passes.add(llvm::createTargetTransformInfoWrapperPass(machine->getTargetIRAnalysis()));
    if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile, true)) {
      result.log += "error: LLVM cannot write PTX\n";
      return;
    }
    passes.run(module);
  }
  std::string ptx = with_linkage(std::string_view(text.data(), text.size()));
  if (!samplers.empty()) {
    const std::size_t header = ptx.find(".address_size");
    if (header != std::string::npos) ptx.insert(ptx.find('\n', header) + 1, "\n" + samplers);
  }
  if (input.device.is_1x()) drop_shared_order(ptx);
  auto finished = finish_ptx(input.device, std::move(ptx));
  if (!finished) {
    result.log += "error: " + finished.error().message + "\n";
    return;
  }
  result.ptx = without_call_numbers(*finished) + opencl::write_kernels(result.kernels);
  result.status = OpenClStatus::ok;
}

std::string bitcode_of(const llvm::Module& module) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return std::string(bytes);
}

// What compile, link and build have in common: options, target, a guard around the work.
template <class Work>
OpenClResult run(const OpenClTarget& target, std::string_view options, Work&& work) {
  OpenClResult result;
  auto read = opencl::read_options(options);
  if (!read) {
    result.status = OpenClStatus::invalid_options;
    result.log = "error: " + read.error().message + "\n";
    return result;
  }
  result.settings = read->settings;
  const auto device = find_target(target.capability);
  const auto resources = resource_directory();
  if (!device || !resources) {
    result.status = OpenClStatus::no_compiler;
    result.log = device ? resources.error().message + "\n"
                        : "clang knows no compute capability '" + target.capability + "'\n";
    return result;
  }
  bool refused = false;
  const auto failure = guarded([&] {
    prepare_llvm();
    llvm::LLVMContext context;
    context.setDiagnosticHandler(std::make_unique<opencl::Messages>(result.log, refused));
    work(Input{target, *device, *read, *resources}, context, result);
  });
  if (refused) {
    result.status = OpenClStatus::failed;
    result.ptx.clear();
    result.object.clear();
  }
  if (failure) {
    result.status = OpenClStatus::failed;
    result.log += "error: the compiler failed: " + *failure + "\n";
    result.ptx.clear();
  }
  return result;
}

}  // namespace

OpenClResult compile_opencl(const OpenClTarget& target, std::string_view source,
                            std::span<const OpenClHeader> headers, std::string_view options) {
  return run(target, options, [&](const Input& input, llvm::LLVMContext& context, OpenClResult& result) {
    const auto module = compile_source(input, source, headers, context, result);
    if (module == nullptr) return;
    result.object = bitcode_of(*module);
    result.kernels = opencl::describe_kernels(*module, input.options.settings.argument_info);
    result.status = OpenClStatus::ok;
  });
}

OpenClResult build_opencl(const OpenClTarget& target, std::string_view source, std::string_view options) {
  return run(target, options, [&](const Input& input, llvm::LLVMContext& context, OpenClResult& result) {
    const auto module = compile_source(input, source, {}, context, result);
    if (module != nullptr) finish(input, *module, result);
  });
}

OpenClResult link_opencl(const OpenClTarget& target, std::span<const std::string> objects,
                         std::string_view options) {
  return run(target, options, [&](const Input& input, llvm::LLVMContext& context, OpenClResult& result) {
    auto program = std::make_unique<llvm::Module>("program", context);
    program->setTargetTriple(triple);
    llvm::Linker linker(*program);
    for (std::size_t i = 0; i < objects.size(); ++i) {
      auto parsed = llvm::parseBitcodeFile(llvm::MemoryBufferRef(objects[i], "object"), context);
      if (!parsed) {
        llvm::consumeError(parsed.takeError());
        result.log += "error: object " + std::to_string(i) + " is damaged\n";
        return;
      }
      if (i == 0) program->setDataLayout((*parsed)->getDataLayout());
      std::string twice;
      for (const llvm::Function& function : **parsed)
        if (const llvm::Function* there = program->getFunction(function.getName());
            !function.isDeclaration() && !function.hasLocalLinkage() && there != nullptr &&
            !there->isDeclaration())
          twice += "error: '" + function.getName().str() + "' is defined in two objects\n";
      if (!twice.empty()) {
        result.log += twice;
        return;
      }
      if (linker.linkInModule(std::move(*parsed))) {
        result.log += "error: object " + std::to_string(i) + " cannot be linked\n";
        return;
      }
    }
    if (input.options.settings.create_library) {
      (void)program->getOrInsertNamedMetadata(library_mark);
      result.object = bitcode_of(*program);
      result.status = OpenClStatus::ok;
    } else {
      finish(input, *program, result);
    }
  });
}

OpenClObject kind_of_object(std::string_view bytes) {
  OpenClObject kind = OpenClObject::damaged;
  (void)guarded([&] {
    llvm::LLVMContext context;
    const llvm::StringRef text(bytes.data(), bytes.size());
    auto module = llvm::parseBitcodeFile(llvm::MemoryBufferRef(text, "object"), context);
    if (!module)
      llvm::consumeError(module.takeError());
    else
      kind =
          (*module)->getNamedMetadata(library_mark) != nullptr ? OpenClObject::library : OpenClObject::object;
  });
  return kind;
}

std::string opencl_compiler_version() { return std::string(version()) + ", clang " CLANG_VERSION_STRING; }

}  // namespace heddle::frontend
