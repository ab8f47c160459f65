#include "frontend/beginning.h"

#include <algorithm>

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/Utils.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/PCHContainerOperations.h"
#include "llvm/ADT/StringSet.h"

namespace heddle::frontend {

namespace {

// What clang's driver has every CUDA source begin with.
constexpr char wrapper[] = "__clang_cuda_runtime_wrapper.h";

// What clang looks through at the end for errors that show only where a function is emitted. It is private,
// but to what explicitly instantiates a template ([temp.spec.general]).
using Deferred = llvm::SmallSetVector<clang::Decl*, 4>&;
Deferred deferred_of(clang::Sema& sema);
template <auto member>
struct Opened {
  friend Deferred deferred_of(clang::Sema& sema) { return sema.*member; }
};
template struct Opened<&clang::Sema::DeclsToCheckForDeferredDiags>;

// Programs do not look through the headers' own functions again: those have no errors. What a program's
// function calls is looked through from there.
class BeginningWriter : public clang::PCHGenerator {
 public:
  using clang::PCHGenerator::PCHGenerator;
  void InitializeSema(clang::Sema& sema) override {
    clang::PCHGenerator::InitializeSema(sema);
    sema_ = &sema;
  }
  void HandleTranslationUnit(clang::ASTContext& context) override {
    deferred_of(*sema_).clear();
    clang::PCHGenerator::HandleTranslationUnit(context);
  }

 private:
  clang::Sema* sema_ = nullptr;
};

// Which headers are included, and where they are found.
class HeaderList : public clang::PPCallbacks {
 public:
  explicit HeaderList(std::vector<Beginning::Header>& out) : out_(out) {}
  void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef name, bool,
                          clang::CharSourceRange, clang::OptionalFileEntryRef file, llvm::StringRef,
                          llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    if (file && seen_.insert(name).second) out_.push_back({name.str(), file->getName().str()});
  }

 private:
  std::vector<Beginning::Header>& out_;
  llvm::StringSet<> seen_;
};

// The file itself comes first, as without a beginning.
class Rules : public clang::DependencyFileGenerator {
 public:
  Rules(const clang::DependencyOutputOptions& options, llvm::StringRef input)
      : DependencyFileGenerator(options), input_(input) {}
  void attachToPreprocessor(clang::Preprocessor& preprocessor) override {
    addDependency(input_);
    DependencyFileGenerator::attachToPreprocessor(preprocessor);
  }
  void maybeAddDependency(llvm::StringRef file, bool from_module, bool is_system, bool is_module_file,
                          bool is_missing) override {
    if (file != beginning_source && file != beginning_path)
      DependencyFileGenerator::maybeAddDependency(file, from_module, is_system, is_module_file, is_missing);
  }

 private:
  std::string input_;
};

class MakeBeginning : public clang::ASTFrontendAction {
 public:
  explicit MakeBeginning(Beginning& out) : out_(out) {}

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getLangOpts().CompilingPCH = true;
    // What the headers instantiate is a third of a short program's time, if each does it again.
    compiler.getLangOpts().PCHInstantiateTemplates = true;
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<HeaderList>(out_.headers));
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    buffer_ = std::make_shared<clang::PCHBuffer>();
    return std::make_unique<BeginningWriter>(compiler.getPreprocessor(), compiler.getModuleCache(),
                                             beginning_path, "", buffer_,
                                             compiler.getFrontendOpts().ModuleFileExtensions);
  }
  void EndSourceFileAction() override {
    if (!buffer_->IsComplete) return;
    out_.memory = buffer_;
    out_.parsed = {buffer_->Data.data(), buffer_->Data.size()};
  }

 private:
  Beginning& out_;
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

}  // namespace

std::unique_ptr<clang::FrontendAction> make_beginning(Beginning& out) {
  return std::make_unique<MakeBeginning>(out);
}

void without_modules(clang::CompilerInvocation& invocation) {
  invocation.getLangOpts().CPlusPlusModules = false;
  invocation.getLangOpts().Modules = false;
}

void use_beginning(clang::CompilerInstance& compiler) {
  clang::CompilerInvocation& invocation = compiler.getInvocation();
  clang::DependencyOutputOptions& rules = invocation.getDependencyOutputOpts();
  if (const auto& inputs = invocation.getFrontendOpts().Inputs;
      !rules.OutputFile.empty() && inputs.size() == 1 && inputs[0].isFile()) {
    compiler.addDependencyCollector(std::make_shared<Rules>(rules, inputs[0].getFile()));
    rules.OutputFile.clear();
  }
  clang::PreprocessorOptions& options = invocation.getPreprocessorOpts();
  std::erase(options.Includes, wrapper);
  options.ImplicitPCHInclude = beginning_path;
  // Else a header of the system could change unseen.
  invocation.getHeaderSearchOpts().ModulesValidateSystemHeaders = true;
}

}  // namespace heddle::frontend
