#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "arch/device.h"
#include "profiler/pages/report.h"

namespace heddle::profiler {

namespace {

// A launch, or what of a copy between host and device matters.
struct Event {
  int64_t began = 0;
  uint64_t number = 0;  // in the order in which they were written down
  bool launch = false, to_device = false, pinned = false, default_stream = false;
  char array = 0;  // 'A': the copy's side of the device
  uint64_t bytes = 0, from = 0, to = 0;
  bool like(const Event& other) const { return to_device == other.to_device && array == other.array; }
  bool operator>(const Event& other) const {
    return std::pair(began, number) > std::pair(other.began, other.number);
  }
};

std::optional<Event> event_of(const CopyRecord& copy) {
  const bool to_device = copy.kind == "HtoD" || copy.kind == "HtoA";
  if (!to_device && copy.kind != "DtoH" && copy.kind != "AtoH") return std::nullopt;
  Event event;
  event.began = copy.time.began;
  event.to_device = to_device;
  event.pinned = to_device ? copy.from_pinned : copy.to_pinned;
  event.default_stream = copy.default_stream;
  event.array = to_device ? copy.kind.back() : copy.kind.front();
  event.bytes = copy.bytes;
  event.from = copy.from;
  event.to = copy.to;
  return event;
}

// Calls f for each in the order in which they began. They were written down as they ended, which is nearly
// that: this many are looked through for the next one.
template <class F>
void each_in_order(const Profile& profile, F&& f) {
  constexpr std::size_t most_waiting = 16384;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> waiting;
  uint64_t number = 0;
  const auto add = [&](Event event) {
    event.number = number++;
    waiting.push(event);
    if (waiting.size() <= most_waiting) return;
    f(waiting.top());
    waiting.pop();
  };
  const Records<LaunchRecord> launches = profile.launches.brief();
  auto launch = launches.begin();
  auto copy = profile.copies.begin();
  while (launch != launches.end() || copy != profile.copies.end()) {
    const bool is_launch =
        copy == profile.copies.end() || (launch != launches.end() && launch->time.began <= copy->time.began);
    if (is_launch) {
      Event event;
      event.began = launch->time.began;
      event.launch = true;
      add(event);
      ++launch;
      continue;
    }
    if (const auto event = event_of(*copy)) add(*event);
    ++copy;
  }
  for (; !waiting.empty(); waiting.pop()) f(waiting.top());
}

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
  Returned returned;
  std::optional<Event> before;
  each_in_order(profile, [&](const Event& event) {
    if (event.launch) {
      add(Total::launches, 1);
      before.reset();
      return;
    }
    add(Total::copied, 1);
    add(Total::copied_bytes, event.bytes);
    if (!event.pinned) add(Total::pageable_bytes, event.bytes);
    // Calls that wait copy in the default stream (CUDA C Best Practices Guide 4.0, 3.1.2).
    if (event.default_stream) add(Total::waiting_bytes, event.bytes);
    if (event.to_device)
      add(Total::returned_bytes, returned.bytes_within(event.from, event.bytes));
    else
      returned.copied_to(event.to, event.bytes);
    const bool is_short = event.bytes <= short_bytes;
    if (is_short && before && before->like(event)) add(Total::joinable_copies, 1);
    before = is_short ? std::optional(event) : std::nullopt;
  });
  if (!profile.copies.empty())
    if (const auto device = arch::find_device(profile.copies.front().device.id); device.ok()) {
      add(Total::async_engines, (*device)->board.async_engines);
      add(Total::integrated, (*device)->board.integrated ? 1 : 0);
    }
  return totals;
}

}  // namespace heddle::profiler
