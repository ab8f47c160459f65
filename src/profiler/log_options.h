// What the environment asks of the command line profiler: COMPUTE_PROFILE (or, of its older versions,
// CUDA_PROFILE and OPENCL_PROFILE), _CSV, _LOG and _CONFIG. docs/reference/compute-profile.md.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/tables.h"
#include "support/result.h"

namespace heddle::profiler {

struct LogOptions {
  bool csv = false;
  bool from_start = true;
  std::string path;  // %d: number of the context, %p: of the process; empty: by the API
  std::vector<const ComputeOption*> options;  // those with columns, in their order
  std::vector<std::string> counters;          // what the configuration names besides; each device has others
  std::vector<std::string> warnings;          // of the configuration
};

using Environment = std::function<const char*(const char*)>;

// Whether a log is wanted at all.
bool wants_log(const Environment& environment);
// The error is a configuration that cannot be read.
Result<LogOptions> log_options(const Environment& environment);
// Adds what the text of a configuration file asks for.
void read_log_configuration(std::string_view text, LogOptions& options);

// The counter of this name on devices of the capability; nullptr: it has none.
const Metric* log_counter(std::string_view name, arch::Capability capability);

}  // namespace heddle::profiler
