// Operations of halves that LLVM has made of operations of floats.
//
// PTX converts halves and works on floats, and so does the code that the compiler makes. LLVM's passes see
// that a comparison of two converted halves, or a rounding of one, says the same of the halves themselves.
// Without instructions for them its code generator then takes vectors apart and converts each element again,
// for a hundred times the cost.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// As floats again, with the same results. The last thing before machine code: behind it no pass of LLVM's
// comes.
void widen_halves(llvm::Function& function);

}  // namespace heddle::exec::jit
