#include "frontend/action.h"

#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/FrontendActions.h"

namespace heddle::frontend {

std::unique_ptr<clang::FrontendAction> action_for(const clang::FrontendOptions& options) {
  using namespace clang::frontend;
  switch (options.ProgramAction) {
    case EmitAssembly: return std::make_unique<clang::EmitAssemblyAction>();
    case EmitBC: return std::make_unique<clang::EmitBCAction>();
    case EmitLLVM: return std::make_unique<clang::EmitLLVMAction>();
    case EmitObj: return std::make_unique<clang::EmitObjAction>();
    case GeneratePCH: return std::make_unique<clang::GeneratePCHAction>();
    case ParseSyntaxOnly: return std::make_unique<clang::SyntaxOnlyAction>();
    case PrintPreprocessedInput: return std::make_unique<clang::PrintPreprocessedAction>();
    case RunPreprocessorOnly: return std::make_unique<clang::PreprocessOnlyAction>();
    default: return nullptr;
  }
}

}  // namespace heddle::frontend
