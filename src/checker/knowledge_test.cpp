#include "checker/knowledge.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace heddle::checker {
namespace {

TEST(Knowledge, IsWhatEitherSideKnew) {
  std::mt19937 draw(5);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(draw() % n); };
  constexpr uint32_t blocks = 5, threads = 96;
  for (int round = 0; round < 200; ++round) {
    SharedKnowledge sides[3];
    std::map<std::pair<uint64_t, uint32_t>, Moment> expected;
    const auto note = [&](uint64_t block, uint32_t thread, Moment until) {
      Moment& known = expected[{block, thread}];
      known = std::max(known, until);
    };
    for (SharedKnowledge& side : sides) {
      if (&side == &sides[2] && below(2) == 0) side.join(sides[below(2)]);  // one that is shared
      for (uint32_t n = below(8); n != 0; --n) {
        const uint64_t block = below(blocks);
        const Moment until = 1 + below(20);
        BlockKnown& of = side.own().change(block);
        switch (below(3)) {
          case 0:
            of.know_all(until);
            for (uint32_t t = 0; t < threads; ++t) note(block, t, until);
            break;
          case 1: {
            const uint32_t warp = below(threads / 32);
            of.know_warp(warp, until);
            for (uint32_t t = warp * 32; t < warp * 32 + 32; ++t) note(block, t, until);
            break;
          }
          default: {
            const uint32_t thread = below(threads);
            of.know_thread(thread, until);
            note(block, thread, until);
          }
        }
      }
    }
    const SharedKnowledge first = sides[0];
    SharedKnowledge all = sides[0];
    all.join(sides[1]), all.join(sides[2]), all.join(sides[1]);
    for (uint64_t block = 0; block < blocks; ++block)
      for (uint32_t thread = 0; thread < threads; ++thread) {
        const auto found = expected.find({block, thread});
        EXPECT_EQ(all.of(block, thread), found == expected.end() ? 0U : found->second);
        EXPECT_EQ(first.of(block, thread), sides[0].of(block, thread));  // what others share stays
        EXPECT_LE(first.of(block, thread), all.of(block, thread));
      }
  }
}

TEST(Knowledge, CoversWhatChangesNothing) {
  BlockKnown one, other;
  const auto covers = [&] { return one.compare(other).covers; };
  const auto covered = [&] { return one.compare(other).covered; };
  EXPECT_TRUE(covers() && covered());
  other.know_thread(40, 3);
  EXPECT_TRUE(!covers() && covered());
  one.know_warp(1, 3);
  EXPECT_TRUE(covers() && !covered());
  other.know_thread(70, 1);
  EXPECT_TRUE(!covers() && !covered());
  one.know_all(1);
  EXPECT_TRUE(covers() && !covered());
  other.know_all(2);
  EXPECT_TRUE(!covers() && !covered());
  other.know_all(3);
  EXPECT_TRUE(!covers() && covered());
}

}  // namespace
}  // namespace heddle::checker
