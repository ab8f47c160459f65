// The executor of exec/jit as the environment wants it; not there in a build without it.
#pragma once

#include "exec/jit/executor.h"
#include "runtime/executors.h"

namespace heddle::runtime {

// HEDDLE_THREADS, HEDDLE_JIT_*, HEDDLE_CACHE_*, HEDDLE_TRACE and HEDDLE_QUIET.
Outcome<exec::jit::Options> fast_options(const Environment& environment);
Outcome<std::unique_ptr<exec::Executor>> fast_executor(const Environment& environment);

}  // namespace heddle::runtime
