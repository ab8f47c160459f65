#include "runtime/guest_services.h"

#include <gtest/gtest.h>

#include <thread>

namespace heddle::runtime {
namespace {

TEST(PrintfRing, HoldsItsTextsUntilItIsFlushed) {
  std::string out;
  PrintfRing ring([&](std::string_view text) { out += text; }, 100, false);
  ring.print("one ");
  ring.print("two");
  EXPECT_EQ(out, "");
  ring.flush();
  EXPECT_EQ(out, "one two");
  ring.flush();
  EXPECT_EQ(out, "one two");
}

TEST(PrintfRing, OverwritesTheOldestWhenItIsFull) {
  std::string out;
  PrintfRing ring([&](std::string_view text) { out += text; }, 8, false);
  for (const char* text : {"aaa", "bbb", "ccc", "dd"}) ring.print(text);
  ring.flush();
  EXPECT_EQ(out, "bbbcccdd");
  ring.print("123456789");
  ring.flush();
  EXPECT_EQ(out, "bbbcccdd");
  ring.set_capacity(2);
  ring.print("x");
  ring.print("yz");
  ring.flush();
  EXPECT_EQ(out, "bbbcccddyz");
}

TEST(PrintfRing, CanPassEverythingOnAtOnce) {
  std::string out;
  PrintfRing ring([&](std::string_view text) { out += text; }, 0, true);
  ring.print("now");
  EXPECT_EQ(out, "now");
}

// A heap over memory that nobody touches.
DeviceHeap heap_of(uint64_t bytes, int* reserved = nullptr) {
  return DeviceHeap(bytes, [reserved](uint64_t wanted) -> AllocationRef {
    if (reserved != nullptr) ++*reserved;
    auto memory = std::make_shared<Allocation>();
    memory->address = 0x10000;
    memory->bytes = wanted;
    return memory;
  });
}

TEST(DeviceHeap, GivesOutPiecesAlignedTo16Bytes) {
  DeviceHeap heap = heap_of(1024);
  const uint64_t a = heap.allocate(1), b = heap.allocate(17);
  EXPECT_NE(a, 0u);
  EXPECT_EQ(a % 16, 0u);
  EXPECT_EQ(b % 16, 0u);
  EXPECT_GE(b > a ? b - a : a - b, 16u);
  EXPECT_EQ(heap.allocate(1024), 0u);
  EXPECT_TRUE(heap.release(a));
  EXPECT_TRUE(heap.release(b));
  EXPECT_NE(heap.allocate(1024), 0u);
}

TEST(DeviceHeap, KnowsItsOwn) {
  DeviceHeap heap = heap_of(1024);
  const uint64_t a = heap.allocate(64);
  EXPECT_FALSE(heap.release(a + 16));
  EXPECT_FALSE(heap.release(0x5000));
  EXPECT_TRUE(heap.release(a));
  EXPECT_FALSE(heap.release(a));
  EXPECT_EQ(heap.allocate(~uint64_t{0}), 0u);
  EXPECT_NE(heap.allocate(0), 0u);
}

TEST(DeviceHeap, ItsSizeIsSettledByTheFirstUse) {
  int reserved = 0;
  DeviceHeap heap = heap_of(1024, &reserved);
  EXPECT_TRUE(heap.set_limit(2048));
  EXPECT_EQ(reserved, 0);
  EXPECT_NE(heap.allocate(2000), 0u);
  EXPECT_EQ(reserved, 1);
  EXPECT_FALSE(heap.set_limit(4096));
  EXPECT_TRUE(heap.set_limit(2048));
  EXPECT_EQ(heap.limit(), 2048u);
  DeviceHeap none(0, [](uint64_t) -> AllocationRef { return nullptr; });
  EXPECT_EQ(none.allocate(1), 0u);
}

TEST(ObjectTable, FindsObjectsByHandle) {
  ObjectTable<std::string, 1> table;
  ObjectTable<std::string, 2> other;
  const uint64_t a = *table.add("a"), b = *table.add("b");
  EXPECT_NE(a, 0u);
  EXPECT_EQ(*table.find(a), "a");
  EXPECT_EQ(*table.find(b), "b");
  EXPECT_EQ(other.find(a), nullptr);
  EXPECT_EQ(table.find(0), nullptr);
  EXPECT_EQ(table.find(~uint64_t{0}), nullptr);
  EXPECT_FALSE(other.remove(a));
  EXPECT_TRUE(table.remove(a));
  EXPECT_FALSE(table.remove(a));
  EXPECT_EQ(table.find(a), nullptr);
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(table.add(std::to_string(i)));
  EXPECT_EQ(*table.find(b), "b");
}

TEST(ObjectTable, WhatIsReleasedIsFoundUntilItIsRemoved) {
  ObjectTable<std::string, 1> table;
  const uint64_t handle = *table.add("a");
  EXPECT_TRUE(table.release(handle));
  EXPECT_FALSE(table.release(handle));
  EXPECT_EQ(*table.find(handle), "a");
  EXPECT_NE(*table.add("b"), handle);
  EXPECT_TRUE(table.remove(handle));
  EXPECT_FALSE(table.release(handle));
  EXPECT_EQ(*table.add("c"), handle);  // its place is used again, and may be released again
  EXPECT_TRUE(table.release(handle));
}

TEST(ObjectTable, WhatWasFoundStaysUntilItIsCollected) {
  ObjectTable<std::string, 1> table;
  const uint64_t handle = *table.add(std::string(100, 'x'));
  const std::string* found = table.find(handle);
  EXPECT_TRUE(table.remove(handle));
  table.collect([] { return false; });
  EXPECT_EQ(found->size(), 100u);
  table.collect([] { return true; });
}

TEST(ObjectTable, LookingUpNeedsNoLock) {
  ObjectTable<std::string, 1> table;
  const uint64_t kept = *table.add("kept");
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop) ASSERT_EQ(*table.find(kept), "kept");
  });
  for (int i = 0; i < 3000; ++i) {
    const uint64_t handle = *table.add("other");
    if (i % 2 == 0) {
      ASSERT_TRUE(table.remove(handle));
    }
  }
  stop = true;
  reader.join();
}

}  // namespace
}  // namespace heddle::runtime
