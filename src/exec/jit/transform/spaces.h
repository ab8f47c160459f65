// Which space generic addresses lie in, where the program shows it: an access through an address that was
// made of a shared or local one, or of a global variable's, becomes an access of that space; in a cluster, of
// any block's shared memory, as generic addresses are. What is loaded from a known place of the launch's
// parameters, as members of structures are, becomes the parameter.
#pragma once

#include "exec/jit/ir/program.h"

namespace heddle::exec::jit {

bool infer_spaces(llvm::Function& thread, const ThreadProgram& program);

}  // namespace heddle::exec::jit
