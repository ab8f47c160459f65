#include <optional>

#include "clang/Basic/Diagnostic.h"
#include "clang/CodeGen/ObjectFilePCHContainerOperations.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Driver/Options.h"
#include "clang/Driver/Tool.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "frontend/action.h"
#include "frontend/back_end.h"
#include "frontend/beginning.h"
#include "frontend/clang.h"
#include "frontend/cuda_warnings.h"
#include "frontend/demotion.h"
#include "frontend/device_declarations.h"
#include "frontend/device_launch.h"
#include "frontend/file_names.h"
#include "frontend/guard.h"
#include "frontend/inline_all.h"
#include "frontend/integer_conversions.h"
#include "frontend/kernel_directives.h"
#include "frontend/launch_brackets.h"
#include "frontend/long_doubles.h"
#include "frontend/messages.h"
#include "frontend/other_side.h"
#include "frontend/precision.h"
#include "frontend/session.h"
#include "frontend/shared_order.h"
#include "frontend/software_floats.h"
#include "frontend/static_variables.h"
#include "frontend/uniform_loads.h"
#include "frontend/unit_names.h"
#include "frontend/wide_copies.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"

namespace heddle::frontend {

namespace {

// One compilation. Everything that clang allocates is freed with it.
class Run {
 public:
  Run(const Job& job, std::string resources) : job_(job), resources_(std::move(resources)) {
    std::unique_ptr<llvm::vfs::FileSystem> disk = llvm::vfs::createPhysicalFileSystem();
    // Where the process is may be gone, which LLVM's layers do not expect.
    if (!job.directory.empty())
      disk->setCurrentWorkingDirectory(job.directory);
    else if (!disk->getCurrentWorkingDirectory())
      disk->setCurrentWorkingDirectory("/");
    auto overlay = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(disk));
    if (!job.files.empty() || job.beginning != nullptr) {
      auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
      if (const auto directory = overlay->getCurrentWorkingDirectory())
        memory->setCurrentWorkingDirectory(*directory);
      for (const MemoryFile& file : job.files)
        memory->addFile(file.path, 0, llvm::MemoryBuffer::getMemBuffer(file.content, file.path, false));
      const auto add = [&](const char* path, std::string_view content) {
        memory->addFile(path, 0, llvm::MemoryBuffer::getMemBuffer(content, path, false));
      };
      if (job.beginning != nullptr) {
        add(beginning_path, job.beginning->parsed);
        add(beginning_source, job.beginning->lines);
      }
      overlay->pushOverlay(memory);
    }
    files_ = overlay;
  }

  // clang's driver turns what people write into the arguments of its compiler proper.
  std::optional<std::vector<std::string>> arguments(Product& product) {
    // The driver finds what belongs to it from where it would be installed.
    const std::string program = resources_ + "/../../../bin/clang++";
    std::vector<const char*> words{program.c_str()};
    for (const std::string& argument : job_.arguments)
      if (!warnings_.take(argument)) words.push_back(argument.c_str());
    const llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(
        clang::CreateAndPopulateDiagOpts(words).release());
    Collector collector(options.get(), product.diagnostics);
    clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, options, &collector, false);
    clang::ProcessWarningOptions(diagnostics, *options, false);
    clang::driver::Driver driver(program, llvm::sys::getDefaultTargetTriple(), diagnostics, "clang", files_);
    driver.ResourceDir = resources_;
    const std::unique_ptr<clang::driver::Compilation> plan(driver.BuildCompilation(words));
    if (!plan || diagnostics.hasErrorOccurred() || plan->containsError()) return std::nullopt;
    const clang::driver::Command* command = nullptr;
    for (const clang::driver::Command& step : plan->getJobs()) {
      const bool compiler = !step.getArguments().empty() && llvm::StringRef(step.getArguments()[0]) == "-cc1";
      if (!compiler || command != nullptr) {
        product.failure = "these arguments ask for more than one compilation";
        return std::nullopt;
      }
      command = &step;
    }
    if (command == nullptr) {
      product.failure = "these arguments ask for no compilation";
      return std::nullopt;
    }
    return std::vector<std::string>(command->getArguments().begin() + 1, command->getArguments().end());
  }

