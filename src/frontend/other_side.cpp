// The linker puts three functions in the place of clang's (cmake/externals.cmake).
#include "frontend/other_side.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/GlobalDecl.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#define HEDDLE_IGNORE_CALLEE "_ZN5clang4Sema29shouldIgnoreInHostDeviceCheckEPNS_12FunctionDeclE"
#define HEDDLE_ADDRESS_OF_FUNCTION                                               \
  "_ZN5clang7CodeGen13CodeGenModule17GetAddrOfFunctionENS_10GlobalDeclEPN4llvm4" \
  "TypeEbbNS0_15ForDefinition_tE"
#define HEDDLE_MAKE_FUNCTION                                                                            \
  "_ZN5clang7CodeGen13CodeGenModule23GetOrCreateLLVMFunctionEN4llvm9StringRefEPNS2_4TypeENS_10GlobalDe" \
  "clEbbbNS2_13AttributeListENS0_15ForDefinition_tE"

namespace heddle::frontend {

namespace {

using Target = clang::CUDAFunctionTarget;

// Of the callee, one for each caller: behind it the caller's name, and the call as its place.
constexpr llvm::StringRef called_by = "heddle.called_by:";
constexpr llvm::StringRef not_here = "heddle-not-here";  // of a function in LLVM

const clang::AnnotateAttr* first_call(const clang::FunctionDecl* callee) {
  for (const clang::FunctionDecl* one : callee->redecls())
    for (const auto* note : one->specific_attrs<clang::AnnotateAttr>())
      if (note->getAnnotation().starts_with(called_by)) return note;
  return nullptr;
}

void warn(const clang::FunctionDecl* callee, const clang::AnnotateAttr* call) {
  const clang::ASTContext& context = callee->getASTContext();
  clang::DiagnosticsEngine& diagnostics = context.getDiagnostics();
  // Options and system headers know nothing of warnings that are not clang's own.
  if (diagnostics.getIgnoreAllWarnings()) return;
  if (context.getSourceManager().isInSystemHeader(call->getLocation())) return;
  const unsigned warning = diagnostics.getCustomDiagID(
      diagnostics.getWarningsAsErrors() ? clang::DiagnosticsEngine::Error : clang::DiagnosticsEngine::Warning,
      "calling a %select{__device__|__host__}0 function(\"%1\") from a __host__ __device__ function(\"%2\") "
      "is "
      "not allowed: in %select{host|device}0 code the call ends the %select{program|kernel}0");
  diagnostics.Report(call->getLocation(), warning)
      << context.getLangOpts().CUDAIsDevice << callee->getNameAsString()
      << call->getAnnotation().drop_front(called_by.size());
}

// What clang's code generator has of a function that is not for this side.
void mark(llvm::Constant* made, const clang::FunctionDecl* callee, const clang::AnnotateAttr* call) {
  auto* function = llvm::dyn_cast_or_null<llvm::Function>(made);
  if (function == nullptr || !function->isDeclaration() || function->hasFnAttribute(not_here)) return;
  function->addFnAttr(not_here);
  warn(callee, call);
}

}  // namespace

bool takes_call_of_other_side(clang::SemaCUDA& rules, clang::SourceLocation place,
                              const clang::FunctionDecl* caller, clang::FunctionDecl* callee) {
  if (caller == nullptr || rules.IdentifyTarget(caller) != Target::HostDevice) return false;
  // NVRTC has no other side: it refuses functions of the host.
  if (rules.SemaRef.getPreprocessor().isMacroDefined("__CUDACC_RTC__")) return false;
  if (rules.IdentifyPreference(caller, callee) != clang::SemaCUDA::CFP_WrongSide) return false;
  const auto& evaluated = rules.SemaRef.currentEvaluationContext();
  if (evaluated.isUnevaluated() || evaluated.isConstantEvaluated()) return true;
  if (first_call(callee) == nullptr)
    callee->addAttr(clang::AnnotateAttr::CreateImplicit(
        rules.getASTContext(), (called_by + caller->getNameAsString()).str(), nullptr, 0, place));
  return true;
}

llvm::PreservedAnalyses OtherSidePass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  bool changed = false;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() || !function.hasFnAttribute(not_here)) continue;
    function.setLinkage(llvm::GlobalValue::InternalLinkage);
    function.setDSOLocal(true);
    function.setComdat(nullptr);
    function.removeFnAttr(not_here);
    function.setMemoryEffects(llvm::MemoryEffects::unknown());
    function.removeFnAttr(llvm::Attribute::WillReturn);
    llvm::IRBuilder<> ir(llvm::BasicBlock::Create(module.getContext(), "", &function));
    ir.CreateIntrinsic(llvm::Intrinsic::trap, {}, {});
    ir.CreateUnreachable();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace heddle::frontend

