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
  uint64_t launches = 0, failed = 0;
  uint64_t first = 0;  // its first launch's number
  LaunchRecord last;   // its last launch, without lines
  Counts counts{};
  int64_t host_time = 0;
  std::map<std::pair<std::string, uint32_t>, Counts> lines;  // by file and line
};
// By host time, the most first.
std::vector<KernelSum> by_kernel(const Profile& profile);

// Ranges of NVTX that have the same name within the same ones, together: "outer/inner", "domain@outer/inner".
struct RangeSum {
  std::string path;
  bool of_thread = true;  // pushed and popped
  int64_t host_time = 0;
  uint64_t count = 0, launches = 0;  // launches that were asked for in it
  int64_t kernel_time = 0;           // of this host
};
// By RangeRecord::id.
struct RangePlace {
  std::string path;
  uint32_t depth = 0;  // ranges of its thread and domain around it
};
std::map<uint64_t, RangePlace> range_places(const Profile& profile);
// In the order in which the first of each began. Moments are left out.
std::vector<RangeSum> by_range(const Profile& profile);

// An advice that a kernel deserves, or a process, with the numbers that say so.
struct GivenAdvice {
  const Advice* advice = nullptr;
  const KernelSum* kernel = nullptr;  // nullptr: the process
  double value = 0, saves = 0;        // of all its launches; what is of a launch's shape, of the last one
  std::string file;                   // of the line that contributes most; empty: not known
  uint32_t line = 0;
  double of_line = 0;  // what it saves there
  std::string where() const { return kernel == nullptr ? "the whole program" : kernel->kernel; }
};
// The most important first.
std::vector<GivenAdvice> advice_for(const Profile& profile, const std::vector<KernelSum>& kernels);
std::string_view name(Priority priority);
using Totals = std::array<double, total_count>;
Totals totals_of(const Profile& profile);

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
// One process, as a page for browsers that needs nothing else.
void print_html(const Profile& profile, std::ostream& out);
// A timeline as Chrome's trace events: docs/reference/heddle-profile.md.
void print_trace(const std::vector<Profile>& processes, std::ostream& out);
void print_json(const std::vector<Profile>& processes, const ReportOptions& options, const MetricsOf& metrics,
                std::ostream& out);

}  // namespace heddle::profiler