  // `beginning`: the source is parsed to it.
  void compile(Product& product, Beginning* beginning) {
    const std::optional<std::vector<std::string>> words = arguments(product);
    if (!words) return;
    std::vector<const char*> pointers;
    for (const std::string& word : *words) pointers.push_back(word.c_str());

    clang::CompilerInstance compiler;
    llvm::raw_string_ostream log(product.log);
    compiler.setVerboseOutputStream(log);
    {
      const llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> options(new clang::DiagnosticOptions);
      Collector collector(options.get(), product.diagnostics);
      clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, options, &collector, false);
      if (!clang::CompilerInvocation::CreateFromArgs(compiler.getInvocation(), pointers, diagnostics)) return;
    }
    clang::CompilerInvocation& invocation = compiler.getInvocation();
    invocation.getFrontendOpts().DisableFree = false;
    invocation.getCodeGenOpts().DisableFree = false;
    no_comments_with_new_lines(invocation);
    // Without it clang counts its errors at the end, which is the caller's to do.
    const llvm::IntrusiveRefCntPtr<clang::DiagnosticOptions> shown(
        new clang::DiagnosticOptions(invocation.getDiagnosticOpts()));
    invocation.getDiagnosticOpts().ShowCarets = false;
    // What becomes arithmetic of floats is that, before their precision is looked at.
    if (job_.is_1x) add_passes_of_1x(invocation.getCodeGenOpts(), job_.has_doubles);
    if (!job_.precision.is_default()) add_precision(invocation.getCodeGenOpts());
    if (job_.keeps_shared_order) keep_shared_order(invocation.getCodeGenOpts());
    const clang::LangOptions& language = invocation.getLangOpts();
    if (!language.CUID.empty()) add_unit_names(invocation.getCodeGenOpts(), language);
    // Behind those that name kernels.
    if (language.CUDAIsDevice) {
      invocation.getCodeGenOpts().StrictFloatCastOverflow = false;  // for DefineConversionsPass
      add_device_passes(invocation.getCodeGenOpts());
    }
    if (language.CUDA && !language.CUDAIsDevice) add_host_passes(invocation.getCodeGenOpts());
    if (language.CUDA) mend_launches(invocation);
    // All, so that no object tells whether there was a beginning.
    if (language.CUDA) without_modules(invocation);
    if (job_.beginning != nullptr) use_beginning(compiler);

    Collector collector(shown.get(), product.diagnostics);
    compiler.createDiagnostics(&collector, false);
    compiler.createFileManager(files_);
    llvm::SmallString<0> output;
    if (job_.to_memory) compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(output));
    std::unique_ptr<clang::FrontendAction> action =
        beginning != nullptr ? make_beginning(*beginning) : action_for(invocation.getFrontendOpts());
    if (!action) {
      product.failure = "these arguments ask for something else than a compilation";
      return;
    }
    // What only preprocesses hands pragmas on.
    if (language.CUDA && beginning == nullptr && !action->usesPreprocessorOnly())
      action = with_messages(std::move(action), warnings_);
    product.ok = compiler.ExecuteAction(*action) && !compiler.getDiagnostics().hasErrorOccurred();
    product.stale_beginning = job_.beginning != nullptr && collector.stale();
    if (beginning != nullptr) return;
    product.output = add_directives(std::string(output), directives_);
    if (language.CUDAIsDevice) drop_escapes_of_files(product.output);
    if (job_.keeps_shared_order) drop_shared_order(product.output);
  }

 private:
  void add_precision(clang::CodeGenOptions& options) const {
    options.PassBuilderCallbacks.emplace_back([precision = job_.precision](llvm::PassBuilder& builder) {
      builder.registerOptimizerLastEPCallback([precision](llvm::ModulePassManager& passes, auto...) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(PrecisionPass(precision)));
      });
    });
  }

  // Constants come to be while functions are put in where they are called.
  static void add_host_passes(clang::CodeGenOptions& options) {
    options.PassBuilderCallbacks.emplace_back([](llvm::PassBuilder& builder) {
      builder.registerPipelineStartEPCallback(
          [](llvm::ModulePassManager& passes, auto...) { passes.addPass(OtherSidePass()); });
      builder.registerPeepholeEPCallback(
          [](llvm::FunctionPassManager& passes, auto...) { passes.addPass(LongDoublesPass()); });
    });
  }

  void add_device_passes(clang::CodeGenOptions& options) {
    options.PassBuilderCallbacks.emplace_back([this](llvm::PassBuilder& builder) {
      builder.registerPipelineStartEPCallback([this](llvm::ModulePassManager& passes, auto...) {
        passes.addPass(llvm::createModuleToFunctionPassAdaptor(
            DefineConversionsPass(DefineConversionsPass::Casts::intrinsics)));
        passes.addPass(OtherSidePass());
        passes.addPass(DeviceDeclarationsPass());
        passes.addPass(StaticVariablesPass());
        passes.addPass(DeviceLaunchPass());
        passes.addPass(KernelDirectivesPass(directives_));
      });
      builder.registerOptimizerLastEPCallback(
          [is_1x = job_.is_1x](llvm::ModulePassManager& passes, llvm::OptimizationLevel level, auto...) {
            if (level != llvm::OptimizationLevel::O0) add_alignments(passes);
            passes.addPass(llvm::createModuleToFunctionPassAdaptor(LowerConversionsPass()));
            passes.addPass(llvm::createModuleToFunctionPassAdaptor(WideCopiesPass()));
            if (!is_1x) passes.addPass(llvm::createModuleToFunctionPassAdaptor(UniformLoadsPass()));
            passes.addPass(BackEndPass());
          });
    });
  }

  // Only of a variable whose space is known its alignment is, and what joins neighbouring accesses asks each
  // for its own, after loops have been rewritten.
  static void add_alignments(llvm::ModulePassManager& passes) {
    llvm::FunctionPassManager each;
    each.addPass(llvm::InferAddressSpacesPass());
    each.addPass(llvm::InferAlignmentPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(each)));
  }

  static void add_passes_of_1x(clang::CodeGenOptions& options, bool has_doubles) {
    options.PassBuilderCallbacks.emplace_back([has_doubles](llvm::PassBuilder& builder) {
      builder.registerPipelineStartEPCallback([has_doubles](llvm::ModulePassManager& passes, auto...) {
        if (!has_doubles) passes.addPass(DemoteCallsPass());
        passes.addPass(SoftwareFloatsPass());
        passes.addPass(InlineAllPass());
        passes.addPass(llvm::AlwaysInlinerPass());
        passes.addPass(llvm::GlobalDCEPass());
      });
      builder.registerOptimizerLastEPCallback([has_doubles](llvm::ModulePassManager& passes, auto...) {
        if (!has_doubles) passes.addPass(DemoteArithmeticPass());
        passes.addPass(SoftwareFmaPass());
      });
    });
  }

  // Behind the passes of 1.x, which inline all.
  void keep_shared_order(clang::CodeGenOptions& options) const {
    options.PassBuilderCallbacks.emplace_back([generic = !job_.is_1x](llvm::PassBuilder& builder) {
      builder.registerPipelineStartEPCallback(
          [generic](llvm::ModulePassManager& passes, auto...) { add_shared_order(passes, generic); });
    });
  }

  void mend_launches(clang::CompilerInvocation& invocation) const {
    const auto& inputs = invocation.getFrontendOpts().Inputs;
    if (inputs.size() != 1 || !inputs[0].isFile() || inputs[0].getFile() == "-") return;
    const llvm::StringRef path = inputs[0].getFile();
    const auto source = files_->getBufferForFile(path);
    if (!source) return;  // clang will say so
    const std::optional<std::string> mended = with_whole_launch_brackets((*source)->getBuffer());
    if (mended)
      invocation.getPreprocessorOpts().addRemappedFile(
          path, llvm::MemoryBuffer::getMemBufferCopy(*mended, path).release());
  }

  static void add_unit_names(clang::CodeGenOptions& options, const clang::LangOptions& language) {
    const UnitNamesPass pass(language.CUID, language.CUDAIsDevice);
    options.PassBuilderCallbacks.emplace_back([pass](llvm::PassBuilder& builder) {
      builder.registerPipelineStartEPCallback(
          [pass](llvm::ModulePassManager& passes, auto) { passes.addPass(UnitNamesPass(pass)); });
    });
  }

  const Job& job_;
  std::string resources_;
  CudaWarnings warnings_;
  std::vector<KernelDirective> directives_;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files_;
};

