#include "checker/warp_partners.h"

#include <gtest/gtest.h>

namespace heddle::checker {
namespace {

using Operation = WarpPartners::Operation;
constexpr uint32_t shuffle = 1, vote = 2, barrier = 3;
constexpr observe::Mask low = 0xffff, high = 0xffff0000, all = ~0U;

Operation at(uint32_t instruction, uint32_t kind, observe::Mask members) {
  return {.place = {0, instruction}, .kind = kind, .members = members};
}

TEST(WarpPartners, MeetWhereverTheyStandInTheProgram) {
  WarpPartners warp;
  warp.begin(all);
  EXPECT_FALSE(warp.come(all, at(1, shuffle, all)));
  // Both sides of a branch, one behind the other, and twice.
  for (const uint32_t place : {2U, 3U}) EXPECT_FALSE(warp.come(low, at(place, shuffle, all)));
  for (const uint32_t place : {4U, 5U}) EXPECT_FALSE(warp.come(high, at(place, shuffle, all)));
  // Halves on their own, and then together.
  EXPECT_FALSE(warp.come(low, at(6, vote, low)));
  EXPECT_FALSE(warp.come(high, at(7, shuffle, high)));
  EXPECT_FALSE(warp.come(all, at(8, barrier, all)));
}

TEST(WarpPartners, WaitForEachOtherAtDifferentOnes) {
  WarpPartners warp;
  warp.begin(all);
  EXPECT_FALSE(warp.come(low, at(1, shuffle, all)));
  const auto apart = warp.come(high, at(2, barrier, all));
  ASSERT_TRUE(apart);
  EXPECT_EQ(apart->lane, 0U);
  EXPECT_EQ(apart->other_lane, 16U);
  EXPECT_EQ(apart->here.place.instruction, 1U);
  EXPECT_EQ(apart->there.place.instruction, 2U);
  EXPECT_FALSE(warp.come(low, at(2, barrier, all)));  // told once
}

TEST(WarpPartners, WaitForEachOtherByDifferentMasks) {
  WarpPartners warp;
  warp.begin(all);
  EXPECT_FALSE(warp.come(low, at(1, shuffle, all)));
  EXPECT_FALSE(warp.come(high, at(1, shuffle, high)));  // may still come
  EXPECT_TRUE(warp.come(high, at(1, shuffle, all & ~1U)) || warp.come(1, at(9, vote, all)));
}

TEST(WarpPartners, AreNotThoseThatHaveEnded) {
  WarpPartners warp;
  warp.begin(low);  // a short last warp
  EXPECT_FALSE(warp.come(low, at(1, shuffle, all)));
  EXPECT_FALSE(warp.exit(0xff00));
  EXPECT_FALSE(warp.come(0xff, at(2, shuffle, all)));
  // The last one that is waited for ends instead.
  EXPECT_FALSE(warp.come(0x7f, at(3, shuffle, all)));
  EXPECT_FALSE(warp.exit(0x80));
  EXPECT_FALSE(warp.come(0x7f, at(4, barrier, all)));
}

}  // namespace
}  // namespace heddle::checker
