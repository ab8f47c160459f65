// Which executor a process runs its kernels on.
#pragma once

#include <functional>
#include <memory>

#include "exec/launch.h"
#include "runtime/error.h"

namespace heddle::runtime {

using Environment = std::function<const char*(const char* name)>;

// HEDDLE_EXECUTOR, and for the fast executor HEDDLE_THREADS, HEDDLE_JIT_CPU, HEDDLE_JIT_TIER,
// HEDDLE_JIT_SMALL, HEDDLE_CACHE_DIR, HEDDLE_CACHE_SIZE and HEDDLE_TRACE: docs/reference/environment.md.
Outcome<std::unique_ptr<exec::Executor>> executor_from_environment(const Environment& environment);

// The fast one, whatever the environment says; the reference in a build without it.
std::unique_ptr<exec::Executor> default_executor();

}  // namespace heddle::runtime
