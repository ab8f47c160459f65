// LLVM ends the process when it meets what it cannot compile ("Cannot select"). Here such an end becomes an
// error of the one kernel: what LLVM had allocated for it is lost, the process goes on.
#pragma once

#include <optional>
#include <string>

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::exec::jit {

// Runs `work`; LLVM's message if it did not come back from it. Not for work within work.
std::optional<std::string> survive(llvm::function_ref<void()> work);

}  // namespace heddle::exec::jit
