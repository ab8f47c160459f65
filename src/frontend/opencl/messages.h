// What LLVM says of a program once clang is done with it.
#pragma once

#include <string>

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::frontend::opencl {

// Without a handler LLVM prints, and ends the process where it is an error (inline PTX whose operands fit
// nothing).
class Messages final : public llvm::DiagnosticHandler {
 public:
  Messages(std::string& log, bool& failed) : log_(log), failed_(failed) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    // Loops that #pragma unroll could not have: -Wno-pass-failed.
    const bool told =
        info.getSeverity() == llvm::DS_Error ||
        (info.getSeverity() == llvm::DS_Warning && info.getKind() != llvm::DK_OptimizationFailure);
    if (!told) return true;
    llvm::raw_string_ostream stream(log_);
    stream << (info.getSeverity() == llvm::DS_Error ? "error: " : "warning: ");
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    stream << '\n';
    failed_ |= info.getSeverity() == llvm::DS_Error;
    return true;
  }

 private:
  std::string& log_;
  bool& failed_;
};

}  // namespace heddle::frontend::opencl
