// The executor of exec/jit as the environment wants it; not there in a build without it.
#pragma once

#include "runtime/executors.h"

namespace heddle::runtime {

Outcome<std::unique_ptr<exec::Executor>> fast_executor(const Environment& environment);

}  // namespace heddle::runtime
