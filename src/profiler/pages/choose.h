// Which metrics a user means, on a device.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/device.h"
#include "profiler/profile.h"
#include "support/result.h"

namespace heddle::profiler {

using MetricList = std::vector<const Metric*>;

bool has(const Metric& metric, arch::Capability capability);
std::string_view name(Tool tool);
std::string_view name(Kind kind);

// All that these tools have for the capability, in the order of the records.
MetricList metrics_of(std::span<const Tool> tools, arch::Capability capability);
// What `heddle profile` shows where nobody chose: the tool of the device's time.
MetricList usual_metrics(arch::Capability capability);

// Names with commas between; "all"; "regex:..." for those that match. The error names what is unknown, and
// what is nearest, or which devices have it.
Result<MetricList> choose_metrics(std::string_view names, std::span<const Tool> tools,
                                  arch::Capability capability);

inline Values values(const LaunchRecord& launch) { return {launch.counts, launch.facts}; }
inline Values values(const LineCounts& line) { return {line.counts, {}}; }
// NaN where it is not there; of a launch that was not counted, all but facts are not.
double value(const Metric& metric, const LaunchRecord& launch);

}  // namespace heddle::profiler
