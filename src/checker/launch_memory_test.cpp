#include "checker/launch_memory.h"

#include <gtest/gtest.h>

#include <numeric>

namespace heddle::checker {
namespace {

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

TEST(LaunchMemory, PutsBackAndTellsWhatDiffers) {
  alignas(8) std::vector<uint32_t> ints(5000), others(3, 7);
  std::iota(ints.begin(), ints.end(), 0U);
  const std::vector<uint32_t> before = ints;
  LaunchMemory memory;
  ASSERT_TRUE(memory.keep({{address(ints.data()), 20000, address(ints.data()), 20000, false},
                           {address(others.data()), 12, address(others.data()), 12, false}}));
  ints[3] = 100, ints[4999] = 1;
  ASSERT_TRUE(memory.keep_result());
  EXPECT_EQ(memory.compare(10).bytes, 0U);
  memory.restore();
  EXPECT_EQ(ints, before);
  ints[3] = 100, ints[4999] = 1, ints[10] = 11 + 256, others[2] = 8;
  const LaunchMemory::Difference difference = memory.compare(10);
  EXPECT_EQ(difference.bytes, 3U);
  EXPECT_FALSE(difference.permuted);
  ASSERT_EQ(difference.words.size(), 2U);
  EXPECT_EQ(difference.words[0].address, address(&ints[10]));
  EXPECT_EQ(difference.words[0].part, 0U);
  EXPECT_EQ(difference.words[0].now & UINT32_MAX, 11U + 256);
  // What there is of a word at a part's end.
  EXPECT_EQ(difference.words[1].address, address(&others[2]));
  EXPECT_EQ(difference.words[1].result, 7U);
  EXPECT_EQ(difference.words[1].now, 8U);
  EXPECT_EQ(memory.compare(1).words.size(), 1U);
}

TEST(LaunchMemory, KnowsTheSameElementsInAnotherOrder) {
  alignas(8) std::vector<uint32_t> ints{1, 2, 3, 4, 5, 5};
  LaunchMemory memory;
  const uint64_t begin = address(ints.data());
  ASSERT_TRUE(memory.keep({{begin, 24, begin, 24, false}}) && memory.keep_result());
  ints = {5, 2, 1, 4, 3, 5};
  EXPECT_TRUE(memory.compare(10).permuted);
  ints = {5, 2, 1, 4, 1, 5};
  EXPECT_FALSE(memory.compare(10).permuted);
}

// Where pieces of the heap lie depends on who came first.
TEST(LaunchMemory, LeavesOutPointersIntoTheHeap) {
  alignas(8) std::vector<uint64_t> heap(16), pointers(2);
  pointers = {address(&heap[0]), 1};
  LaunchMemory memory;
  ASSERT_TRUE(memory.keep({{address(heap.data()), 128, address(heap.data()), 128, true},
                           {address(pointers.data()), 16, address(pointers.data()), 16, false}}) &&
              memory.keep_result());
  memory.set_heaps({{address(heap.data()), 128}});
  pointers[0] = address(&heap[4]), heap[3] = 9;
  EXPECT_EQ(memory.compare(10).bytes, 0U);
  pointers[1] = address(&heap[4]);
  EXPECT_NE(memory.compare(10).bytes, 0U);
}

}  // namespace
}  // namespace heddle::checker
