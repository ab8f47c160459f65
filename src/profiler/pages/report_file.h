// Report files of Nsight Compute (.ncu-rep), version 7: what its readers open. The container is described in
// NVIDIA's Nsight Compute Customization Guide, "Report File Format"; messages are Protocol Buffers 2, whose
// definitions come with Nsight Compute: the numbers of fields here are those that the descriptors in NVIDIA's
// ncu-report package (PyPI, 2026.3.1) have.
#pragma once

#include <iosfwd>
#include <vector>

#include "profiler/profile.h"

namespace heddle::profiler {

// Every launch with all metrics that have a value.
void print_report_file(const std::vector<Profile>& processes, std::ostream& out);

}  // namespace heddle::profiler
