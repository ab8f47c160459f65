#include "frontend/beginning.h"

#include <algorithm>

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/HeaderSearchOptions.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "clang/Serialization/ASTWriter.h"
#include "clang/Serialization/PCHContainerOperations.h"

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

class MakeBeginning : public clang::ASTFrontendAction {
 public:
  explicit MakeBeginning(std::string& out) : out_(out) {}

  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  bool hasASTFileSupport() const override { return false; }

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getLangOpts().CompilingPCH = true;
    // What the headers instantiate is a third of a short program's time, if each does it again.
    compiler.getLangOpts().PCHInstantiateTemplates = true;
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
    if (buffer_->IsComplete) out_.assign(buffer_->Data.data(), buffer_->Data.size());
  }

 private:
  std::string& out_;
  std::shared_ptr<clang::PCHBuffer> buffer_;
};

}  // namespace

std::unique_ptr<clang::FrontendAction> make_beginning(std::string& out) {
  return std::make_unique<MakeBeginning>(out);
}

void without_modules(clang::CompilerInvocation& invocation) {
  invocation.getLangOpts().CPlusPlusModules = false;
  invocation.getLangOpts().Modules = false;
}

void use_beginning(clang::CompilerInvocation& invocation) {
  clang::PreprocessorOptions& options = invocation.getPreprocessorOpts();
  std::erase(options.Includes, wrapper);
  options.ImplicitPCHInclude = beginning_path;
  // Else a header of the system could change unseen.
  invocation.getHeaderSearchOpts().ModulesValidateSystemHeaders = true;
}

}  // namespace heddle::frontend
