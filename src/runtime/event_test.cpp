#include "runtime/event.h"

#include <thread>

#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;

struct Events : testing::Test {
  TestSystem test{{.scripted = true}};
  std::shared_ptr<Module> module = test.load(empty_kernels({"a", "b"}));
};

TEST_F(Events, AreReachedWhenTheWorkBeforeIsDone) {
  Gate go;
  (*test.kernels)["a"] = [&](const exec::Launch&) -> Report {
    go.wait();
    return exec::LaunchReport{};
  };
  const auto stream = test.stream();
  Event event(test.context);
  EXPECT_DONE(event.query());  // never recorded
  EXPECT_DONE(event.synchronize());
  ASSERT_DONE(start(*stream, *module, "a"));
  ASSERT_DONE(event.record(*stream));
  EXPECT_EQ(code(event.query()), ErrorCode::not_ready);
  go.open();
  EXPECT_DONE(event.synchronize());
  EXPECT_DONE(event.query());
}

TEST_F(Events, OrderTheWorkOfTwoStreams) {
  Journal journal;
  Gate go;
  (*test.kernels)["a"] = [&](const exec::Launch&) -> Report {
    go.wait();
    journal.add("a");
    return exec::LaunchReport{};
  };
  (*test.kernels)["b"] = [&](const exec::Launch&) -> Report {
    journal.add("b");
    return exec::LaunchReport{};
  };
  const auto first = test.stream(), second = test.stream();
  Event event(test.context);
  ASSERT_DONE(start(*first, *module, "a"));
  ASSERT_DONE(event.record(*first));
  ASSERT_DONE(second->wait(event));
  ASSERT_DONE(start(*second, *module, "b"));
  // A later record does not change what was waited for.
  ASSERT_DONE(event.record(*second));
  std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(journal.entries().empty());
  go.open();
  EXPECT_DONE(test.context->synchronize());
  EXPECT_EQ(journal.entries(), (std::vector<std::string>{"a", "b"}));
}

// Who waits runs the lane's tasks, and may leave with what became ready behind the last one.
TEST_F(Events, WhatFollowsAnAwaitedOneRunsWithoutAnybodyWaiting) {
  for (int round = 0; round < 200; ++round) {
    const auto stream = test.stream();
    Gate submitted, ran;
    Event event(test.context);
    ASSERT_DONE(stream->host_call([&] { submitted.wait(); }));
    ASSERT_DONE(event.record(*stream));
    std::jthread other([&] {
      EXPECT_DONE(stream->host_call([&] { ran.open(); }));
      submitted.open();
    });
    ASSERT_DONE(event.synchronize());
    ASSERT_TRUE(ran.wait()) << "round " << round;
  }
}

TEST_F(Events, OrderTheWorkOfTwoDevices) {
  TestSystem two({.devices = {"h200", "k40"}, .scripted = true});
  const auto other = two.make_context(1);
  Gate go;
  Journal journal;
  const auto stream = *other->create_stream({});
  ASSERT_DONE(stream->host_call([&] {
    go.wait();
    journal.add("other");
  }));
  Event event(other);
  ASSERT_DONE(event.record(*stream));
  const auto mine = two.stream();
  ASSERT_DONE(mine->wait(event));
  ASSERT_DONE(mine->host_call([&] { journal.add("mine"); }));
  go.open();
  EXPECT_DONE(mine->synchronize());
  EXPECT_EQ(journal.entries(), (std::vector<std::string>{"other", "mine"}));
}

