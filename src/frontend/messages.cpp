#include "frontend/messages.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "frontend/cuda_warnings.h"
#include "frontend/macro_pragmas.h"
#include "frontend/message_numbers.gen.h"

namespace heddle::frontend {

namespace {

// Calls `use` with every warning of clang.
template <class Use>
void each_warning(std::string_view message, Use use) {
  unsigned number = 0;
  std::from_chars(message.data(), message.data() + message.size(), number);
  for (const NumberedMessage& one : numbered_messages) {
    if (number != 0 ? one.number != number : one.name.empty() || one.name != message) continue;
    std::string_view rest = one.warnings;
    while (!rest.empty()) {
      const std::size_t blank = std::min(rest.find(' '), rest.size());
      use(rest.substr(0, blank));
      rest.remove_prefix(std::min(rest.size(), blank + 1));
    }
  }
}

llvm::StringRef as_llvm(std::string_view text) { return {text.data(), text.size()}; }

// What weight clang's warnings have without a pragma.
using Weights = std::map<clang::diag::kind, clang::diag::Severity>;

llvm::SmallVector<clang::diag::kind, 8> kinds_of(const clang::DiagnosticsEngine& diagnostics,
                                                 std::string_view warning) {
  llvm::SmallVector<clang::diag::kind, 8> kinds;
  diagnostics.getDiagnosticIDs()->getDiagnosticsInGroup(clang::diag::Flavor::WarningOrError, as_llvm(warning),
                                                        kinds);
  return kinds;
}

Weights present_weights(const clang::DiagnosticsEngine& diagnostics) {
  using clang::DiagnosticsEngine;
  Weights weights;
  for (const NumberedMessage& one : numbered_messages)
    each_warning(std::to_string(one.number), [&](std::string_view warning) {
      for (const clang::diag::kind kind : kinds_of(diagnostics, warning)) {
        const DiagnosticsEngine::Level level = diagnostics.getDiagnosticLevel(kind, clang::SourceLocation());
        weights[kind] = level >= DiagnosticsEngine::Error     ? clang::diag::Severity::Error
                        : level >= DiagnosticsEngine::Warning ? clang::diag::Severity::Warning
                                                              : clang::diag::Severity::Ignored;
      }
    });
  return weights;
}

// #pragma nv_diag_suppress 177, declared_but_not_referenced
class MessagePragma : public clang::PragmaHandler {
 public:
  MessagePragma(llvm::StringRef name, std::optional<clang::diag::Severity> severity,
                std::shared_ptr<const Weights> usual)
      : PragmaHandler(name), severity_(severity), usual_(std::move(usual)) {}

  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token& /*name*/) override {
    clang::DiagnosticsEngine& diagnostics = preprocessor.getDiagnostics();
    clang::Token token;
    // The names in it are no macros of the program.
    for (preprocessor.LexUnexpandedToken(token); token.isNot(clang::tok::eod);
         preprocessor.LexUnexpandedToken(token)) {
      if (!token.isOneOf(clang::tok::numeric_constant, clang::tok::identifier)) continue;
      each_warning(preprocessor.getSpelling(token), [&](std::string_view warning) {
        for (const clang::diag::kind kind : kinds_of(diagnostics, warning))
          diagnostics.setSeverity(kind, severity_ ? *severity_ : usual_->at(kind), introducer.Loc);
      });
    }
  }

 private:
  const std::optional<clang::diag::Severity> severity_;  // none: the usual one
  const std::shared_ptr<const Weights> usual_;
};

// #pragma nv_diagnostic push, #pragma nv_diagnostic pop
class StackPragma : public clang::PragmaHandler {
 public:
  StackPragma() : PragmaHandler("nv_diagnostic") {}
  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token& /*name*/) override {
    clang::Token token;
    preprocessor.LexUnexpandedToken(token);
    if (token.is(clang::tok::eod)) return;
    const std::string word = preprocessor.getSpelling(token);
    if (word == "push") preprocessor.getDiagnostics().pushMappings(introducer.Loc);
    if (word == "pop") preprocessor.getDiagnostics().popMappings(introducer.Loc);
    preprocessor.DiscardUntilEndOfDirective();
  }
};

