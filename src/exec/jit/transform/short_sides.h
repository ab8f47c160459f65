// What a branch by which lanes part decides, where both ways are short and only choose values: computed both
// ways and chosen. Lanes then do not part at all.
#pragma once

#include "llvm/IR/Function.h"

namespace heddle::exec::jit {

// Before the plan, which asks how often lanes part. Returns how many branches there were. Not those whose
// values become addresses: lanes that go one way together know more of them.
unsigned choose_short_sides(llvm::Function& thread);

}  // namespace heddle::exec::jit
