// `__shared__ Tile tile;` in a function, where Tile has a constructor that does something: nvcc leaves the
// constructor out and warns (#20054-D), unless all it would do is to store constants; programs rely on it,
// who construct in the memory later (cuda::barrier and its init). clang refuses, though it would leave it out
// as well. An initializer that is written stays an error, as with nvcc. The linker puts this function in the
// place of clang's (cmake/externals.cmake).
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"

namespace {

using Rules = clang::SemaCUDA;

// The constructor that is called since nothing else is said.
const clang::CXXConstructExpr* unwritten_initializer(const clang::VarDecl& variable) {
  if (variable.getInitStyle() != clang::VarDecl::CallInit) return nullptr;
  const auto* call = llvm::dyn_cast<clang::CXXConstructExpr>(variable.getInit()->IgnoreImplicit());
  return call != nullptr && call->getParenOrBraceRange().isInvalid() ? call : nullptr;
}

bool is_left_out(const clang::VarDecl& variable) {
  if (variable.isInvalidDecl() || !variable.hasInit() || !variable.isStaticLocal()) return false;
  return variable.hasAttr<clang::CUDASharedAttr>() && unwritten_initializer(variable) != nullptr;
}

}  // namespace

extern "C" {

void __real__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE(  // NOLINT: the linker's name
    Rules* rules, clang::VarDecl* variable);

void __wrap__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE(  // NOLINT: the linker's name
    Rules* rules, clang::VarDecl* variable) {
  const auto* function = llvm::dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
  const bool is_template = function != nullptr && function->isDependentContext();
  if (is_template || !is_left_out(*variable))
    return __real__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE(rules, variable);
  // A trivial constructor does nothing; clang calls it constant only where the destructor is trivial too.
  if (unwritten_initializer(*variable)->getConstructor()->isTrivial()) return;
  if (variable->getInit()->isConstantInitializer(rules->getASTContext(), /*ForRef=*/false)) return;
  clang::DiagnosticsEngine& diagnostics = rules->SemaRef.getDiagnostics();
  // Options know nothing of warnings that are not clang's own.
  if (diagnostics.getIgnoreAllWarnings()) return;
  const unsigned warning = diagnostics.getCustomDiagID(
      diagnostics.getWarningsAsErrors() ? clang::DiagnosticsEngine::Error : clang::DiagnosticsEngine::Warning,
      "the constructor of the __shared__ variable %0 is not called: dynamic "
      "initialization is not supported for __shared__ variables");
  diagnostics.Report(variable->getLocation(), warning) << variable;
}

}  // extern "C"
