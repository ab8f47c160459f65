// The beginning that all programs in CUDA share: clang's own headers, parsed once and kept.
#pragma once

#include <memory>

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "frontend/clang.h"

namespace heddle::frontend {

// Where the beginning and what it was made of lie, in memory only.
inline constexpr char beginning_path[] = "/proc/heddle/beginning.ast";
inline constexpr char beginning_source[] = "/proc/heddle/beginning.cu";

// Parses the source to `out`.
std::unique_ptr<clang::FrontendAction> make_beginning(Beginning& out);
// To be said of every compilation of CUDA, which has no modules: functions of the host and of the device that
// have one name are two, which clang forgets where it reads a beginning as modules of C++20.
void without_modules(clang::CompilerInvocation& invocation);
// Begins with what lies at beginning_path instead of the headers. Rules for make (-MD) name the headers, and
// not where they were kept.
void use_beginning(clang::CompilerInstance& compiler);

}  // namespace heddle::frontend
