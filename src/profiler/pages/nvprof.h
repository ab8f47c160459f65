// nvprof's output: summaries, traces, metrics and events, as text and as CSV.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "profiler/pages/choose.h"
#include "profiler/profile.h"

namespace heddle::profiler {

struct NvprofPage {
  bool csv = false, demangle = true;
  bool gpu_trace = false, api_trace = false;
  bool gpu_summary = false, api_summary = false;
  std::string metrics, events;  // names with commas between, or all; empty: none
  std::string time_unit;        // s, ms, us, ns; empty: as it fits
};

void print_nvprof(const Profile& profile, const NvprofPage& page, std::ostream& out);

// "kernel(float const *, int)" as nvprof writes it.
std::string nvprof_name(const std::string& mangled, bool demangle);
// Nanoseconds with five digits: "8.6348ms", "512ns".
std::string nvprof_time(double nanoseconds);
// "4.0000KB".
std::string nvprof_bytes(double bytes);
std::string nvprof_value(const Metric& metric, double value);

}  // namespace heddle::profiler
