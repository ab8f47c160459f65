#include "checker/partial_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/draw.h"

namespace heddle::checker {
namespace {

using Order = std::vector<uint32_t>;

// Two streams of three each, asked for in turn: 0 2 4 and 1 3 5.
PartialOrder two_streams() {
  PartialOrder order;
  for (uint32_t i = 0; i < 6; ++i) {
    const Order after = i < 2 ? Order() : Order{i - 2};
    order.add(i % 2, after);
  }
  return order;
}

bool allows(const PartialOrder& partial, const Order& order) {
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t k = i + 1; k < order.size(); ++k)
      if (partial.before(order[k], order[i])) return false;
  return true;
}

TEST(PartialOrder, KnowsWhatComesBeforeByTheWayOfOthers) {
  const PartialOrder order = two_streams();
  EXPECT_TRUE(order.before(0, 4));
  EXPECT_FALSE(order.before(4, 0));
  EXPECT_FALSE(order.before(0, 5));
  EXPECT_FALSE(order.is_total());
}

TEST(PartialOrder, IsTotalWhereEachWaitsForTheOneBefore) {
  PartialOrder order;
  order.add(7, {});
  order.add(7, Order{0});
  order.add(8, Order{1});
  EXPECT_TRUE(order.is_total());
  order.add(9, Order{1});
  EXPECT_FALSE(order.is_total());
}

TEST(PartialOrder, RunsStreamsOneBehindTheOther) {
  const PartialOrder order = two_streams();
  EXPECT_EQ(order.of_seed(0), (Order{1, 3, 5, 0, 2, 4}));
  EXPECT_EQ(order.of_seed(1), (Order{0, 2, 4, 1, 3, 5}));
}

TEST(PartialOrder, EachSeedIsAllowedAndAlwaysTheSame) {
  PartialOrder order;
  Draw draw(1);
  for (uint32_t i = 0; i < 100; ++i) {
    Order after;
    for (uint32_t k = 0; k < 2 && i != 0; ++k) after.push_back(static_cast<uint32_t>(draw.below(i)));
    order.add(draw.below(5), i % 3 == 0 ? Order() : after);
  }
  for (uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(allows(order, order.of_seed(seed)));
    EXPECT_EQ(order.of_seed(seed), order.of_seed(seed));
  }
  EXPECT_NE(order.of_seed(2), order.of_seed(3));
}

TEST(PartialOrder, ChangesOnePairAtATimeOnTheWayToAnother) {
  const PartialOrder partial = two_streams();
  const Order to = partial.of_seed(0);
  EXPECT_EQ(PartialOrder::exchanges(to), 6U);
  Order before = PartialOrder::on_the_way(to, 0);
  EXPECT_EQ(before, (Order{0, 1, 2, 3, 4, 5}));
  for (uint64_t i = 1; i <= 6; ++i) {
    const Order now = PartialOrder::on_the_way(to, i);
    EXPECT_TRUE(allows(partial, now));
    EXPECT_EQ(std::ranges::count_if(Order{0, 1, 2, 3, 4, 5}, [&](uint32_t k) { return now[k] != before[k]; }),
              2);
    before = now;
  }
  EXPECT_EQ(before, to);
}

}  // namespace
}  // namespace heddle::checker
