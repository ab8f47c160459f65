#include "support/host_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <string>
#include <utility>

namespace heddle {

namespace {

namespace fs = std::filesystem;

std::optional<uint64_t> number_in(const fs::path& file) {
  uint64_t number = 0;  // "max" of version 2 is no number
  return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

// The number behind `name` in a file of names and numbers.
std::optional<uint64_t> number_of(const fs::path& file, std::string_view name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t begin = line.find_first_not_of(" :\t", name.size());
    uint64_t number = 0;
    if (begin == std::string::npos || begin == name.size()) continue;  // a longer name
    if (std::from_chars(line.data() + begin, line.data() + line.size(), number).ec == std::errc())
      return number;
  }
  return std::nullopt;
}

struct GroupFiles {
  std::string_view limit, usage, reclaimable;
};
constexpr GroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles version_2{"memory.max", "memory.current", "inactive_file"};

// A group's limit holds for all below it. In a container the path is the host's and the folder of the
// container's own group is the first that exists.
uint64_t left_in_groups(const fs::path& mount, const fs::path& group, const GroupFiles& files) {
  uint64_t left = std::numeric_limits<uint64_t>::max();
  for (fs::path path = group;; path = path.parent_path()) {
    const fs::path folder = mount / path.relative_path();
    const auto limit = number_in(folder / files.limit), usage = number_in(folder / files.usage);
    if (limit && usage) {
      const uint64_t cached = number_of(folder / "memory.stat", files.reclaimable).value_or(0);
      const uint64_t held = *usage - std::min(cached, *usage);
      left = std::min(left, *limit - std::min(held, *limit));
    }
    if (!path.has_relative_path()) return left;
  }
}

// What the limits of the process (ulimit -v, -d) leave: pages that are mapped count, used or not.
uint64_t left_in_limits(const fs::path& process) {
  uint64_t left = std::numeric_limits<uint64_t>::max();
  constexpr std::pair<std::string_view, std::string_view> limits[] = {{"Max address space", "VmSize"},
                                                                      {"Max data size", "VmData"}};
  for (const auto& [limit_name, usage_name] : limits) {
    const auto limit = number_of(process / "limits", limit_name);  // "unlimited" is no number
    const auto kilobytes = number_of(process / "status", usage_name);
    if (limit && kilobytes) left = std::min(left, *limit - std::min(*kilobytes * 1024, *limit));
  }
  return left;
}

}  // namespace

std::optional<uint64_t> available_host_memory(const fs::path& root) {
  constexpr uint64_t kilobyte = 1024;  // the file says kB and means this
  const fs::path info = root / "proc/meminfo";
  uint64_t left = std::numeric_limits<uint64_t>::max();
  if (const auto available = number_of(info, "MemAvailable"))
    left = (*available + number_of(info, "SwapFree").value_or(0)) * kilobyte;
  std::ifstream groups(root / "proc/self/cgroup");  // lines ID:CONTROLLERS:PATH
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = line.substr(second + 1), mount = root / "sys/fs/cgroup";
    if (controllers == ",,")
      left = std::min(left, left_in_groups(mount, group, version_2));
    else if (controllers.find(",memory,") != std::string::npos)
      left = std::min(left, left_in_groups(mount / "memory", group, version_1));
  }
  left = std::min(left, left_in_limits(root / "proc/self"));
  if (left == std::numeric_limits<uint64_t>::max()) return std::nullopt;
  return left;
}

std::optional<uint64_t> byte_count(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const unsigned shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  if (error != std::errc() || (!unit.empty() && shift == 0) || number > (~uint64_t{0} >> shift))
    return std::nullopt;
  return number << shift;
}

}  // namespace heddle
