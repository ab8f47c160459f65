#include "observe/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "observe/several.h"

namespace heddle::observe {
namespace {

using Kind = Schedule::Kind;

std::vector<uint64_t> order_of(const Schedule& schedule, uint64_t count) {
  const BlockOrder order(schedule, count);
  std::vector<uint64_t> all;
  for (uint64_t i = 0; i < count; ++i) all.push_back(order[i]);
  return all;
}

TEST(Schedule, OfASeedIsAlwaysTheSameAndHasEachBlockOnce) {
  for (uint64_t seed = 0; seed < 16; ++seed)
    for (const uint64_t count : {1, 2, 3, 64, 1000}) {
      const std::vector<uint64_t> all = order_of(Schedule::of_seed(seed), count);
      EXPECT_EQ(all, order_of(Schedule::of_seed(seed), count));
      EXPECT_EQ(std::set(all.begin(), all.end()).size(), count);
      EXPECT_LT(*std::max_element(all.begin(), all.end()), count);
    }
}

TEST(Schedule, SeedsAreOfAllKinds) {
  EXPECT_EQ(order_of(Schedule::of_seed(0), 4), (std::vector<uint64_t>{3, 2, 1, 0}));
  EXPECT_EQ(Schedule::of_seed(1).kind, Kind::interleaved);
  EXPECT_EQ(Schedule::of_seed(6).kind, Kind::blocks_shuffled);
  EXPECT_NE(order_of(Schedule::of_seed(2), 100), order_of(Schedule::of_seed(6), 100));
}

TEST(Schedule, KeepsBlocksInOrderWhereTheyMayWaitForOthers) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    Schedule schedule = Schedule::of_seed(seed);
    schedule.keeps_blocks = true;
    EXPECT_EQ(order_of(schedule, 4), (std::vector<uint64_t>{0, 1, 2, 3}));
  }
}

// A grid of which no list is made.
TEST(Schedule, OfVeryManyBlocksBeginsSomewhere) {
  const uint64_t count = uint64_t{1} << 40;
  const BlockOrder order(Schedule::of_seed(2), count);
  EXPECT_EQ((order[0] + 1) % count, order[1]);
  EXPECT_EQ((order[0] + count - 1) % count, order[count - 1]);
}

class Watching final : public Observer, private Sink {
 public:
  Needs needs() const override { return counts; }
  Sink& sink() override { return *this; }
};
class Ordering final : public ScheduleObserver, private Sink {
 public:
  explicit Ordering(const Schedule* schedule) : schedule_(schedule) {}
  const Schedule* schedule() const override { return schedule_; }
  Sink& sink() override { return *this; }

 private:
  const Schedule* const schedule_;
};

TEST(Schedule, IsSeenThroughSeveralObservers) {
  const Schedule schedule = Schedule::of_seed(2);
  Watching watching;
  Ordering ordering(&schedule);
  Several with({&watching, &ordering}), without({&watching, &watching});
  EXPECT_EQ(schedule_of(nullptr), nullptr);
  EXPECT_EQ(schedule_of(&watching), nullptr);
  EXPECT_EQ(schedule_of(&ordering), &schedule);
  EXPECT_EQ(schedule_of(&with), &schedule);
  EXPECT_EQ(schedule_of(&without), nullptr);
  EXPECT_NE(with.needs() & in_order, 0);
}

}  // namespace
}  // namespace heddle::observe
