// Numbers with a point to integers of more than 64 bits (__int128, _BitInt) and back.
//
// PTX converts to and from 64 bits at most, and for more LLVM would call functions of compiler-rt, which
// device code does not have. Here they are computed, rounded once as cvt.rn does, and clamped as cvt.rzi.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::frontend {

// Whether the function has changed.
bool lower_wide_conversions(llvm::Function& function);

}  // namespace heddle::frontend
