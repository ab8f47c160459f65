// What comes before what, by hand.
#include "checker/work_order.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "checker/copy_region.h"

namespace heddle::checker {
namespace {

using Work = WorkOrder::Work;

class Order : public testing::Test {
 protected:
  Work add(uint64_t stream, std::vector<uint64_t> after = {}) {
    const uint64_t number = ++last_;
    if (newest_.contains(stream)) after.push_back(newest_[stream]);
    newest_[stream] = number;
    order.submitted({.number = number, .stream = stream, .after = std::move(after)});
    return {number, stream};
  }
  WorkOrder order;

 private:
  uint64_t last_ = 0;
  std::map<uint64_t, uint64_t> newest_;
};

TEST_F(Order, StreamsAreOrderedByEventsAlone) {
  const Work a = add(1), b = add(2), event = add(1), c = add(2, {event.number}), d = add(1);
  EXPECT_FALSE(order.before(a, b));
  EXPECT_TRUE(order.before(a, c));
  EXPECT_FALSE(order.before(c, d));
  EXPECT_FALSE(order.before(b, d));
  EXPECT_TRUE(order.before(a, d));
}

TEST_F(Order, WhatTheHostWaitedForComesBeforeWhatItAsksForNext) {
  const Work a = add(1), b = add(1), before = add(2);
  const uint64_t numbers[] = {a.number, 0};
  order.host_waited(numbers);
  const Work c = add(3);
  EXPECT_FALSE(order.before(a, before));
  EXPECT_TRUE(order.before(a, c));
  EXPECT_FALSE(order.before(b, c));
  EXPECT_TRUE(order.host_knows(a));
  EXPECT_FALSE(order.host_knows(b));
  // What stood before it, too, by way of another stream.
  const Work d = add(4, {b.number});
  const uint64_t later[] = {d.number};
  order.host_waited(later);
  EXPECT_TRUE(order.before(b, add(5)));
}

TEST_F(Order, WhatIsTooOldCountsAsOrdered) {
  const Work a = add(1);
  for (int i = 0; i < 5000; ++i) (void)add(2);
  EXPECT_TRUE(order.before(a, add(3)));
}

TEST(Region, KnowsTheGapsBetweenRows) {
  const CopyRegion rows({.address = 1000, .row_pitch = 32, .slice_pitch = 256, .memory = nullptr}, 4, 3, 2);
  // Bytes 1000 to 1003, 1032 to 1035, 1064 to 1067, and the same 256 behind.
  std::set<uint64_t> bytes;
  for (const uint64_t begin : {1000, 1032, 1064, 1256, 1288, 1320})
    for (uint64_t i = 0; i < 4; ++i) bytes.insert(begin + i);
  for (uint64_t at = 900; at < 1400; ++at) {
    EXPECT_EQ(rows.touches(at, 1), bytes.contains(at)) << at;
    const bool any = bytes.lower_bound(at) != bytes.lower_bound(at + 30);
    EXPECT_EQ(rows.touches(at, 30), any) << at;
  }
  const CopyRegion between({.address = 1004, .row_pitch = 32, .slice_pitch = 256, .memory = nullptr}, 28, 3,
                           2);
  EXPECT_EQ(rows.meets(between), 0U);
  const CopyRegion whole({.address = 1020, .row_pitch = 0, .slice_pitch = 0, .memory = nullptr}, 100, 1, 1);
  EXPECT_EQ(rows.meets(whole), 1032U);
  EXPECT_EQ(whole.meets(rows), 1020U + 12);
}

}  // namespace
}  // namespace heddle::checker
