#include "timing/tally.h"

#include <gtest/gtest.h>

#include <array>

#include "observe/choice.h"
#include "timing/testing.h"

namespace heddle::timing {
namespace {

// A warp loads a line.
void tell_load(observe::Sink& sink, uint32_t block, uint32_t warp, uint64_t line) {
  std::array<uint64_t, 32> addresses{};
  for (uint64_t lane = 0; lane < 32; ++lane) addresses[lane] = (1 << 20) + line * 128 + lane * 4;
  sink.access({.place = {0, 0},
               .block = {block, 0, 0},
               .warp = warp,
               .lanes = ~0U,
               .bytes = 4,
               .addresses = addresses.data()});
}

// Each warp of a grid loads a line of its own and one that all load: told as far as the sink wants it.
Tallied of_grid(uint32_t blocks, uint32_t warps, uint64_t& told) {
  const Machine machine = testing::h200();
  const IssuedProgram program = testing::program_of(4);
  Tally tally(machine, program, testing::shape_of(blocks, warps * 32), 1 << 16);
  observe::Sink& sink = tally.sink();
  observe::ChoosingSink* choosing = observe::choosing_sink(&sink);
  for (uint32_t block = 0; block < blocks; ++block) {
    uint32_t wanted = ~0U;
    if (choosing != nullptr) choosing->begin(block, wanted);
    for (uint32_t warp = 0; warp < warps; ++warp) {
      if ((wanted >> warp & 1) == 0) continue;
      ++told;
      sink.visit({.place = {0, 0}, .block = {block, 0, 0}, .warp = warp, .lanes = ~0U});
      for (const uint64_t line : {uint64_t{0}, uint64_t{1} + block * warps + warp})
        tell_load(sink, block, warp, line);
    }
  }
  observe::Count count;
  count.warps = uint64_t{blocks} * warps;
  sink.count({0, 0}, count);
  return tally.tallied();
}

TEST(Tally, OfSmallGridsEachAccessCounts) {
  uint64_t told = 0;
  const Tallied t = of_grid(128, 32, told);
  EXPECT_EQ(told, 128u * 32);
  EXPECT_EQ(t.loaded, 128u * 32 * 2 * 4);
  EXPECT_EQ(t.hits, 128u * 31 * 4) << "of each block's warps all but one find the line that all load";
}

TEST(Tally, SomeBlocksStandForALargeGrid) {
  uint64_t told = 0;
  const Tallied t = of_grid(1 << 14, 4, told);
  EXPECT_EQ(told, 1024u * 4);
  EXPECT_EQ(t.loaded, (uint64_t{1} << 16) * 2 * 4);
  EXPECT_EQ(t.hits, (uint64_t{1} << 14) * 3 * 4);
  // One line in 16 is looked at: 256 of those that were seen.
  const auto lines = static_cast<double>(1 << 16);
  EXPECT_NEAR(static_cast<double>(t.read) / 4, lines, lines * 0.25);
  EXPECT_EQ(t.written, 0u);
}

// Of a warp that makes many accesses no more than count are told, and stand for all.
TEST(Tally, TheFirstAccessesOfLongWarpsStandForAll) {
  const Machine machine = testing::h200();
  const IssuedProgram program = testing::program_of(4);
  Tally tally(machine, program, testing::shape_of(132, 256), 1 << 16);
  observe::Sink& sink = tally.sink();
  observe::ChoosingSink* choosing = observe::choosing_sink(&sink);
  ASSERT_NE(choosing, nullptr);
  constexpr uint64_t rounds = 5000;
  uint64_t told = 0;
  for (uint32_t block = 0; block < 132; ++block) {
    uint32_t wanted = 0;
    choosing->begin(block, wanted);
    for (uint32_t warp = 0; warp < 8; ++warp)
      for (uint64_t n = 0; n < rounds && (wanted >> warp & 1) != 0; ++n) {
        ++told;
        sink.visit({.place = {0, 0}, .block = {block, 0, 0}, .warp = warp, .lanes = ~0U});
        tell_load(sink, block, warp, (block * 8 + warp) * rounds + n);
      }
  }
  observe::Count count;
  count.warps = 132 * 8 * rounds;
  sink.count({0, 0}, count);
  const Tallied t = tally.tallied();
  EXPECT_LE(told, 1'000'000u);
  EXPECT_EQ(t.loaded, 132 * 8 * rounds * 4);
  EXPECT_NEAR(static_cast<double>(t.read), 132.0 * 8 * rounds * 4, 132.0 * 8 * rounds * 4 * 0.03);
}

}  // namespace
}  // namespace heddle::timing