using Generator = void;  // clang::CodeGen::CodeGenModule, which clang keeps for itself

bool clang_ignores_callee(clang::Sema* sema,
                          clang::FunctionDecl* callee) __asm__("__real_" HEDDLE_IGNORE_CALLEE);
bool heddle_ignores_callee(clang::Sema* sema,
                           clang::FunctionDecl* callee) __asm__("__wrap_" HEDDLE_IGNORE_CALLEE);
llvm::Constant* clang_address_of_function(Generator* generator, clang::GlobalDecl declaration,
                                          llvm::Type* type, bool for_table, bool at_once,
                                          bool for_definition)  //
    __asm__("__real_" HEDDLE_ADDRESS_OF_FUNCTION);
llvm::Constant* heddle_address_of_function(Generator* generator, clang::GlobalDecl declaration,
                                           llvm::Type* type, bool for_table, bool at_once,
                                           bool for_definition)  //
    __asm__("__wrap_" HEDDLE_ADDRESS_OF_FUNCTION);
llvm::Constant* clang_make_function(Generator* generator, llvm::StringRef name, llvm::Type* type,
                                    clang::GlobalDecl declaration, bool for_table, bool at_once,
                                    bool is_thunk, llvm::AttributeList more, bool for_definition)  //
    __asm__("__real_" HEDDLE_MAKE_FUNCTION);
llvm::Constant* heddle_make_function(Generator* generator, llvm::StringRef name, llvm::Type* type,
                                     clang::GlobalDecl declaration, bool for_table, bool at_once,
                                     bool is_thunk, llvm::AttributeList more, bool for_definition)  //
    __asm__("__wrap_" HEDDLE_MAKE_FUNCTION);

// What a function of the other side calls in turn is not compiled.
bool heddle_ignores_callee(clang::Sema* sema, clang::FunctionDecl* callee) {
  using heddle::frontend::Target;
  const Target other = sema->getLangOpts().CUDAIsDevice ? Target::Host : Target::Device;
  return clang_ignores_callee(sema, callee) ||
         (sema->getLangOpts().CUDA && sema->CUDA().IdentifyTarget(callee) == other);
}

// `at_once`: the definition, if there is one, is not compiled for it.
llvm::Constant* heddle_address_of_function(Generator* generator, clang::GlobalDecl declaration,
                                           llvm::Type* type, bool for_table, bool at_once,
                                           bool for_definition) {
  const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declaration.getDecl());
  const auto* call = function != nullptr ? heddle::frontend::first_call(function) : nullptr;
  llvm::Constant* made = clang_address_of_function(generator, declaration, type, for_table,
                                                   at_once || call != nullptr, for_definition);
  if (call != nullptr) heddle::frontend::mark(made, function, call);
  return made;
}

llvm::Constant* heddle_make_function(Generator* generator, llvm::StringRef name, llvm::Type* type,
                                     clang::GlobalDecl declaration, bool for_table, bool at_once,
                                     bool is_thunk, llvm::AttributeList more, bool for_definition) {
  const auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(declaration.getDecl());
  const auto* call = function != nullptr ? heddle::frontend::first_call(function) : nullptr;
  llvm::Constant* made = clang_make_function(generator, name, type, declaration, for_table,
                                             at_once || call != nullptr, is_thunk, more, for_definition);
  if (call != nullptr) heddle::frontend::mark(made, function, call);
  return made;
}
