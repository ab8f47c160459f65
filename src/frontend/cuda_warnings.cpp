#include "frontend/cuda_warnings.h"

#include <algorithm>
#include <set>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"

namespace heddle::frontend {

namespace {

constexpr std::string_view names[] = {"default-stream-launch", "missing-launch-bounds",
                                      "ext-lambda-captures-this", "cross-execution-space-call"};
// In nvcc's words.
constexpr const char* texts[] = {
    "explicit stream argument not provided in kernel launch",
    "no __launch_bounds__ specified for __global__ function",
    "implicit capture of 'this' in extended lambda expression",
    "calling a __host__ function %0 from a __host__ __device__ function %1 is not allowed",
};

template <class Attribute>
bool is_explicitly(const clang::FunctionDecl& function) {
  const auto* attribute = function.getAttr<Attribute>();
  return attribute != nullptr && !attribute->isImplicit();
}

bool is_host_only(const clang::FunctionDecl& function) {
  return !function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAGlobalAttr>() &&
         !function.isImplicit() && !function.isDefaulted() && !function.isConstexpr() &&
         function.getBuiltinID() == 0;
}

class Warner;

// Calls in one function's body; those in lambdas are the lambdas' own.
class Calls : public clang::RecursiveASTVisitor<Calls> {
 public:
  Calls(Warner& warner, const clang::FunctionDecl& caller) : warner_(warner), caller_(caller) {}
  bool TraverseLambdaExpr(clang::LambdaExpr*) { return true; }
  bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) { return true; }
  bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc) { return true; }
  bool VisitCallExpr(clang::CallExpr* call);
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* call);

 private:
  Warner& warner_;
  const clang::FunctionDecl& caller_;
};

class Warner : public clang::RecursiveASTVisitor<Warner> {
 public:
  Warner(const CudaWarnings& warnings, clang::CompilerInstance& compiler,
         const std::vector<clang::SourceLocation>& unchecked)
      : warnings_(warnings), compiler_(compiler), unchecked_(unchecked) {}

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* launch) {
    const clang::CallExpr* configuration = launch->getConfig();
    constexpr unsigned stream = 3;
    if (launch->isTypeDependent() || launch->isValueDependent() || configuration == nullptr) return true;
    const bool named = configuration->getNumArgs() > stream &&
                       !llvm::isa<clang::CXXDefaultArgExpr>(configuration->getArg(stream));
    if (!named) warn(CudaWarning::default_stream_launch, configuration->getEndLoc());
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    const clang::CXXMethodDecl* body = lambda->getCallOperator();
    if (body == nullptr || !is_explicitly<clang::CUDADeviceAttr>(*body)) return true;
    for (const clang::LambdaCapture& capture : lambda->captures())
      if (capture.capturesThis() && capture.isImplicit())
        warn(CudaWarning::ext_lambda_captures_this, capture.getLocation());
    return true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (!function->isThisDeclarationADefinition()) return true;
    const bool bounded = function->hasAttr<clang::CUDALaunchBoundsAttr>();
    if (function->hasAttr<clang::CUDAGlobalAttr>() && !bounded && !function->isTemplateInstantiation())
      warn(CudaWarning::missing_launch_bounds, function->getLocation());
    check_calls(*function);
    return true;
  }

  template <class... Arguments>
  void warn(CudaWarning warning, clang::SourceLocation place, const Arguments&... arguments) {
    clang::DiagnosticsEngine& diagnostics = compiler_.getDiagnostics();
    CudaWarnings::Weight weight = warnings_.weight(warning);
    using Weight = CudaWarnings::Weight;
    if (weight == Weight::warning && diagnostics.getWarningsAsErrors()) weight = Weight::error;
    if (weight == Weight::off || (weight == Weight::warning && diagnostics.getIgnoreAllWarnings())) return;
    if (place.isInvalid() || compiler_.getSourceManager().isInSystemHeader(place)) return;
    // A template's instances have its places.
    if (!told_.insert({warning, place.getRawEncoding()}).second) return;
    const auto index = static_cast<std::size_t>(warning);
    const std::string text = std::string(texts[index]) + " [-W" + (weight == Weight::error ? "error=" : "") +
                             std::string(names[index]) + ']';
    const unsigned id = diagnostics.getDiagnosticIDs()->getCustomDiagID(
        weight == Weight::error ? clang::DiagnosticIDs::Error : clang::DiagnosticIDs::Warning, text);
    clang::DiagnosticBuilder builder = diagnostics.Report(place, id);
    static_cast<void>((builder << ... << arguments));
  }

 private:
  void check_calls(clang::FunctionDecl& function) {
    if (warnings_.weight(CudaWarning::cross_execution_space_call) == CudaWarnings::Weight::off) return;
    const bool both =
        is_explicitly<clang::CUDADeviceAttr>(function) && is_explicitly<clang::CUDAHostAttr>(function);
    if (!both || function.isDependentContext() || is_unchecked(function)) return;
    Calls(*this, function).TraverseStmt(function.getBody());
  }

  // The pragma stands before the function: nothing else ends or begins in between.
  bool is_unchecked(const clang::FunctionDecl& function) const {
    const clang::SourceManager& sources = compiler_.getSourceManager();
    const auto [file, end] = sources.getDecomposedLoc(sources.getFileLoc(function.getLocation()));
    const llvm::StringRef text = sources.getBufferData(file);
    return std::any_of(unchecked_.begin(), unchecked_.end(), [&](clang::SourceLocation pragma) {
      const auto [pragma_file, begin] = sources.getDecomposedLoc(sources.getFileLoc(pragma));
      if (pragma_file != file || begin >= end) return false;
      return text.slice(begin, end).find_first_of(";{}") == llvm::StringRef::npos;
    });
  }

  const CudaWarnings& warnings_;
  clang::CompilerInstance& compiler_;
  const std::vector<clang::SourceLocation>& unchecked_;
  std::set<std::pair<CudaWarning, clang::SourceLocation::UIntTy>> told_;
};

