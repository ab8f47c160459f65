#include "observe/schedule.h"

#include <numeric>
#include <utility>

#include "observe/several.h"
#include "support/draw.h"

namespace heddle::observe {

namespace {

// Beyond it a list of all would be large: those begin at any place and go on from there.
constexpr uint64_t most_shuffled = uint64_t{1} << 24;

}  // namespace

BlockOrder::BlockOrder(const Schedule& schedule, uint64_t count)
    : count_(count), reversed_(schedule.kind == Schedule::Kind::blocks_reversed && !schedule.keeps_blocks) {
  if (reversed_ || schedule.keeps_blocks || count < 2) return;
  Draw draw(schedule.seed);
  if (count > most_shuffled) {
    first_ = draw.below(count);
    return;
  }
  shuffled_.resize(count);
  std::iota(shuffled_.begin(), shuffled_.end(), 0U);
  for (uint64_t i = count - 1; i != 0; --i) std::swap(shuffled_[i], shuffled_[draw.below(i + 1)]);
}

const Schedule* schedule_of(Observer* observer) {
  if (const auto* one = dynamic_cast<const ScheduleObserver*>(observer)) return one->schedule();
  if (dynamic_cast<Several*>(observer) == nullptr) return nullptr;
  const auto* sink = dynamic_cast<const ScheduledSink*>(&observer->sink());
  return sink == nullptr ? nullptr : sink->schedule();
}

}  // namespace heddle::observe