TEST_F(Events, MeasureTheTimeBetweenThem) {
  (*test.kernels)["a"] = [&](const exec::Launch&) -> Report {
    std::this_thread::sleep_for(20ms);
    return exec::LaunchReport{};
  };
  const auto stream = test.stream();
  Event begin(test.context), end(test.context), silent(test.context, false);
  EXPECT_EQ(code(Event::elapsed(begin, end)), ErrorCode::invalid_handle);
  ASSERT_DONE(begin.record(*stream));
  ASSERT_DONE(start(*stream, *module, "a"));
  ASSERT_DONE(end.record(*stream));
  EXPECT_EQ(code(Event::elapsed(begin, end)), ErrorCode::not_ready);
  ASSERT_DONE(end.synchronize());
  const auto elapsed = Event::elapsed(begin, end);
  ASSERT_TRUE(elapsed.ok());
  EXPECT_GE(*elapsed, 20'000'000);
  EXPECT_LT(*elapsed, 2'000'000'000);
  ASSERT_DONE(silent.record(*stream));
  EXPECT_EQ(code(Event::elapsed(begin, silent)), ErrorCode::invalid_handle);
}

TEST_F(Events, HaveAResolutionBelowAMicrosecond) {
  const auto stream = test.stream();
  int64_t least = 1'000'000'000;
  for (int i = 0; i < 100; ++i) {
    Event first(test.context), second(test.context);
    ASSERT_DONE(first.record(*stream));
    ASSERT_DONE(second.record(*stream));
    ASSERT_DONE(second.synchronize());
    const int64_t elapsed = *Event::elapsed(first, second);
    if (elapsed > 0) least = std::min(least, elapsed);
  }
  EXPECT_LT(least, 100'000);
  EXPECT_NE(least % 1000, 0) << "times come in whole microseconds";
}

TEST_F(Events, TheSystemsClockCanBeReplaced) {
  int64_t now = 1000;
  SystemOptions options;
  options.clock = [&now] { return now; };
  auto system = System::create(std::move(options));
  ASSERT_TRUE(system.ok());
  const auto context = *(*system)->create_context(0, {});
  const auto stream = *context->create_stream({});
  Event first(context), second(context);
  ASSERT_DONE(first.record(*stream));
  now = 1500;
  ASSERT_DONE(second.record(*stream));
  EXPECT_EQ(*Event::elapsed(first, second), 500);
}

TEST_F(Events, TasksCarryTheirTimesAndCallBack) {
  const auto stream = test.stream();
  std::atomic<int> called{0};
  SubmitOptions options;
  options.callbacks.push_back([&](const Task& task) {
    EXPECT_TRUE(task.done());
    ++called;
  });
  const auto kernel = module->kernel("a");
  LaunchRequest request;
  request.kernel = *kernel;
  const uint64_t argument = 0;
  request.params = std::as_bytes(std::span(&argument, 1));
  const auto task = stream->submit(*make_launch(request), options);
  ASSERT_TRUE(task.ok());
  EXPECT_DONE(stream->synchronize());
  const TaskTimes& times = (*task)->times();
  EXPECT_LE(times.queued, times.ready);
  EXPECT_LE(times.ready, times.started);
  EXPECT_LE(times.started, times.ended);
  while (called != 1) std::this_thread::yield();  // it comes right after
  test.system->scheduler().on_done(*task, [&](const Task&) { ++called; });
  EXPECT_EQ(called, 2);
}

TEST_F(Events, TheHostCanEndATaskItself) {
  const auto stream = test.stream({.blocking = false, .in_order = false});
  Scheduler& scheduler = test.system->scheduler();
  const auto user = std::make_shared<Task>(std::make_shared<Lane>(test.context), nullptr);
  scheduler.hold(user);
  const TaskRef after[] = {user};
  const auto follower = stream->mark({.after = after, .inherits_errors = true, .callbacks = {}});
  ASSERT_TRUE(follower.ok());
  EXPECT_FALSE((*follower)->done());
  EXPECT_TRUE(scheduler.complete(user, error(ErrorCode::callback, "as the program wishes")));
  EXPECT_FALSE(scheduler.complete(user, std::nullopt));
  EXPECT_TRUE((*follower)->done());
  ASSERT_TRUE((*follower)->error());
  EXPECT_EQ((*follower)->error()->code, ErrorCode::callback);
  EXPECT_DONE(test.context->check());
}

}  // namespace
}  // namespace heddle::runtime
