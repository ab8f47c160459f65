// What libheddle-compilers.so.0 shows: the APIs behind which clang and LLVM are. libheddle.so.0 asks
// (api/shared/symbols.cpp).
#pragma once

#include <span>

#include "api/entry/symbols.h"

namespace heddle::compilers {

std::span<const entry::Library> cuda_libraries();
std::span<const entry::Library> opencl_libraries();

}  // namespace heddle::compilers

// The address of a library's function; nullptr where there is none of that name.
extern "C" [[gnu::visibility("default")]] void* heddle_find_compiler(const char* library, const char* name);
