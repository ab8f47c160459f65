#include "model/sector_cache.h"

#include <gtest/gtest.h>

namespace heddle::model {
namespace {

TEST(SectorCache, ForgetsTheLeastRecentlyUsed) {
  SectorCache cache(3 * 32);
  for (const uint64_t sector : {1, 2, 3}) EXPECT_FALSE(cache.find(sector));
  EXPECT_TRUE(cache.find(1));
  EXPECT_FALSE(cache.find(4));  // for 2
  EXPECT_TRUE(cache.find(1));
  EXPECT_TRUE(cache.find(3));
  EXPECT_FALSE(cache.find(2));
  cache.clear();
  EXPECT_FALSE(cache.find(1));
}

TEST(SectorCache, OfNoBytesHasNothing) {
  SectorCache cache(0);
  EXPECT_FALSE(cache.find(1));
  EXPECT_FALSE(cache.find(1));
}

}  // namespace
}  // namespace heddle::model
