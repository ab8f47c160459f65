// Files that lie beside the library, or program, that this is in.
#pragma once

#include <string>

namespace heddle {

// What compiles, with clang and LLVM inside.
inline constexpr const char* compilers_file = "libheddle-compilers.so.0";

// A path; `file` alone where nobody tells the folder.
std::string beside_this_library(const char* file);

}  // namespace heddle
