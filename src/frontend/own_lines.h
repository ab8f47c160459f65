// Lines of the program's own text in the PTX: LLVM 19 writes no `inlined_at`, so what was inlined from a
// header of the toolkit would be told as a line of that header, which no program's author knows.
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::frontend {

// Each instruction from such a header has the place of the call in the nearest file that is none.
void use_own_lines(llvm::Module& module);

}  // namespace heddle::frontend
