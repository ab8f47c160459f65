#include "clock/timeline.h"

#include <algorithm>

namespace heddle::clock {

void Timeline::submitted(uint64_t number, std::vector<uint64_t> after, bool mark, int64_t earliest,
                         uint64_t stream) {
  Open& open = open_[number];
  open.after = std::move(after);
  open.known = mark;
  open.earliest = earliest;
  open.stream = stream;
  open.ends = begins(open);
}

void Timeline::works(uint64_t number, const Work& work) {
  const auto found = open_.find(number);
  if (found == open_.end()) return;  // it has its place already
  Open& open = found->second;
  const int64_t before = open.work.nanoseconds;
  open.work = work;
  open.work.nanoseconds += before;
  open.known = true;
  open.ends = begins(open) + open.work.nanoseconds;
}

int64_t Timeline::begins(const Open& open) const {
  int64_t ready = open.earliest;
  for (const uint64_t number : open.after) {
    const auto before = open_.find(number);
    if (before != open_.end())
      ready = std::max(ready, before->second.ends);
    else if (number < placed_.size())
      ready = std::max(ready, placed_[number].ended);
  }
  return ready;
}

int64_t Timeline::begins(uint64_t number) const {
  const auto open = open_.find(number);
  if (open != open_.end()) return begins(open->second);
  return number < placed_.size() ? placed_[number].started : 0;
}

Interval Timeline::of(uint64_t number) {
  if (placed_.size() <= number) placed_.resize(number + 1);
  for (auto next = open_.begin(); next != open_.end() && next->first < number;) {
    const uint64_t earlier = next->first;
    if (next->second.known) place(earlier);
    next = open_.upper_bound(earlier);
  }
  place(number);
  return placed_[number];
}

// With what it stands behind, all of which is done.
void Timeline::place(uint64_t number) {
  std::vector<uint64_t> waiting{number};
  while (!waiting.empty()) {
    const auto open = open_.find(waiting.back());
    if (open == open_.end()) {
      waiting.pop_back();
      continue;
    }
    const std::size_t count = waiting.size();
    for (const uint64_t before : open->second.after)
      if (before < open->first && open_.contains(before)) waiting.push_back(before);
    if (waiting.size() != count) continue;
    placed_[open->first] = interval(open->second);
    open_.erase(open);
    waiting.pop_back();
  }
}

Interval Timeline::interval(const Open& open) {
  int64_t ready = open.earliest;
  for (const uint64_t before : open.after)
    if (before < placed_.size()) ready = std::max(ready, placed_[before].ended);
  const Work& work = open.work;
  if (work.engine == Engine::none || work.device >= devices_.size())
    return {ready, ready, ready + work.nanoseconds};
  DeviceState& device = devices_[work.device];
  const Engines& engines = engines_[work.device];
  int64_t started = ready;
  if (engines.copies == 0) {
    started = std::max(ready, device.all);
    device.all = started + work.nanoseconds;
  } else if (work.engine == Engine::kernels || work.engine == Engine::within_device) {
    if (work.engine != Engine::kernels || engines.queues == 0) {
      started = start_kernel(device, engines, ready, work);
    } else {
      device.queues.resize(engines.queues);
      int64_t& queue = device.queues[open.stream % engines.queues];
      queue = started = start_kernel(device, engines, std::max(ready, queue), work);
    }
  } else {
    int64_t& engine = device.copies[engines.copies > 1 && work.engine == Engine::to_host ? 1 : 0];
    started = std::max(ready, engine);
    engine = started + work.nanoseconds;
  }
  return {ready, started, started + work.nanoseconds};
}

int64_t Timeline::start_kernel(DeviceState& device, const Engines& engines, int64_t ready, const Work& work) {
  int64_t started = ready;
  if (!engines.concurrent_kernels) {
    started = std::max(ready, device.last_kernel);
  } else {
    // When so many of those that run have ended that the rest leave it room. Those that have all of the
    // device leave a part at their end only.
    std::vector<Kernel>& running = device.kernels;
    std::erase_if(running, [&](const Kernel& k) { return k.ended <= ready; });
    std::sort(running.begin(), running.end(),
              [](const Kernel& a, const Kernel& b) { return a.ended < b.ended; });
    double taken = 0;
    for (const Kernel& k : running) taken += k.share;
    std::size_t left = running.size();
    const auto is_full = [&] {
      return taken + work.share > 1 || (engines.grids != 0 && left >= engines.grids);
    };
    for (auto k = running.begin(); k != running.end() && is_full(); ++k) {
      started = std::max(started, k->ended);
      taken -= k->share;
      --left;
    }
    running.push_back({started + work.nanoseconds, work.share});
  }
  device.last_kernel = std::max(device.last_kernel, started + work.nanoseconds);
  return started;
}

}  // namespace heddle::clock
