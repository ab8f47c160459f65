#include "timing/recorder.h"

#include <gtest/gtest.h>

#include "observe/choice.h"
#include "timing/testing.h"

namespace heddle::timing {
namespace {

using testing::h200;
using testing::program_of;
using testing::shape_of;

// As an executor tells: so many visits of each warp of the blocks, unless the sink does not want them. How
// many it was told.
uint64_t run(observe::Sink& sink, uint32_t first, uint32_t end, uint32_t warps, uint32_t visits) {
  observe::ChoosingSink* choosing = observe::choosing_sink(&sink);
  uint64_t told = 0;
  for (uint32_t block = first; block < end; ++block) {
    uint32_t wanted = 0;
    choosing->begin(block, wanted);
    for (uint32_t warp = 0; warp < warps; ++warp)
      for (uint32_t n = 0; n < visits; ++n) {
        if ((wanted >> warp & 1) == 0) continue;
        ++told;
        sink.visit({.place = {0, 0}, .block = {block, 0, 0}, .warp = warp, .lanes = ~0U});
      }
  }
  return told;
}

TEST(Recorder, ShortLaunchesAreRecordedWhole) {
  const Machine machine = h200();
  const IssuedProgram program = program_of(4);
  Recorder recorder(machine, program, shape_of(500, 64), 8);
  EXPECT_EQ(run(recorder.sink(), 0, 500, 2, 100), 100'000u);
  ASSERT_EQ(recorder.blocks().size(), 500u);
  EXPECT_GE(recorder.events_per_warp(), 100u);
  for (const BlockTrace& block : recorder.blocks())
    for (const WarpTrace& warp : block.warps) {
      EXPECT_EQ(warp.events.size(), 100u);
      EXPECT_FALSE(warp.cut);
    }
}

// 132 multiprocessors, 2 blocks each: three waves are 792 blocks.
TEST(Recorder, OfLongLaunchesFewerBlocksAreAndBeginningsOfWarps) {
  const Machine machine = h200();
  const IssuedProgram program = program_of(10);
  Recorder recorder(machine, program, shape_of(5000, 1024), 2);
  // 5000 blocks of 32 warps do 10 operations at each of 1000 visits: a part of 128 are 1.25 million visits,
  // 49 of each warp of so many blocks.
  const uint64_t told = run(recorder.sink(), 0, 5000, 32, 1000);
  EXPECT_EQ(recorder.blocks().size(), 792u);
  EXPECT_EQ(recorder.events_per_warp(), 49u);
  EXPECT_LT(told, 1'500'000u);
  for (const BlockTrace& block : recorder.blocks())
    for (const WarpTrace& warp : block.warps) {
      EXPECT_GE(warp.events.size(), 49u);
      EXPECT_TRUE(warp.cut);
    }
}

// The first block may be slow: what others have recorded until it has ended does not count.
TEST(Recorder, WhatCountsDoesNotDependOnWhoWasFirst) {
  const Machine machine = h200();
  const IssuedProgram program = program_of(10);
  const auto record = [&](bool others_first) {
    auto recorder = std::make_unique<Recorder>(machine, program, shape_of(5000, 1024), 2);
    observe::Sink &one = recorder->sink(), &other = recorder->sink();
    if (others_first) run(other, 1, 900, 32, 1000);
    run(one, 0, 1, 32, 1000);
    run(one, others_first ? 900 : 1, 5000, 32, 1000);
    return recorder;
  };
  const auto early = record(false), late = record(true);
  ASSERT_EQ(early->blocks().size(), late->blocks().size());
  ASSERT_EQ(early->events_per_warp(), late->events_per_warp());
  EXPECT_GT(late->blocks()[7].warps[3].events.size(), early->blocks()[7].warps[3].events.size());
  for (std::size_t block = 0; block < early->blocks().size(); ++block)
    for (std::size_t warp = 0; warp < 32; ++warp) {
      EXPECT_GE(early->blocks()[block].warps[warp].events.size(), early->events_per_warp());
      EXPECT_GE(late->blocks()[block].warps[warp].events.size(), early->events_per_warp());
    }
}

}  // namespace
}  // namespace heddle::timing
