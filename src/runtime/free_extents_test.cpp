#include "runtime/free_extents.h"

#include <gtest/gtest.h>

namespace heddle::runtime {
namespace {

TEST(FreeExtents, TakeTheSmallestThatFits) {
  FreeExtents free;
  free.add(0x1000, 0x1000);
  free.add(0x4000, 0x200);
  EXPECT_EQ(free.take(0x100, 16), 0x4000u);
  EXPECT_EQ(free.take(0x800, 16), 0x1000u);
  EXPECT_EQ(free.largest(), 0x800u);
  EXPECT_EQ(free.take(0x801, 16), std::nullopt);
}

TEST(FreeExtents, AlignTheBeginning) {
  FreeExtents free;
  free.add(0x1010, 0x3000);
  EXPECT_EQ(free.take(0x1000, 0x1000), 0x2000u);
  EXPECT_TRUE(free.take_at(0x1010, 0xff0));
  EXPECT_TRUE(free.take_at(0x3000, 0x1010));
  EXPECT_TRUE(free.empty());
}

TEST(FreeExtents, FindAlignedRoomBehindManyBadlyAlignedOnes) {
  FreeExtents free;
  for (uint64_t i = 0; i < 100; ++i) free.add(0x10000 * i + 0x10, 0x1000);
  free.add(0x10000000, 0x2000);
  EXPECT_EQ(free.take(0x1000, 0x1000), 0x10000000u);
}

TEST(FreeExtents, GrowTogether) {
  FreeExtents free;
  free.add(0, 0x3000);
  const auto a = free.take(0x1000, 1), b = free.take(0x1000, 1), c = free.take(0x1000, 1);
  ASSERT_TRUE(a && b && c);
  free.add(*a, 0x1000);
  free.add(*c, 0x1000);
  EXPECT_EQ(free.largest(), 0x1000u);
  free.add(*b, 0x1000);
  EXPECT_EQ(free.take(0x3000, 1), 0u);
}

TEST(FreeExtents, RefuseWhatIsInUse) {
  FreeExtents free;
  free.add(0x1000, 0x1000);
  EXPECT_FALSE(free.take_at(0x800, 0x1000));
  EXPECT_FALSE(free.take_at(0x1800, 0x1000));
  EXPECT_FALSE(free.take_at(0x1800, ~uint64_t{0}));
  EXPECT_EQ(free.take(0, 1), std::nullopt);
  EXPECT_EQ(free.take(~uint64_t{0}, 4096), std::nullopt);
}

}  // namespace
}  // namespace heddle::runtime
