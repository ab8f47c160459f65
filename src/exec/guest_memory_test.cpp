#include "exec/guest_memory.h"

#include <gtest/gtest.h>

#include <thread>

namespace heddle::exec {
namespace {

constexpr uint64_t mib = 1 << 20;

TEST(GuestMemory, nothing_is_accessible_at_first) {
  const GuestMemory memory;
  EXPECT_FALSE(memory.accessible(0, 1, false));
  EXPECT_FALSE(memory.accessible(0x7f00'0000'0000, 4, false));
  EXPECT_FALSE(memory.accessible(~uint64_t{0}, 4, false));
}

TEST(GuestMemory, a_range_is_accessible_from_its_first_to_its_last_page) {
  GuestMemory memory;
  memory.add(0x10000, 0x3000, true);
  EXPECT_TRUE(memory.accessible(0x10000, 16, true));
  EXPECT_TRUE(memory.accessible(0x12ff0, 16, true));
  EXPECT_TRUE(memory.accessible(0x10000, 0x3000, false));
  EXPECT_FALSE(memory.accessible(0x12ff8, 16, false));
  EXPECT_FALSE(memory.accessible(0xffff, 1, false));
  EXPECT_FALSE(memory.accessible(0x13000, 1, false));
}

TEST(GuestMemory, a_read_only_range_takes_no_writes) {
  GuestMemory memory;
  memory.add(0x10000, 0x1000, false);
  EXPECT_TRUE(memory.accessible(0x10000, 4, false));
  EXPECT_FALSE(memory.accessible(0x10000, 4, true));
}

TEST(GuestMemory, large_ranges_and_their_ragged_ends) {
  GuestMemory memory;
  const uint64_t begin = 0x7f12'3456'7000;
  memory.add(begin, 100 * mib + 0x1000, true);
  EXPECT_TRUE(memory.accessible(begin, 100 * mib + 0x1000, true));
  EXPECT_FALSE(memory.accessible(begin, 100 * mib + 0x1001, true));
  EXPECT_FALSE(memory.accessible(begin - 1, 1, true));
  memory.remove(begin);
  EXPECT_FALSE(memory.accessible(begin, 1, false));
  EXPECT_FALSE(memory.accessible(begin + 50 * mib, 1, false));
  EXPECT_FALSE(memory.accessible(begin + 100 * mib, 1, false));
}

TEST(GuestMemory, a_small_hole_in_what_was_large) {
  GuestMemory memory;
  memory.add(64 * mib, 16 * mib, true);
  memory.remove(64 * mib);
  memory.add(64 * mib + 0x1000, 0x1000, true);
  EXPECT_FALSE(memory.accessible(64 * mib, 1, false));
  EXPECT_TRUE(memory.accessible(64 * mib + 0x1000, 0x1000, true));
  EXPECT_FALSE(memory.accessible(64 * mib + 0x2000, 1, false));
}

TEST(GuestMemory, ranges_that_share_a_page_survive_one_another) {
  GuestMemory memory;
  memory.add(0x10000, 0x100, true);
  memory.add(0x10200, 0x100, true);
  memory.remove(0x10000);
  EXPECT_TRUE(memory.accessible(0x10200, 0x100, true));
  memory.remove(0x10200);
  EXPECT_FALSE(memory.accessible(0x10200, 1, false));
}

TEST(GuestMemory, ends_count_to_the_byte) {
  GuestMemory memory;
  memory.add(0x10f00, 0x1105, true);
  EXPECT_TRUE(memory.accessible(0x10f00, 0x1105, true));
  EXPECT_FALSE(memory.accessible(0x10eff, 1, false));
  EXPECT_FALSE(memory.accessible(0x10eff, 2, false));
  EXPECT_TRUE(memory.accessible(0x12004, 1, true));
  EXPECT_FALSE(memory.accessible(0x12004, 2, false));
  EXPECT_FALSE(memory.accessible(0x12005, 1, false));
  memory.remove(0x10f00);
  EXPECT_FALSE(memory.accessible(0x11000, 1, false));
  memory.add(0x10000, 0x1000, true);
  EXPECT_TRUE(memory.accessible(0x10000, 0x1000, true));
}

TEST(GuestMemory, a_last_page_of_many_that_is_cut_short) {
  GuestMemory memory;
  memory.add(64 * mib, 16 * mib - 3, true);
  EXPECT_TRUE(memory.accessible(64 * mib, 16 * mib - 3, true));
  EXPECT_FALSE(memory.accessible(80 * mib - 3, 1, true));
}

TEST(GuestMemory, readers_need_no_lock) {
  GuestMemory memory;
  memory.add(0x100000, 0x1000, true);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    for (int i = 0; i < 200; ++i) {
      memory.add(256 * mib, 40 * mib, true);
      memory.remove(256 * mib);
    }
    stop = true;
  });
  uint64_t reads = 0;
  do {
    ASSERT_TRUE(memory.accessible(0x100000, 8, true));
    (void)memory.accessible(256 * mib + reads % (40 * mib), 8, true);
    ++reads;
  } while (!stop);
  writer.join();
}

}  // namespace
}  // namespace heddle::exec
