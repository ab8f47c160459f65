// Launches in device code (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism"): clang parses them, knows
// how to build them, and refuses them, because nothing of its own could run them. So the two functions that
// refuse are ours; the linker puts them in the place of clang's (cmake/externals.cmake). What becomes of an
// allowed launch: device_launch.h. The same two say who may use a deduction guide: everybody.
#include <algorithm>
#include <charconv>
#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/TargetInfo.h"
#include "clang/Basic/TargetOptions.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"
#include "frontend/other_side.h"

namespace {

using Rules = clang::SemaCUDA;

// Functions for both sides (libraries have many) launch in device code where that can be; else clang
// complains only when such a function is really wanted there.
bool runs_on_device(Rules& rules, const clang::FunctionDecl* caller) {
  const clang::LangOptions& language = rules.getLangOpts();
  const clang::CUDAFunctionTarget target = rules.IdentifyTarget(caller);
  return target == clang::CUDAFunctionTarget::Global || target == clang::CUDAFunctionTarget::Device ||
         (target == clang::CUDAFunctionTarget::HostDevice && language.CUDAIsDevice &&
          language.GPURelocatableDeviceCode);
}

// A kernel, or what clang calls before it for the configuration in <<<>>>.
bool is_of_launch(Rules& rules, const clang::FunctionDecl* callee) {
  return callee->hasAttr<clang::CUDAGlobalAttr>() ||
         callee == rules.getASTContext().getcudaConfigureCallDecl();
}

// A deduction guide, which no side runs: clang takes one without attributes for the host's.
bool is_guide(const clang::FunctionDecl* callee) { return llvm::isa<clang::CXXDeductionGuideDecl>(callee); }

constexpr unsigned first_with_launches = 35;

// 35 of "sm_35", the architecture that is compiled for; high for what has no number.
unsigned architecture_of(Rules& rules) {
  const std::string& name = rules.getASTContext().getTargetInfo().getTargetOpts().CPU;
  unsigned number = 0;
  const auto read =
      std::from_chars(name.data() + std::min<std::size_t>(3, name.size()), name.data() + name.size(), number);
  return read.ec == std::errc() ? number : ~0U;
}

void complain(Rules& rules, clang::SourceLocation place, const std::string& text) {
  clang::DiagnosticsEngine& diagnostics = rules.getDiagnostics();
  diagnostics.Report(place,
                     diagnostics.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Error, text));
}

}  // namespace

extern "C" {

Rules::CUDAFunctionPreference
__real__ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12FunctionDeclES3_(  // NOLINT: the linker's name
    Rules* rules, const clang::FunctionDecl* caller, const clang::FunctionDecl* callee);
bool __real__ZN5clang8SemaCUDA9CheckCallENS_14SourceLocationEPNS_12FunctionDeclE(  // NOLINT
    Rules* rules, clang::SourceLocation place, clang::FunctionDecl* callee);

// How well a caller may call: overloads are chosen by it.
Rules::CUDAFunctionPreference
__wrap__ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12FunctionDeclES3_(  // NOLINT
    Rules* rules, const clang::FunctionDecl* caller, const clang::FunctionDecl* callee) {
  if (is_guide(callee)) {
    // One of the caller's own side goes before one that is lent to it.
    const auto own =
        __real__ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12FunctionDeclES3_(rules, caller, callee);
    return std::max(own, Rules::CFP_SameSide);
  }
  if (caller != nullptr && is_of_launch(*rules, callee) && runs_on_device(*rules, caller))
    return Rules::CFP_Native;
  return __real__ZN5clang8SemaCUDA18IdentifyPreferenceEPKNS_12FunctionDeclES3_(rules, caller, callee);
}

// Whether the chosen function may be used here; complains.
bool __wrap__ZN5clang8SemaCUDA9CheckCallENS_14SourceLocationEPNS_12FunctionDeclE(  // NOLINT
    Rules* rules, clang::SourceLocation place, clang::FunctionDecl* callee) {
  if (is_guide(callee)) return true;
  const clang::FunctionDecl* caller = rules->SemaRef.getCurFunctionDecl(/*AllowLambda=*/true);
  if (heddle::frontend::takes_call_of_other_side(*rules, place, caller, callee)) return true;
  if (caller == nullptr || !is_of_launch(*rules, callee) || !runs_on_device(*rules, caller))
    return __real__ZN5clang8SemaCUDA9CheckCallENS_14SourceLocationEPNS_12FunctionDeclE(rules, place, callee);
  // As nvcc has it. Once a launch: for its configuration.
  if (rules->getLangOpts().CUDAIsDevice && architecture_of(*rules) < first_with_launches) {
    if (!callee->hasAttr<clang::CUDAGlobalAttr>()) return true;
    complain(*rules, place,
             "calling a __global__ function(\"" + callee->getNameAsString() +
                 "\") from a __device__ or __global__ function(\"" + caller->getNameAsString() +
                 "\") is only allowed on the compute_35 architecture or above");
    return false;
  }
  if (callee->hasAttr<clang::CUDAGlobalAttr>() || rules->getLangOpts().GPURelocatableDeviceCode) return true;
  complain(
      *rules, place,
      "kernel launch from __device__ or __global__ functions requires separate compilation mode (-rdc=true)");
  return false;
}

}  // extern "C"
