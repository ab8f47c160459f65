// Macros that stand for a pragma: `#define UNROLL #pragma unroll`. nvcc reads the source after preprocessing,
// where such a macro has left a directive; clang's parser would see a stray '#'.
#pragma once

#include "clang/Lex/Preprocessor.h"

namespace heddle::frontend {

// From now on such a macro means _Pragma("...").
void accept_macro_pragmas(clang::Preprocessor& preprocessor);

}  // namespace heddle::frontend
