// Contexts, threads, streams and events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "api/cuda_state/testing.h"

namespace heddle::cuda {
namespace {

TEST(Handles, AreFoundUntilRemovedAndNeverAgain) {
  HandleTable<int, HandleKind::event> table;
  const uint64_t first = table.add(std::make_shared<int>(1));
  EXPECT_EQ(*table.find(first), 1);
  EXPECT_EQ(*table.remove(first), 1);
  EXPECT_EQ(table.find(first), nullptr);
  EXPECT_EQ(table.remove(first), nullptr);
  const uint64_t second = table.add(std::make_shared<int>(2));
  EXPECT_NE(first, second);
  EXPECT_EQ(table.find(first), nullptr);
  for (const uint64_t wrong : {uint64_t{0}, uint64_t{1}, ~uint64_t{0}, second + 1, second + 16, second << 1})
    EXPECT_EQ(table.find(wrong), nullptr) << wrong;
  HandleTable<int, HandleKind::stream> others;
  EXPECT_EQ(others.find(second), nullptr) << "a handle of another kind";
}

TEST(Threads, EachHasItsOwnContextAndLastError) {
  const TestProcess test({"h200", "gtx480"});
  thread().device = 1;
  thread().device_chosen = true;
  const ContextRef context = *runtime_context();
  EXPECT_EQ(context->device().ordinal(), 1);
  remember(Code::invalid_value);
  std::thread([&] {
    EXPECT_EQ(peek_last_error(), Code::success);
    EXPECT_EQ(current_device(), 0);
    EXPECT_EQ((*runtime_context())->device().ordinal(), 0);
    EXPECT_EQ(code(pop_current()), Code::success);
    EXPECT_EQ(code(current_context()), Code::invalid_context);
  }).join();
  EXPECT_EQ(peek_last_error(), Code::invalid_value);
  EXPECT_EQ(take_last_error(), Code::invalid_value);
  EXPECT_EQ(take_last_error(), Code::success);
}

// As on an H200 (driver 580).
TEST(Threads, AFaultIsTheLastErrorOnceACallReportsIt) {
  const TestProcess test({"h200"});
  const ContextRef context = *runtime_context();
  exec::Fault fault;
  fault.kind = exec::FaultKind::misaligned_address;
  context->runtime()->fail(runtime::fault_error(fault));
  EXPECT_EQ(take_last_error(), Code::success);
  for (int i = 0; i < 2; ++i) {
    remember(context->check().error().code);
    EXPECT_EQ(take_last_error(), Code::misaligned_address);
    EXPECT_EQ(take_last_error(), Code::success);
  }
  ASSERT_TRUE((*test.process().device(0))->reset_primary().ok());
  EXPECT_EQ(take_last_error(), Code::success);
  ASSERT_TRUE(runtime_context().ok());
  EXPECT_TRUE((*runtime_context())->check().ok());
}

TEST(Contexts, ThePrimaryOneCountsItsUsers) {
  const TestProcess test;
  Device& device = **test.process().device(0);
  EXPECT_EQ(device.primary_if_active(), nullptr);
  EXPECT_EQ(code(device.release_primary()), Code::invalid_context);
  const ContextRef first = *device.retain_primary();
  EXPECT_EQ(*device.retain_primary(), first);
  EXPECT_TRUE(device.release_primary().ok());
  EXPECT_FALSE(first->destroyed());
  EXPECT_TRUE(device.release_primary().ok());
  EXPECT_TRUE(first->destroyed());
  EXPECT_EQ(code(test.process().device(1)), Code::invalid_device);
  EXPECT_EQ(code(test.process().device(-1)), Code::invalid_device);
}

TEST(Streams, AreFoundByHandle) {
  const TestProcess test;
  const ContextRef context = *runtime_context();
  const StreamRef stream = *Stream::create(context, true, 0);
  const auto at = [](uint64_t handle) { return reinterpret_cast<const void*>(handle); };
  EXPECT_EQ(*find_stream(context, at(stream->handle())), stream);
  EXPECT_EQ(*find_stream(context, nullptr), context->legacy_stream());
  EXPECT_EQ(*find_stream(context, at(legacy_stream_handle)), context->legacy_stream());
  const StreamRef own = *find_stream(context, at(thread_stream_handle));
  EXPECT_NE(own, context->legacy_stream());
  {
    const PerThreadStream variant;
    EXPECT_EQ(*find_stream(context, nullptr), own);
  }
  std::thread([&] { EXPECT_NE(*find_stream(context, at(thread_stream_handle)), own); }).join();
  EXPECT_TRUE(stream->destroy().ok());
  EXPECT_EQ(code(stream->destroy()), Code::invalid_handle);
  EXPECT_EQ(code(find_stream(context, at(stream->handle()))), Code::invalid_handle);
  EXPECT_EQ(code(context->legacy_stream()->destroy()), Code::invalid_handle);
}

TEST(Events, MeasureAndRefuse) {
  const TestProcess test;
  const ContextRef context = *runtime_context();
  const EventRef start = *Event::create(context, 0, true), end = *Event::create(context, 0, true),
                 untimed = *Event::create(context, 2, false);
  EXPECT_EQ(code(Event::elapsed(*start, *end)), Code::invalid_handle) << "not recorded";
  Stream& stream = *context->legacy_stream();
  ASSERT_TRUE(start->record(stream).ok());
  ASSERT_TRUE(end->record(stream).ok());
  ASSERT_TRUE(untimed->record(stream).ok());
  ASSERT_TRUE(end->synchronize().ok());
  EXPECT_GE(*Event::elapsed(*start, *end), 0);
  EXPECT_EQ(code(Event::elapsed(*start, *untimed)), Code::invalid_handle);
  EXPECT_TRUE(start->destroy().ok());
  EXPECT_EQ(code(start->destroy()), Code::invalid_handle);
}

}  // namespace
}  // namespace heddle::cuda
