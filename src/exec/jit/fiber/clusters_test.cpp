#include "exec/jit/fiber/clusters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "exec/memory_map.h"

namespace heddle::exec::jit {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool is_there(const std::byte* place) {
  // EFAULT: no such page, or not for reading.
  int ends[2];
  if (pipe(ends) != 0) return false;
  const bool there = write(ends[1], place, 1) == 1;
  close(ends[0]);
  close(ends[1]);
  return there;
}

class MemoryOfACluster : public ::testing::TestWithParam<uint64_t> {};

TEST_P(MemoryOfACluster, IsSeenByAllAndByOne) {
  const uint64_t bytes = GetParam(), reserved = 1024;
  ClusterMemory memory;
  ASSERT_TRUE(memory.reserve(3, bytes, reserved));
  for (uint32_t rank = 0; rank < 3; ++rank) {
    const uint64_t begin = shared_address(rank, 0);
    if (bytes != 0) {
      std::memset(memory.of_all() + begin, static_cast<int>(rank + 1), bytes);
      EXPECT_EQ(memory.of_block(rank)[begin], std::byte(rank + 1));
      EXPECT_EQ(memory.of_block(rank)[begin + bytes - 1], std::byte(rank + 1));
    }
    const uint64_t system = shared_address(rank, reserved_shared_end - reserved);
    memory.of_block(rank)[system] = std::byte(rank + 7);
    EXPECT_EQ(memory.of_all()[system], std::byte(rank + 7));
    // Behind a block's memory, rounded up to whole vectors, there is nothing; nor is another block's, for it.
    EXPECT_FALSE(is_there(memory.of_all() + begin + (bytes + 63) / 64 * 64));
    EXPECT_FALSE(is_there(memory.of_block(rank) + begin + (bytes + 63) / 64 * 64));
    for (uint32_t other = 0; other < 3 && bytes != 0; ++other)
      EXPECT_EQ(is_there(memory.of_block(rank) + shared_address(other, 0)), other == rank) << rank << other;
  }
  EXPECT_FALSE(is_there(memory.of_all() + shared_address(3, 0)));
  EXPECT_EQ(memory.address_of(reinterpret_cast<uintptr_t>(memory.of_block(2) + 5)), 5U);
  EXPECT_EQ(memory.address_of(reinterpret_cast<uintptr_t>(memory.of_all() + 0xffff'ffff)), 0xffff'ffffU);
  EXPECT_EQ(memory.address_of(reinterpret_cast<uintptr_t>(&memory)), std::nullopt);
  // Another shape: what the first one had is gone.
  ASSERT_TRUE(memory.reserve(2, bytes, reserved));
  EXPECT_FALSE(is_there(memory.of_all() + shared_address(2, 0)));
  EXPECT_EQ(memory.of_all()[shared_address(1, reserved_shared_end - reserved)], std::byte{0});
}
INSTANTIATE_TEST_SUITE_P(, MemoryOfACluster, ::testing::Values(0, 4, 64, 4096, 100000, 232448),
                         [](const auto& test) { return "Of" + std::to_string(test.param) + "Bytes"; });

std::vector<std::pair<uint32_t, uint32_t>> opened(ClusterBarrier& barrier) {
  std::vector<std::pair<uint32_t, uint32_t>> all;
  for (const ClusterBarrier::Waiter& waiter : barrier.open()) all.emplace_back(waiter.rank, waiter.thread);
  return all;
}

// Two blocks of 40 threads: a warp of 32 lanes and one of 8.
class BarrierOfACluster : public ::testing::Test {
 protected:
  BarrierOfACluster() { barrier.reset(2, 40); }
  bool wait(uint32_t rank, uint32_t warp, uint32_t lanes) {
    bool waits = false;
    EXPECT_EQ(barrier.wait(rank, warp, lanes, warp * 32, waits), nullptr);
    return waits;
  }
  ClusterBarrier barrier;
};

TEST_F(BarrierOfACluster, OpensWhenAllHaveCome) {
  EXPECT_THAT(opened(barrier), IsEmpty());
  EXPECT_EQ(barrier.arrive(0, 0, ~0U), nullptr);
  EXPECT_EQ(barrier.arrive(0, 1, 0xff), nullptr);
  EXPECT_TRUE(wait(0, 0, ~0U));
  EXPECT_EQ(barrier.arrive(1, 1, 0xff), nullptr);
  EXPECT_THAT(opened(barrier), IsEmpty());
  EXPECT_EQ(barrier.arrive(1, 0, ~0U), nullptr);
  EXPECT_THAT(opened(barrier), ElementsAre(std::pair(0U, 0U)));
  EXPECT_FALSE(wait(1, 0, ~0U)) << "the phase is over";
  EXPECT_FALSE(wait(0, 1, 0xff));
  EXPECT_FALSE(wait(1, 1, 0xff));
}

TEST_F(BarrierOfACluster, DoesNotWaitForWhoHasExited) {
  EXPECT_EQ(barrier.arrive(0, 0, 1), nullptr);
  EXPECT_TRUE(wait(0, 0, 1));
  barrier.exit(0, 0, ~1U);
  barrier.exit(0, 0, ~1U);  // told twice
  barrier.exit(0, 1, 0xff);
  barrier.exit(1, 1, 0xff);
  EXPECT_THAT(opened(barrier), IsEmpty());
  EXPECT_EQ(barrier.arrive(1, 0, 0xffff), nullptr);
  barrier.exit(1, 0, 0xffff);  // having come
  EXPECT_THAT(opened(barrier), IsEmpty());
  barrier.exit(1, 0, 0xffff0000);
  EXPECT_THAT(opened(barrier), ElementsAre(std::pair(0U, 0U)));
  // The next phase is lane 0's alone.
  EXPECT_EQ(barrier.arrive(0, 0, 1), nullptr);
  EXPECT_THAT(opened(barrier), IsEmpty()) << "nobody waits yet";
  EXPECT_FALSE(wait(0, 0, 1));
}

TEST_F(BarrierOfACluster, WantsArrivalsAndWaitsInTurn) {
  EXPECT_EQ(barrier.arrive(0, 0, 3), nullptr);
  EXPECT_STREQ(barrier.arrive(0, 0, 2),
               "the thread arrives at the cluster's barrier twice without waiting for it");
  bool waits = false;
  EXPECT_STREQ(barrier.wait(0, 0, 4, 0, waits),
               "the thread waits for the cluster's barrier without having arrived");
}

}  // namespace
}  // namespace heddle::exec::jit
