#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "arch/device.h"
#include "profiler/pages/report.h"

namespace heddle::profiler {

namespace {

bool goes_to_device(const CopyRecord& copy) { return copy.kind == "HtoD" || copy.kind == "HtoA"; }
bool comes_from_device(const CopyRecord& copy) { return copy.kind == "DtoH" || copy.kind == "AtoH"; }

// Places of the host's memory that hold what was copied from a device.
class Returned {
 public:
  void copied_to(uint64_t begin, uint64_t bytes) {
    uint64_t end = begin + bytes;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
    while (at != ranges_.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ranges_.erase(at);
    }
    ranges_[begin] = end;
  }
  uint64_t bytes_within(uint64_t begin, uint64_t bytes) const {
    const uint64_t end = begin + bytes;
    uint64_t sum = 0;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin()) --at;
    for (; at != ranges_.end() && at->first < end; ++at)
      if (at->second > begin) sum += std::min(end, at->second) - std::max(begin, at->first);
    return sum;
  }

 private:
  std::map<uint64_t, uint64_t> ranges_;  // beginnings and ends
};

}  // namespace

Totals totals_of(const Profile& profile) {
  constexpr uint64_t short_bytes = 64 << 10;
  Totals totals{};
  const auto add = [&](Total total, uint64_t value) {
    totals[static_cast<std::size_t>(total)] += static_cast<double>(value);
  };
  struct Event {
    int64_t began;
    std::size_t number;
    const CopyRecord* copy;  // nullptr: a launch
  };
  std::vector<Event> events;
  for (const LaunchRecord& launch : profile.launches)
    events.push_back({launch.time.began, events.size(), nullptr});
  for (const CopyRecord& copy : profile.copies) events.push_back({copy.time.began, events.size(), &copy});
  std::ranges::sort(events, {}, [](const Event& event) { return std::pair(event.began, event.number); });
  Returned returned;
  const CopyRecord* before = nullptr;
  for (const auto& [began, number, copy] : events) {
    if (copy == nullptr) {
      add(Total::launches, 1);
      before = nullptr;
      continue;
    }
    const bool to_device = goes_to_device(*copy);
    if (!to_device && !comes_from_device(*copy)) continue;
    add(Total::copied, 1);
    add(Total::copied_bytes, copy->bytes);
    if (!(to_device ? copy->from_pinned : copy->to_pinned)) add(Total::pageable_bytes, copy->bytes);
    // Calls that wait copy in the default stream (CUDA C Best Practices Guide 4.0, 3.1.2).
    if (copy->default_stream) add(Total::waiting_bytes, copy->bytes);
    if (to_device)
      add(Total::returned_bytes, returned.bytes_within(copy->from, copy->bytes));
    else
      returned.copied_to(copy->to, copy->bytes);
    const bool is_short = copy->bytes <= short_bytes;
    if (is_short && before != nullptr && before->kind == copy->kind) add(Total::joinable_copies, 1);
    before = is_short ? copy : nullptr;
  }
  if (!profile.copies.empty())
    if (const auto device = arch::find_device(profile.copies.front().device.id); device.ok()) {
      add(Total::async_engines, (*device)->board.async_engines);
      add(Total::integrated, (*device)->board.integrated ? 1 : 0);
    }
  return totals;
}

}  // namespace heddle::profiler
