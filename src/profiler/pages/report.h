// The pages of `heddle profile`.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "profiler/pages/choose.h"
#include "profiler/profile.h"

namespace heddle::profiler {

// The launches of one kernel on one kind of device, together.
struct KernelSum {
  std::string kernel;  // without parameters
  std::string mangled;
  DeviceRecord device;
  std::vector<const LaunchRecord*> launches;
  Counts counts{};
  int64_t host_time = 0;
  std::map<std::pair<std::string, uint32_t>, Counts> lines;  // by file and line
};
// By host time, the most first.
std::vector<KernelSum> by_kernel(const Profile& profile);

// Lines of source files, read once; empty where there is none.
class SourceText {
 public:
  std::string line(const std::string& file, uint32_t line);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

struct ReportOptions {
  bool lines = false;
  bool chosen = false;             // metrics were chosen, and are what is shown
  std::string metrics;             // as choose_metrics() takes them
  std::size_t most_launches = 40;  // rows of the table of launches
};

// What a value is of: the metrics that are shown for a device. Made once a device.
using MetricsOf = std::function<const MetricList&(const DeviceRecord&)>;

void print_text(const std::vector<Profile>& processes, const ReportOptions& options, const MetricsOf& metrics,
                std::ostream& out);
// A row a launch (or a line of it) and metric.
void print_csv(const std::vector<Profile>& processes, const ReportOptions& options, const MetricsOf& metrics,
               std::ostream& out);
void print_json(const std::vector<Profile>& processes, const ReportOptions& options, const MetricsOf& metrics,
                std::ostream& out);

}  // namespace heddle::profiler
