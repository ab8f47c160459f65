#include <algorithm>
#include <map>

#include "profiler/pages/report.h"

namespace heddle::profiler {

// Each range's path. A thread's ranges lie in each other by their times; those of a domain stand for
// themselves, as NVTX has it.
std::map<uint64_t, RangePlace> range_places(const Profile& profile) {
  std::map<uint64_t, RangePlace> places;
  std::map<std::pair<int32_t, std::string>, std::vector<const RangeRecord*>> open;
  for (const RangeRecord& range : profile.ranges) {
    const std::string head = range.domain.empty() ? "" : range.domain + '@';
    if (range.kind != 't') {
      places[range.id] = {head + range.message, 0};
      continue;
    }
    std::vector<const RangeRecord*>& around = open[{range.thread, range.domain}];
    while (!around.empty() && around.back()->time.ended <= range.time.began) around.pop_back();
    if (around.empty()) {
      places[range.id] = {head + range.message, 0};
    } else {
      const RangePlace& outer = places[around.back()->id];
      places[range.id] = {outer.path + '/' + range.message, outer.depth + 1};
    }
    around.push_back(&range);
  }
  return places;
}

std::vector<RangeSum> by_range(const Profile& profile) {
  const std::map<uint64_t, RangePlace> all = range_places(profile);
  std::vector<RangeSum> sums;
  std::map<std::pair<char, std::string>, std::size_t> places;
  std::map<uint64_t, std::size_t> place_of;
  for (const RangeRecord& range : profile.ranges) {
    if (range.kind == 'm') continue;
    const std::string& path = all.at(range.id).path;
    const auto [found, is_new] = places.try_emplace({range.kind, path}, sums.size());
    if (is_new) {
      sums.emplace_back();
      sums.back().path = path;
      sums.back().of_thread = range.kind == 't';
    }
    RangeSum& sum = sums[found->second];
    ++sum.count;
    sum.host_time += range.time.length();
    place_of[range.id] = found->second;
  }
  for (const LaunchRecord& launch : profile.launches.brief())
    for (const uint64_t id : launch.ranges)
      if (const auto place = place_of.find(id); place != place_of.end()) {
        ++sums[place->second].launches;
        sums[place->second].kernel_time += launch.time.length();
      }
  return sums;
}

}  // namespace heddle::profiler
