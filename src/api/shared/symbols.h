// What libheddle.so.0 shows to the small libraries; those behind which clang and LLVM are, it finds in
// libheddle-compilers.so.0, which it loads for that.
#pragma once

#include <span>

#include "api/entry/symbols.h"

namespace heddle::shared {

std::span<const entry::Library> cuda_libraries();

}  // namespace heddle::shared

// The address of a library's function; nullptr where there is none of that name.
extern "C" [[gnu::visibility("default")]] void* heddle_find(const char* library, const char* name);
