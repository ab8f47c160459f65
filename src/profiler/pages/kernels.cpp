#include <algorithm>
#include <fstream>

#include "profiler/pages/report.h"
#include "profiler/recorder.h"

namespace heddle::profiler {

std::vector<KernelSum> by_kernel(const Profile& profile) {
  std::vector<KernelSum> sums;
  std::map<std::pair<std::string, std::string>, std::size_t> place;
  for (const LaunchRecord& launch : profile.launches) {
    const auto [found, is_new] = place.try_emplace({launch.kernel, launch.device.id}, sums.size());
    if (is_new) {
      KernelSum& made = sums.emplace_back();
      made.kernel = base_name(launch.kernel);
      made.mangled = launch.kernel;
      made.device = launch.device;
      made.first = launch.number;
    }
    KernelSum& sum = sums[found->second];
    ++sum.launches;
    if (!launch.failure.empty()) ++sum.failed;
    sum.host_time += launch.time.length();
    for (std::size_t i = 0; i < counter_count; ++i) sum.counts[i] += launch.counts[i];
    for (const LineCounts& line : launch.lines) {
      Counts& counts = sum.lines[{line.file, line.line}];
      for (std::size_t i = 0; i < counter_count; ++i) counts[i] += line.counts[i];
    }
    sum.last = launch;
    sum.last.lines.clear();
  }
  std::ranges::sort(sums, [](const KernelSum& a, const KernelSum& b) {
    if (a.host_time != b.host_time) return a.host_time > b.host_time;
    return a.first < b.first;
  });
  return sums;
}

std::string SourceText::line(const std::string& file, uint32_t line) {
  const auto [found, is_new] = files_.try_emplace(file);
  std::vector<std::string>& lines = found->second;
  if (is_new) {
    std::ifstream in(file);
    for (std::string text; std::getline(in, text);) lines.push_back(text);
  }
  return line == 0 || line > lines.size() ? "" : lines[line - 1];
}

}  // namespace heddle::profiler
