#include "checker/work_order.h"

#include <algorithm>

namespace heddle::checker {

namespace {
// Of so many tasks it is known what they come after: work rarely meets older ones.
constexpr std::size_t most_kept = 4096;
}  // namespace

void WorkOrder::Clock::join(uint64_t stream, uint64_t number) {
  uint64_t& known = streams[stream];
  known = std::max(known, number);
}

void WorkOrder::Clock::join(const Clock& other) {
  all = std::max(all, other.all);
  for (const auto& [stream, number] : other.streams) join(stream, number);
}

// What is too old to be known comes before everything.
void WorkOrder::join(Clock& clock, uint64_t number) const {
  if (number == 0) return;
  if (const auto known = clocks_.find(number); known != clocks_.end())
    clock.join(known->second);
  else if (number <= newest_ && !kept_.empty() && number < kept_.front())
    clock.all = std::max(clock.all, number);
}

void WorkOrder::submitted(const runtime::Submission& submission) {
  newest_ = std::max(newest_, submission.number);
  Clock clock = host_;
  for (const uint64_t other : submission.after) join(clock, other);
  clock.join(submission.stream, submission.number);
  clocks_[submission.number] = std::move(clock);
  kept_.push_back(submission.number);
  if (kept_.size() <= most_kept) return;
  host_.all = std::max(host_.all, kept_.front());
  clocks_.erase(kept_.front());
  kept_.pop_front();
}

void WorkOrder::host_waited(std::span<const uint64_t> numbers) {
  for (const uint64_t number : numbers) join(host_, number);
}

bool WorkOrder::knows(const Clock& clock, const Work& work) const {
  if (work.number <= clock.all) return true;
  const auto newest = clock.streams.find(work.stream);
  return newest != clock.streams.end() && work.number <= newest->second;
}

bool WorkOrder::before(const Work& first, const Work& second) const {
  if (first.number == 0 || second.number == 0 || first.number == second.number) return true;
  if (first.stream == second.stream) return true;
  const auto clock = clocks_.find(second.number);
  return clock == clocks_.end() || knows(clock->second, first);
}

}  // namespace heddle::checker
