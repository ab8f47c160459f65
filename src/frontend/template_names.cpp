// `Cast<A, B>::apply<n>(x)` in a template, without the keyword that C++ wants before `apply`: nvcc reads the
// bodies of templates again when it instantiates them, so it knows what Cast<A, B>::apply is; programs rely
// on that. Here the class's general definition is asked: a name that is a function template there is taken
// for one. Everything else stays as clang has it. The linker puts this function in the place of clang's
// (cmake/externals.cmake).
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Type.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Sema/DeclSpec.h"
#include "clang/Sema/Sema.h"
#include "llvm/ADT/STLExtras.h"

#define HEDDLE_IS_TEMPLATE_NAME                                                                      \
  "_ZN5clang4Sema14isTemplateNameEPNS_5ScopeERNS_12CXXScopeSpecEbRKNS_13UnqualifiedIdENS_9OpaquePtr" \
  "INS_8QualTypeEEEbRNS8_INS_12TemplateNameEEERbb"

namespace {

using Template = clang::Sema::TemplateTy;

// What a class whose template arguments are not known yet is made from.
const clang::CXXRecordDecl* general_definition(clang::QualType type) {
  if (type.isNull()) return nullptr;
  const clang::QualType plain = type.getCanonicalType();
  if (const auto* self = plain->getAs<clang::InjectedClassNameType>())
    return self->getDecl()->getDefinition();
  const auto* special = plain->getAs<clang::TemplateSpecializationType>();
  if (special == nullptr) return nullptr;
  const auto* made_from =
      llvm::dyn_cast_or_null<clang::ClassTemplateDecl>(special->getTemplateName().getAsTemplateDecl());
  return made_from == nullptr ? nullptr : made_from->getTemplatedDecl()->getDefinition();
}

bool is_function_template(clang::QualType type, const clang::UnqualifiedId& name) {
  if (name.getKind() != clang::UnqualifiedIdKind::IK_Identifier) return false;
  const clang::CXXRecordDecl* definition = general_definition(type);
  return definition != nullptr && llvm::any_of(definition->lookup(name.Identifier), [](const auto* found) {
           return llvm::isa<clang::FunctionTemplateDecl>(found->getUnderlyingDecl());
         });
}

}  // namespace

clang::TemplateNameKind clang_is_template_name(clang::Sema* sema, clang::Scope* scope,
                                               clang::CXXScopeSpec& where, bool has_keyword,
                                               const clang::UnqualifiedId& name, clang::ParsedType object,
                                               bool entering, Template& found, bool& unknown,
                                               bool disambiguation)  //
    __asm__("__real_" HEDDLE_IS_TEMPLATE_NAME);

clang::TemplateNameKind heddle_is_template_name(clang::Sema* sema, clang::Scope* scope,
                                                clang::CXXScopeSpec& where, bool has_keyword,
                                                const clang::UnqualifiedId& name, clang::ParsedType object,
                                                bool entering, Template& found, bool& unknown,
                                                bool disambiguation)  //
    __asm__("__wrap_" HEDDLE_IS_TEMPLATE_NAME);

clang::TemplateNameKind heddle_is_template_name(clang::Sema* sema, clang::Scope* scope,
                                                clang::CXXScopeSpec& where, bool has_keyword,
                                                const clang::UnqualifiedId& name, clang::ParsedType object,
                                                bool entering, Template& found, bool& unknown,
                                                bool disambiguation) {
  const clang::TemplateNameKind kind = clang_is_template_name(sema, scope, where, has_keyword, name, object,
                                                              entering, found, unknown, disambiguation);
  if (kind != clang::TNK_Non_template || !unknown || has_keyword || !sema->getLangOpts().CUDA) return kind;
  clang::QualType type;
  if (object) {
    type = object.get();
  } else if (where.isValid() && where.getScopeRep() != nullptr) {
    type = clang::QualType(where.getScopeRep()->getAsType(), 0);
  }
  if (!is_function_template(type, name)) return kind;
  unknown = false;
  return sema->ActOnTemplateName(scope, where, name.getBeginLoc(), name, object, entering, found);
}
