#include "exec/jit/launch/started_blocks.h"

#include <gtest/gtest.h>

namespace heddle::exec::jit {
namespace {

constexpr auto never = [] { return false; };

TEST(StartedBlocks, WaitForThoseWhosePlacesTheyTake) {
  StartedBlocks blocks(100, 2);
  EXPECT_EQ(blocks.most_of_a_thread(), 50u);
  blocks.will_take(0, 0);
  ASSERT_TRUE(blocks.took(0, 0, 50, never));
  blocks.will_take(1, 50);
  ASSERT_TRUE(blocks.took(1, 50, 50, never));  // 50 to 99 fit beside 0 to 49
  std::atomic<bool> went_on{false};
  std::thread other([&] {
    blocks.will_take(1, 100);
    EXPECT_TRUE(blocks.took(1, 100, 50, never));
    went_on = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(went_on);
  blocks.ended(0);
  other.join();
  EXPECT_TRUE(went_on);
}

TEST(StartedBlocks, StopWhenTheLaunchDoes) {
  StartedBlocks blocks(10, 2);
  blocks.will_take(0, 0);
  ASSERT_TRUE(blocks.took(0, 0, 1, never));
  blocks.will_take(1, 20);
  EXPECT_FALSE(blocks.took(1, 20, 1, [] { return true; }));
}

// Block 0 waits for what block 20 does: on a device that would have come to another's place.
TEST(StartedBlocks, GoOnWhenNothingEnds) {
  StartedBlocks blocks(10, 2);
  blocks.will_take(0, 0);
  ASSERT_TRUE(blocks.took(0, 0, 1, never));
  blocks.will_take(1, 20);
  EXPECT_TRUE(blocks.took(1, 20, 1, never));
}

}  // namespace
}  // namespace heddle::exec::jit
