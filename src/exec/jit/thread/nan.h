// NaNs of f32. PTX's f32 arithmetic gives the one NaN 0x7fffffff; a host's gives others. Which one it is can
// be seen only where the bits leave arithmetic: a store, a bit cast, a shuffle. So lowering emits plain
// floating-point instructions, and this pass, on SSA form and before any other clean-up, puts the canonical
// NaN in at those places, for values that come from arithmetic; values that were loaded or moved keep their
// bits. f64 keeps payloads, which lower functions see to themselves.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

void canonicalise_nans(llvm::Function& thread);

}  // namespace heddle::exec::jit
