#include "exec/jit/compiler/record.h"

#include <gtest/gtest.h>

namespace heddle::exec::jit {
namespace {

TEST(Record, ComesBackAsItWas) {
  KernelRecord record;
  record.object = std::string("\0code", 5);
  record.slow_object = "slow";
  record.slow_parts = 3;
  record.sites = {{1, 2, 3, 4, 5, 6}, {}};
  record.lanes = {{}, AccessLanes::of_row(48, 8), AccessLanes::of_runs(AccessLanes::run_row, 4, 16, 20)};
  record.slot_bytes = uint64_t{1} << 40;
  record.local_bytes = 77;
  record.local_granule = 8;
  record.merged_blocks = 32;
  record.uses_steps = true;
  record.by_warps = true;
  record.blocks_wait = true;
  record.watches = true;
  const std::string bytes = write_record(record);
  const auto back = read_record(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->object, record.object);
  EXPECT_EQ(back->slow_object, "slow");
  EXPECT_EQ(back->slow_parts, 3u);
  EXPECT_EQ(back->reason, "");
  ASSERT_EQ(back->sites.size(), 2u);
  EXPECT_EQ(back->sites[0].called_from, 3u);
  EXPECT_EQ(back->sites[0].frame, 4u);
  EXPECT_EQ(back->sites[0].order, 5u);
  EXPECT_EQ(back->sites[0].turns, 6u);
  EXPECT_EQ(back->sites[1].function, module::none);
  EXPECT_EQ(back->lanes, record.lanes);
  EXPECT_EQ(back->slot_bytes, record.slot_bytes);
  EXPECT_EQ(back->local_bytes, 77u);
  EXPECT_EQ(back->local_granule, 8u);
  EXPECT_EQ(back->merged_blocks, 32u);
  EXPECT_FALSE(back->uses_shared);
  EXPECT_TRUE(back->uses_steps);
  EXPECT_FALSE(back->by_threads);
  EXPECT_TRUE(back->by_warps);
  EXPECT_TRUE(back->blocks_wait);
  EXPECT_TRUE(back->watches);
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(read_record(bytes.substr(0, n)));
  EXPECT_FALSE(read_record(bytes + '\0'));
}

}  // namespace
}  // namespace heddle::exec::jit
