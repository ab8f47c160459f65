// What a closure was written as (CUDA C++ Programming Guide, "Extended Lambda Type Traits"): libraries choose
// by it where to run one (CCCL's cudax). Headers ask whether the closure is the same type as a mark
// (include/crt/wrapper_end.h), in a template, and this function answers for the marks; the linker puts it in
// the place of clang's (cmake/externals.cmake).
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/TypeTraits.h"
#include "clang/Sema/Sema.h"

namespace {

using Types = llvm::ArrayRef<clang::TypeSourceInfo*>;

template <class Attribute>
bool is_written(const clang::FunctionDecl& function) {
  const auto* attribute = function.getAttr<Attribute>();
  return attribute != nullptr && !attribute->isImplicit();
}

// A lambda in a function of the host's side that says __device__, or both sides.
bool is_extended(const clang::CXXRecordDecl* closure, bool for_both_sides) {
  if (closure == nullptr || !closure->isLambda()) return false;
  const auto* around = llvm::dyn_cast_or_null<clang::FunctionDecl>(closure->getParentFunctionOrMethod());
  if (around == nullptr || around->hasAttr<clang::CUDAGlobalAttr>()) return false;
  if (around->hasAttr<clang::CUDADeviceAttr>() && !around->hasAttr<clang::CUDAHostAttr>()) return false;
  const clang::CXXMethodDecl* call = closure->getLambdaCallOperator();
  return call != nullptr && is_written<clang::CUDADeviceAttr>(*call) &&
         is_written<clang::CUDAHostAttr>(*call) == for_both_sides;
}

}  // namespace

#define HEDDLE_BUILD_TYPE_TRAIT                                                           \
  "_ZN5clang4Sema14BuildTypeTraitENS_9TypeTraitENS_14SourceLocationEN4llvm8ArrayRefIPNS_" \
  "14TypeSourceInfoEEES2_"

clang::ExprResult clang_build_type_trait(
    clang::Sema* rules, clang::TypeTrait trait, clang::SourceLocation place, Types types,
    clang::SourceLocation end) __asm__("__real_" HEDDLE_BUILD_TYPE_TRAIT);

clang::ExprResult heddle_build_type_trait(
    clang::Sema* rules, clang::TypeTrait trait, clang::SourceLocation place, Types types,
    clang::SourceLocation end) __asm__("__wrap_" HEDDLE_BUILD_TYPE_TRAIT);

clang::ExprResult heddle_build_type_trait(clang::Sema* rules, clang::TypeTrait trait,
                                          clang::SourceLocation place, Types types,
                                          clang::SourceLocation end) {
  if (trait == clang::BTT_IsSame && types.size() == 2) {
    const clang::CXXRecordDecl* mark = types[1]->getType()->getAsCXXRecordDecl();
    const bool both = mark != nullptr && mark->getName() == "heddle_host_device_lambda";
    const bool device = mark != nullptr && mark->getName() == "heddle_device_lambda";
    // The mark is itself, and no closure is it.
    clang::TypeSourceInfo* const yes[] = {types[1], types[1]};
    if ((both || device) && is_extended(types[0]->getType()->getAsCXXRecordDecl(), both))
      return clang_build_type_trait(rules, trait, place, yes, end);
  }
  return clang_build_type_trait(rules, trait, place, types, end);
}
