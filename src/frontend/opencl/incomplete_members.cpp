// A structure that has itself as a member is an error, which clang reports; but where it is a kernel's
// parameter, clang then looks through its members for pointers, and never comes to an end. So a member whose
// type is not complete becomes an int once the error is out. The linker puts this function in the place of
// clang's (cmake/externals.cmake).
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Sema/Sema.h"

extern "C" {

void __real__ZN5clang4Sema24ActOnTagFinishDefinitionEPNS_5ScopeEPNS_4DeclENS_11SourceRangeE(  // NOLINT
    clang::Sema* sema, clang::Scope* scope, clang::Decl* tag, clang::SourceRange braces);

void __wrap__ZN5clang4Sema24ActOnTagFinishDefinitionEPNS_5ScopeEPNS_4DeclENS_11SourceRangeE(  // NOLINT
    clang::Sema* sema, clang::Scope* scope, clang::Decl* tag, clang::SourceRange braces) {
  __real__ZN5clang4Sema24ActOnTagFinishDefinitionEPNS_5ScopeEPNS_4DeclENS_11SourceRangeE(sema, scope, tag,
                                                                                         braces);
  const auto* record = llvm::dyn_cast_or_null<clang::RecordDecl>(tag);
  if (record == nullptr || !sema->getLangOpts().OpenCL || !record->isInvalidDecl()) return;
  for (clang::FieldDecl* field : record->fields())
    if (field->isInvalidDecl()) field->setType(sema->getASTContext().IntTy);
}

}  // extern "C"
