#include "profiler/pages/choose.h"

#include <algorithm>
#include <array>
#include <regex>

#include "support/spelling.h"

namespace heddle::profiler {

bool has(const Metric& metric, arch::Capability capability) {
  return capability >= metric.since && capability <= metric.until;
}

std::string_view name(Tool tool) {
  switch (tool) {
    case Tool::ncu: return "ncu";
    case Tool::nvprof: return "nvprof";
    case Tool::events: return "nvprof event";
    case Tool::compute_profile: return "COMPUTE_PROFILE";
  }
  return "";
}

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::exact: return "exact";
    case Kind::estimated: return "estimated";
    case Kind::modelled: return "modelled";
  }
  return "";
}

MetricList metrics_of(std::span<const Tool> tools, arch::Capability capability) {
  MetricList list;
  for (const Metric& metric : all_metrics())
    if (std::ranges::find(tools, metric.tool) != tools.end() && has(metric, capability))
      list.push_back(&metric);
  return list;
}

MetricList usual_metrics(arch::Capability capability) {
  // The newest tool that profiles such a device.
  for (const Tool tool : {Tool::ncu, Tool::nvprof, Tool::compute_profile})
    if (MetricList list = metrics_of(std::array{tool}, capability); !list.empty()) return list;
  return {};
}

namespace {

Error unknown(std::string_view name, std::span<const Tool> tools, arch::Capability capability) {
  std::string text = "there is no metric '" + std::string(name) + "'";
  for (const Metric& metric : all_metrics())
    if (metric.name == name && std::ranges::find(tools, metric.tool) != tools.end())
      return Error{"metric '" + std::string(name) + "' is there for capability " + to_string(metric.since) +
                   " to " + to_string(metric.until) + ", the device has " + to_string(capability)};
  NearestWord nearest(name);
  for (const Metric* metric : metrics_of(tools, capability)) nearest.consider(metric->name);
  if (!nearest.best().empty())
    text += "; did you mean '" + std::string(nearest.best()) + "'?";
  else
    text += " on a device of capability " + to_string(capability);
  return Error{text};
}

void add(MetricList& list, const Metric* metric) {
  if (std::ranges::find(list, metric) == list.end()) list.push_back(metric);
}

}  // namespace

Result<MetricList> choose_metrics(std::string_view names, std::span<const Tool> tools,
                                  arch::Capability capability) {
  constexpr std::string_view pattern_mark = "regex:";
  const MetricList there = metrics_of(tools, capability);
  MetricList chosen;
  for (std::string_view rest = names; !rest.empty();) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view one = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (one.empty()) continue;
    if (one == "all") {
      for (const Metric* metric : there) add(chosen, metric);
      continue;
    }
    const std::size_t before = chosen.size();
    if (one.starts_with(pattern_mark)) {
      try {
        const std::regex pattern{std::string(one.substr(pattern_mark.size()))};
        for (const Metric* metric : there)
          if (std::regex_search(std::string(metric->name), pattern)) add(chosen, metric);
      } catch (const std::regex_error& error) {
        return Error{"'" + std::string(one) + "' is no regular expression: " + error.what()};
      }
      if (chosen.size() == before) return Error{"no metric matches '" + std::string(one) + "'"};
      continue;
    }
    bool found = false;
    for (const Metric* metric : there) {
      // ncu takes a name without its end for all ends.
      const bool fits = metric->name == one || (metric->name.starts_with(one) && metric->tool == Tool::ncu &&
                                                metric->name[one.size()] == '.');
      if (fits) add(chosen, metric), found = true;
    }
    if (!found) return unknown(one, tools, capability);
  }
  return chosen;
}

double value(const Metric& metric, const LaunchRecord& launch) {
  if (!launch.counted) {
    // A formula over facts alone gives the same whatever the counts are.
    Counts other{};
    other.fill(1);
    const double with = metric.value(values(launch)), without = metric.value({other, launch.facts});
    return with == without ? with : std::numeric_limits<double>::quiet_NaN();
  }
  return metric.value(values(launch));
}

}  // namespace heddle::profiler
