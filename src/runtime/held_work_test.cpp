#include "runtime/held_work.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

// Has batches, and lets them go in the order that it is told.
class Wanted final : public HeldWork::Conductor {
 public:
  std::vector<uint32_t> order(std::span<const HeldWork::Item> batch) override {
    sizes.push_back(batch.size());
    after.clear();
    for (const HeldWork::Item& item : batch) after.push_back(item.after);
    began_before |= std::ranges::any_of(batch, [](const auto& item) { return item.task->done(); });
    return wanted;
  }
  void missed(std::span<const HeldWork::Item>) override { ++missed_batches; }
  void gave_up() override { ++given_up; }
  std::vector<uint32_t> wanted;
  std::vector<std::size_t> sizes;
  std::vector<std::vector<uint32_t>> after;
  bool began_before = false;
  std::atomic<unsigned> missed_batches{0}, given_up{0};
};

class Held : public testing::Test {
 protected:
  void SetUp() override { test.system->scheduler().hold_work(conductor); }
  void fill(Stream& stream, uint8_t value) { ASSERT_DONE(runtime::fill(stream, memory->address, value, 16)); }
  unsigned value() const { return *pointer<const volatile uint8_t>(memory->address); }
  std::shared_ptr<Wanted> conductor = std::make_shared<Wanted>();
  TestSystem test;
  std::shared_ptr<Context> context = test.context;
  std::shared_ptr<Stream> a = test.stream({.blocking = false}), b = test.stream({.blocking = false});
  AllocationRef memory = *context->allocate(MemoryKind::device, 16);
};

TEST_F(Held, NothingBeginsBeforeTheHostWaitsForSomeOfIt) {
  fill(*a, 1);
  fill(*b, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(value(), 0U);
  EXPECT_DONE(a->synchronize());
  EXPECT_DONE(b->synchronize());
  EXPECT_EQ(conductor->sizes, std::vector<std::size_t>{2});
  EXPECT_FALSE(conductor->began_before);
}

TEST_F(Held, RunsInTheOrderThatIsWanted) {
  for (unsigned turn = 0; turn < 20; ++turn) {
    conductor->wanted = turn % 2 == 0 ? std::vector<uint32_t>{1, 0} : std::vector<uint32_t>{0, 1};
    fill(*a, 1);
    fill(*b, 2);
    EXPECT_DONE(context->synchronize());
    EXPECT_EQ(value(), turn % 2 == 0 ? 1U : 2U);
  }
}

TEST_F(Held, KnowsWhatOrdersTheBatch) {
  Event event(context);
  fill(*a, 1);
  ASSERT_DONE(event.record(*a));
  ASSERT_DONE(b->wait(event));
  fill(*b, 2);
  EXPECT_DONE(context->synchronize());
  ASSERT_EQ(conductor->after.size(), 4U);  // with two marks
  EXPECT_EQ(conductor->after[1], std::vector<uint32_t>{0});
  EXPECT_EQ(conductor->after[2], std::vector<uint32_t>{1});
  EXPECT_EQ(conductor->after[3], std::vector<uint32_t>{2});
  EXPECT_EQ(value(), 2U);
}

TEST_F(Held, AQuestionEndsABatchToo) {
  fill(*a, 1);
  for (int i = 0; i < 2000 && !a->query(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(value(), 1U);
  EXPECT_EQ(conductor->missed_batches, 0U);
}

TEST_F(Held, IsLetGoWhenNobodyWaits) {
  fill(*a, 1);
  for (int i = 0; i < 5000 && conductor->missed_batches == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(conductor->missed_batches, 1U);
  EXPECT_DONE(a->synchronize());
  EXPECT_EQ(value(), 1U);
}

TEST_F(Held, WorkOfAFunctionOfTheHostIsNotHeld) {
  std::atomic<bool> filled = false;
  ASSERT_DONE(a->host_call([&] {
    (void)runtime::fill(*b, memory->address, 3, 16);
    (void)b->host_call([&] { filled = true; });
  }));
  EXPECT_DONE(a->synchronize());
  for (int i = 0; i < 2000 && !filled; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(filled);
  EXPECT_EQ(value(), 3U);
  EXPECT_EQ(conductor->missed_batches, 0U);
}

}  // namespace
}  // namespace heddle::runtime