// #pragma nv_exec_check_disable: calls between host and device are not looked at in the function behind it.
class UncheckedPragma : public clang::PragmaHandler {
 public:
  UncheckedPragma(llvm::StringRef name, std::shared_ptr<std::vector<clang::SourceLocation>> places)
      : PragmaHandler(name), places_(std::move(places)) {}
  void HandlePragma(clang::Preprocessor& /*preprocessor*/, clang::PragmaIntroducer introducer,
                    clang::Token& /*name*/) override {
    places_->push_back(introducer.Loc);
  }

 private:
  const std::shared_ptr<std::vector<clang::SourceLocation>> places_;
};

// The handlers are the preprocessor's, which is there when a file begins.
class ActionWithMessages : public clang::WrapperFrontendAction {
 public:
  ActionWithMessages(std::unique_ptr<clang::FrontendAction> action, const CudaWarnings& warnings)
      : WrapperFrontendAction(std::move(action)), warnings_(warnings) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    std::unique_ptr<clang::ASTConsumer> consumer = WrapperFrontendAction::CreateASTConsumer(compiler, file);
    if (!warnings_.any() || consumer == nullptr) return consumer;
    // Before code is made, which an error prevents.
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    consumers.push_back(make_cuda_warnings(warnings_, compiler, unchecked_));
    consumers.push_back(std::move(consumer));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    using clang::diag::Severity;
    constexpr std::pair<const char*, std::optional<Severity>> pragmas[] = {
        {"nv_diag_suppress", Severity::Ignored}, {"nv_diag_warning", Severity::Warning},
        {"nv_diag_error", Severity::Error},      {"nv_diag_default", std::nullopt},
        {"nv_diag_once", Severity::Warning},
    };
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    const auto usual = std::make_shared<const Weights>(present_weights(compiler.getDiagnostics()));
    for (const auto& [name, severity] : pragmas)
      preprocessor.AddPragmaHandler(new MessagePragma(name, severity, usual));
    preprocessor.AddPragmaHandler(new StackPragma);
    for (const char* name : {"nv_exec_check_disable", "hd_warning_disable"})
      preprocessor.AddPragmaHandler(new UncheckedPragma(name, unchecked_));
    accept_macro_pragmas(preprocessor);
    bound_spell_checking(compiler);
    return WrapperFrontendAction::BeginSourceFileAction(compiler);
  }

 private:
  const CudaWarnings warnings_;
  const std::shared_ptr<std::vector<clang::SourceLocation>> unchecked_ =
      std::make_shared<std::vector<clang::SourceLocation>>();
};

}  // namespace

std::vector<std::string> message_options(std::string_view message, MessageWeight weight) {
  std::vector<std::string> words;
  each_warning(message, [&](std::string_view warning) {
    const std::string name(warning);
    switch (weight) {
      case MessageWeight::suppressed: words.push_back("-Wno-" + name); break;
      case MessageWeight::warning: words.insert(words.end(), {"-W" + name, "-Wno-error=" + name}); break;
      case MessageWeight::error: words.push_back("-Werror=" + name); break;
    }
  });
  return words;
}

void bound_spell_checking(clang::CompilerInstance& compiler) {
  constexpr unsigned longest = 1000;
  compiler.getPreprocessor().setTokenWatcher([&compiler](const clang::Token& token) {
    if (!token.isAnnotation() && token.is(clang::tok::identifier) && token.getLength() > longest)
      compiler.getLangOpts().SpellChecking = false;
  });
}

std::unique_ptr<clang::FrontendAction> with_messages(std::unique_ptr<clang::FrontendAction> action,
                                                     const CudaWarnings& warnings) {
  return std::make_unique<ActionWithMessages>(std::move(action), warnings);
}

}  // namespace heddle::frontend
