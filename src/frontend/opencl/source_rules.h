// What OpenCL C forbids and clang takes.
#pragma once

#include <memory>

#include "clang/AST/ASTConsumer.h"
#include "clang/Basic/Diagnostic.h"

namespace heddle::frontend::opencl {

// Reports what of a source breaks these rules of the language (OpenCL C 3.0):
// - "Recursion is not supported" (Restrictions): each cycle of functions, with notes for the calls that close
//   it.
// - Samplers that functions declare have a constant value (Declaring Samplers).
std::unique_ptr<clang::ASTConsumer> check_source(clang::DiagnosticsEngine&);

}  // namespace heddle::frontend::opencl
