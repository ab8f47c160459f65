// Addresses of one space as generic ones.
#pragma once

#include "exec/jit/lower/lowering.h"
#include "module/image.h"

namespace heddle::exec::jit {

// `address`: of 64 bits, in `space`. What is left generic already: addresses of global memory and constants.
llvm::Value* generic_address(Lowering& l, llvm::Value* address, module::Space space);

}  // namespace heddle::exec::jit