bool Calls::VisitCallExpr(clang::CallExpr* call) {
  const clang::FunctionDecl* callee = call->getDirectCallee();
  if (callee != nullptr && is_host_only(*callee))
    warner_.warn(CudaWarning::cross_execution_space_call, call->getExprLoc(), callee, &caller_);
  return true;
}

bool Calls::VisitCXXConstructExpr(clang::CXXConstructExpr* call) {
  const clang::CXXConstructorDecl* callee = call->getConstructor();
  if (is_host_only(*callee))
    warner_.warn(CudaWarning::cross_execution_space_call, call->getExprLoc(),
                 static_cast<const clang::NamedDecl*>(callee), &caller_);
  return true;
}

class Consumer : public clang::ASTConsumer {
 public:
  Consumer(const CudaWarnings& warnings, clang::CompilerInstance& compiler,
           std::shared_ptr<const std::vector<clang::SourceLocation>> unchecked)
      : warnings_(warnings), compiler_(compiler), unchecked_(std::move(unchecked)) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;
    Warner(warnings_, compiler_, *unchecked_).TraverseAST(context);
  }

 private:
  const CudaWarnings warnings_;
  clang::CompilerInstance& compiler_;
  std::shared_ptr<const std::vector<clang::SourceLocation>> unchecked_;
};

}  // namespace

bool CudaWarnings::take(std::string_view argument) {
  constexpr std::pair<std::string_view, Weight> starts[] = {{"-Werror=", Weight::error},
                                                            {"-Wno-error=", Weight::warning},
                                                            {"-Wno-", Weight::off},
                                                            {"-W", Weight::warning}};
  for (const auto& [start, weight] : starts) {
    if (!argument.starts_with(start)) continue;
    const auto* name = std::find(std::begin(names), std::end(names), argument.substr(start.size()));
    if (name == std::end(names)) continue;
    weights_[static_cast<std::size_t>(name - std::begin(names))] = weight;
    return true;
  }
  return false;
}

bool CudaWarnings::any() const {
  return std::any_of(weights_.begin(), weights_.end(), [](Weight weight) { return weight != Weight::off; });
}

std::unique_ptr<clang::ASTConsumer> make_cuda_warnings(
    const CudaWarnings& warnings, clang::CompilerInstance& compiler,
    std::shared_ptr<const std::vector<clang::SourceLocation>> unchecked) {
  return std::make_unique<Consumer>(warnings, compiler, std::move(unchecked));
}

}  // namespace heddle::frontend
