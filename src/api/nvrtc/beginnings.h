// What every program begins with (frontend::Beginning), kept for the process's other programs and on disk for
// the next process.
#pragma once

#include <memory>

#include "frontend/clang.h"

namespace heddle::nvrtc {

using SharedBeginning = std::shared_ptr<const frontend::Beginning>;

// For jobs with these arguments. Nothing where it cannot be made: then a compilation says why.
SharedBeginning beginning_for(const frontend::Job& job);
// The same made anew, because what there was is stale.
SharedBeginning renewed_beginning(const frontend::Job& job);

// Which macros a program sees where NVRTC is the compiler: the lines behind clang's own headers.
const std::string& beginning_lines();

}  // namespace heddle::nvrtc
