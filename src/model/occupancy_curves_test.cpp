#include "model/occupancy_curves.h"

#include <gtest/gtest.h>

#include "model/testing.h"

namespace heddle::model {
namespace {

TEST(Curves, FollowTheGuidesOnG80) {
  // Best Practices Guide 4.2: 12 registers a thread; 128 threads 5 blocks, 256 threads 2.
  const Curves c = curves(arch_of("sm_10"), {.threads = 256, .registers = 12});
  EXPECT_EQ(c.threads.at(128).occupancy.warps, 20u);
  EXPECT_EQ(c.threads.at(256).occupancy.warps, 16u);
  EXPECT_EQ(c.threads.limit, 512u);
  // Tutorial, slide 103: three blocks to 10 registers. One to 32: 32 x 256 = 8192.
  // Four would fit by registers to 8 (8 x 256 x 4 = 8192), three by warps.
  ASSERT_EQ(c.registers.stretches.size(), 5u);
  EXPECT_EQ(c.registers.stretches[0].last, 8u);
  EXPECT_EQ(c.registers.stretches[0].occupancy.blocks, 3u);
  EXPECT_EQ(c.registers.stretches[1].last, 10u);
  EXPECT_EQ(c.registers.stretches[1].occupancy.blocks, 3u);
  EXPECT_EQ(c.registers.stretches[2].last, 16u);
  EXPECT_EQ(c.registers.stretches[3].last, 32u);
  EXPECT_EQ(c.registers.stretches[4].last, 124u);
  EXPECT_EQ(c.registers.stretches[4].occupancy.blocks, 0u);
  // 8192 bytes let two of 16384 in.
  EXPECT_EQ(c.shared.at(8192).occupancy.blocks, 2u);
  EXPECT_EQ(c.shared.at(8704).occupancy.blocks, 1u);
}

TEST(Curves, HaveNoGaps) {
  const Curves c = curves(arch_of("sm_90"), {.threads = 256, .registers = 40, .shared_bytes = 4096});
  for (const Curve* curve : {&c.threads, &c.registers, &c.shared}) {
    for (std::size_t i = 1; i < curve->stretches.size(); ++i)
      EXPECT_EQ(curve->stretches[i].first, curve->stretches[i - 1].last + curve->step);
    EXPECT_LE(curve->stretches.back().last, curve->limit);
    EXPECT_GT(curve->stretches.back().last + curve->step, curve->limit);
  }
}

}  // namespace
}  // namespace heddle::model
