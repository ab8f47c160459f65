#include "frontend/opencl/source_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Diagnostic.h"
#include "frontend/opencl/program.h"
#include "llvm/IR/InstrTypes.h"

namespace heddle::frontend::opencl {

namespace {

// The shortest way from a function back to itself, which is last; empty: there is none.
template <class Function, class Calls>
std::vector<Function> cycle_of(Function start, const Calls& calls) {
  std::map<Function, Function> from;
  std::vector<Function> reached{start};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const auto found = calls.find(reached[i]);
    if (found == calls.end()) continue;
    for (const auto& [callee, place] : found->second) {
      if (!from.emplace(callee, reached[i]).second) continue;
      reached.push_back(callee);
      if (callee != start) continue;
      std::vector<Function> cycle{start};
      for (Function at = from.at(start); at != start; at = from.at(at)) cycle.insert(cycle.begin(), at);
      return cycle;
    }
  }
  return {};
}

// Every cycle once, told from its function that comes first.
template <class Functions, class Calls, class Tell>
void for_each_cycle(const Functions& functions, const Calls& calls, const Tell& tell) {
  using Function = typename Functions::value_type;
  std::set<Function> told;
  for (Function function : functions) {
    if (told.contains(function)) continue;
    const std::vector<Function> cycle = cycle_of(function, calls);
    if (cycle.empty()) continue;
    told.insert(cycle.begin(), cycle.end());
    tell(function, cycle);
  }
}

// "'f' calls itself", "'f' calls 'g', which calls 'f'"
template <class Function, class Name>
std::string text_of(Function first, const std::vector<Function>& cycle, const Name& name) {
  std::string text = "recursion is not supported in OpenCL C: '" + name(first) + "' calls ";
  if (cycle.size() == 1) return text + "itself";
  for (std::size_t i = 0; i < cycle.size(); ++i)
    text += (i == 0 ? "'" : ", which calls '") + name(cycle[i]) + "'";
  return text;
}

class SourceRules final : public clang::ASTConsumer {
 public:
  explicit SourceRules(clang::DiagnosticsEngine& diagnostics) : diagnostics_(diagnostics) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (const clang::Decl* declaration : group)
      if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
          function != nullptr && function->doesThisDeclarationHaveABody()) {
        functions_.push_back(function->getCanonicalDecl());
        visit(calls_[function->getCanonicalDecl()], function->getBody());
      }
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext&) override {
    const auto name = [](const clang::FunctionDecl* function) { return function->getNameAsString(); };
    for_each_cycle(functions_, calls_, [&](Function first, const std::vector<Function>& cycle) {
      const unsigned note = diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Note, "%0 calls %1 here");
      report(calls_.at(first).at(cycle.front()), text_of(first, cycle, name));
      for (std::size_t i = 0; i + 1 < cycle.size(); ++i)
        diagnostics_.Report(calls_.at(cycle[i]).at(cycle[i + 1]), note) << cycle[i] << cycle[i + 1];
    });
  }

 private:
  using Function = const clang::FunctionDecl*;
  using Places = std::map<Function, clang::SourceLocation>;  // of the first call of each

  void visit(Places& places, const clang::Stmt* body) {
    std::vector<const clang::Stmt*> left{body};
    while (!left.empty()) {
      const clang::Stmt* statement = left.back();
      left.pop_back();
      // What is not executed calls nothing.
      if (statement == nullptr || llvm::isa<clang::UnaryExprOrTypeTraitExpr>(statement)) continue;
      if (const auto* chosen = llvm::dyn_cast<clang::GenericSelectionExpr>(statement);
          chosen != nullptr && !chosen->isResultDependent()) {
        left.push_back(chosen->getResultExpr());
        continue;
      }
      if (const auto* call = llvm::dyn_cast<clang::CallExpr>(statement))
        if (const clang::FunctionDecl* callee = call->getDirectCallee())
          places.emplace(callee->getCanonicalDecl(), call->getExprLoc());
      if (const auto* declarations = llvm::dyn_cast<clang::DeclStmt>(statement))
        for (const clang::Decl* declaration : declarations->decls())
          if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration)) check_sampler(*variable);
      const std::size_t before = left.size();
      left.insert(left.end(), statement->child_begin(), statement->child_end());
      std::reverse(left.begin() + static_cast<std::ptrdiff_t>(before), left.end());  // in their order
    }
  }

  // "const sampler_t <name> = <value>", where the value is a compile-time constant (Declaring Samplers).
  void check_sampler(const clang::VarDecl& variable) {
    if (!variable.getType()->isSamplerT()) return;
    const clang::Expr* value = variable.getInit();
    if (const auto* cast = llvm::dyn_cast_or_null<clang::CastExpr>(value);
        cast != nullptr && cast->getCastKind() == clang::CK_IntToOCLSampler)
      value = cast->getSubExpr();
    if (value == nullptr)
      report(variable.getLocation(), "sampler '" + variable.getNameAsString() + "' must be initialized");
    else if (value->getType()->isIntegerType() && !value->isEvaluatable(variable.getASTContext()))
      report(value->getExprLoc(), "initializer element is not a compile-time constant");
  }

  void report(clang::SourceLocation place, const std::string& text) {
    diagnostics_.Report(place, diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << text;
  }

  clang::DiagnosticsEngine& diagnostics_;
  std::vector<Function> functions_;
  std::map<Function, Places> calls_;
};

}  // namespace

std::unique_ptr<clang::ASTConsumer> check_source(clang::DiagnosticsEngine& diagnostics) {
  return std::make_unique<SourceRules>(diagnostics);
}

std::string recursion_of(const llvm::Module& module) {
  using Function = const llvm::Function*;
  std::vector<Function> functions;
  std::map<Function, std::map<Function, bool>> calls;
  for (const llvm::Function& function : module) {
    functions.push_back(&function);
    for (const llvm::BasicBlock& block : function)
      for (const llvm::Instruction& instruction : block)
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
          if (Function callee = call->getCalledFunction(); callee != nullptr && !callee->isDeclaration())
            calls[&function][callee] = true;
  }
  std::string text;
  for_each_cycle(functions, calls, [&](Function first, const std::vector<Function>& cycle) {
    text += "error: " + text_of(first, cycle, [](Function f) { return f->getName().str(); }) + "\n";
  });
  return text;
}

}  // namespace heddle::frontend::opencl
