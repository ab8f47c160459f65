// What every use of clang in this process needs: LLVM made ready, and diagnostics as texts.
#pragma once

#include <string>
#include <vector>

#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::frontend {

// Once a process; its fatal errors become escapes (support/escape.h).
void prepare_llvm();

// Errors and warnings as texts, each with its notes.
class Collector : public clang::DiagnosticConsumer {
 public:
  Collector(clang::DiagnosticOptions* options, std::vector<std::string>& texts)
      : stream_(text_), printer_(stream_, options), texts_(texts) {}
  ~Collector() override { flush(); }

  void BeginSourceFile(const clang::LangOptions& language, const clang::Preprocessor* reader) override {
    printer_.BeginSourceFile(language, reader);
  }
  void EndSourceFile() override { printer_.EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level > clang::DiagnosticsEngine::Note) flush();
    const unsigned category = clang::DiagnosticIDs::getCategoryNumberForDiag(info.getID());
    if (level >= clang::DiagnosticsEngine::Error &&
        clang::DiagnosticIDs::getCategoryNameFromID(category) == "AST Deserialization Issue")
      stale_ = true;
    printer_.HandleDiagnostic(level, info);
  }
  void flush() {
    stream_.flush();
    if (!text_.empty()) texts_.push_back(std::move(text_));
    text_.clear();
  }
  // Something precompiled could not be used.
  bool stale() const { return stale_; }

 private:
  std::string text_;
  llvm::raw_string_ostream stream_;
  clang::TextDiagnosticPrinter printer_;
  std::vector<std::string>& texts_;
  bool stale_ = false;
};

}  // namespace heddle::frontend
