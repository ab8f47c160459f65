#include "api/cupti/clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "runtime/scheduler.h"

namespace heddle::cupti {

namespace {

constexpr int64_t between_marks = 5'000'000, least_between_marks = 200'000;
constexpr std::size_t most_marks = 4096;

int64_t nanoseconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Timestamps::Timestamps() : since_1970_(nanoseconds_since_1970() - runtime::steady_nanoseconds()) {}

void Timestamps::use(CUpti_TimestampCallbackFunc clock) {
  const std::lock_guard lock(mutex_);
  marks_.clear();
  clock_.store(clock, std::memory_order_release);
  if (clock != nullptr) marks_.push_back(look());
}

uint64_t Timestamps::now() const {
  const CUpti_TimestampCallbackFunc clock = clock_.load(std::memory_order_acquire);
  return clock != nullptr ? clock() : static_cast<uint64_t>(runtime::steady_nanoseconds() + since_1970_);
}

// Both clocks at one moment: of a few looks, the one that took least.
Timestamps::Mark Timestamps::look() const {
  Mark best{};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < 5; ++i) {
    const int64_t before = runtime::steady_nanoseconds();
    const uint64_t told = clock_.load(std::memory_order_relaxed)();
    const int64_t after = runtime::steady_nanoseconds();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, told};
  }
  return best;
}

uint64_t Timestamps::at(int64_t steady) {
  if (clock_.load(std::memory_order_acquire) == nullptr) return static_cast<uint64_t>(steady + since_1970_);
  const std::lock_guard lock(mutex_);
  if (marks_.empty())
    return static_cast<uint64_t>(steady + since_1970_);  // the clock was taken back just now
  // One mark gives no rate.
  while (marks_.size() == 1 && runtime::steady_nanoseconds() - marks_[0].steady < least_between_marks)
    continue;
  if (marks_.size() == 1 || runtime::steady_nanoseconds() - marks_.back().steady > between_marks) {
    if (marks_.size() == most_marks)  // of a long run every second one will do
      for (std::size_t i = 1; i < marks_.size(); ++i)
        marks_.erase(marks_.begin() + static_cast<ptrdiff_t>(i));
    marks_.push_back(look());
  }
  const auto later = std::ranges::upper_bound(marks_, steady, {}, &Mark::steady);
  const std::size_t end =
      std::clamp<std::size_t>(static_cast<std::size_t>(later - marks_.begin()), 1, marks_.size() - 1);
  // Beyond the last mark the rate of all of them is meant, which is the surest.
  const Mark& first = later == marks_.end() ? marks_.front() : marks_[end - 1];
  const Mark& second = marks_[end];
  const auto ticks = static_cast<double>(static_cast<int64_t>(second.told - first.told));
  const double rate = ticks / static_cast<double>(second.steady - first.steady);
  const Mark& near = later == marks_.end() ? second : first;
  return near.told + static_cast<uint64_t>(std::llround(static_cast<double>(steady - near.steady) * rate));
}

}  // namespace heddle::cupti
