// cudaProfilerInitialize and cuProfilerInitialize: a log of the command line profiler that the program itself
// asks for. What is between cudaProfilerStart and cudaProfilerStop is written; another one ends it.
#pragma once

#include "support/result.h"

namespace heddle::profiler {

// False: another tool measures this process already. The error is a configuration that cannot be read.
// Without a configuration (nullptr, "") the usual columns; without a path the usual name.
Result<bool> start_log(const char* configuration, const char* path, bool csv);

}  // namespace heddle::profiler