Product run(const Job& job, Beginning* beginning) {
  Product product;
  Result<std::string> resources = resource_directory();
  if (!resources) {
    product.failure = resources.error().message;
    return product;
  }
  const auto failure = guarded([&] {
    prepare_llvm();
    Run(job, *resources).compile(product, beginning);
  });
  if (failure) {
    product.ok = false;
    product.failure = *failure;
  }
  return product;
}

Job of_beginning(const Job& job, const std::string& lines) {
  Job own = job;
  own.arguments.emplace_back(beginning_source);
  own.files.push_back({beginning_source, lines});
  return own;
}

}  // namespace

Product compile(const Job& job) { return run(job, nullptr); }

std::optional<Beginning> precompile(const Job& job, const std::string& lines) {
  Beginning own;
  own.lines = lines;
  const Product product = run(of_beginning(job, lines), &own);
  if (!product.ok || own.parsed.empty()) return std::nullopt;
  return own;
}

Result<std::vector<std::string>> beginning_command(const Job& job) {
  Result<std::string> resources = resource_directory();
  if (!resources) return resources.error();
  const Job own = of_beginning(job, "");
  Product product;
  std::optional<std::vector<std::string>> words;
  const auto failure = guarded([&] {
    prepare_llvm();
    words = Run(own, *resources).arguments(product);
  });
  if (failure) return Error{*failure};
  if (words) {
    std::erase_if(*words, [](const std::string& word) {
      return word.starts_with("-fdebug-compilation-dir=") || word.starts_with("-fcoverage-compilation-dir=");
    });
    return std::move(*words);
  }
  std::string message = product.failure;
  for (const std::string& text : product.diagnostics) message += text;
  return Error{message};
}

bool knows_option(std::string_view argument) {
  const llvm::opt::OptTable& table = clang::driver::getDriverOptTable();
  unsigned missing_index = 0, missing_count = 0;
  const std::string text(argument);
  const char* words[] = {text.c_str()};
  const llvm::opt::InputArgList parsed = table.ParseArgs(
      words, missing_index, missing_count, llvm::opt::Visibility(clang::driver::options::ClangOption));
  return !parsed.hasArg(clang::driver::options::OPT_UNKNOWN);
}

}  // namespace heddle::frontend
