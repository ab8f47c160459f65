// Which space generic addresses lie in, where the program shows it: an access through an address that was
// made of a shared or local one, or of a global variable's, becomes an access of that space; in a cluster, of
// any block's shared memory, as generic addresses are.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

bool infer_spaces(llvm::Function& thread, unsigned address_bits, bool in_cluster);

}  // namespace heddle::exec::jit
