// Tasks that one thread appends to a lane while another one runs them.
#include "runtime/scheduler.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include "runtime/testing.h"
#include "support/relax.h"

namespace heddle::runtime {
namespace {

class Calls final : public Operation {
 public:
  Calls(std::function<void()> what, bool launch) : what_(std::move(what)), launch_(launch) {}
  Done run(Context&, Task&) const override {
    what_();
    return Unit{};
  }
  bool is_launch() const override { return launch_; }

 private:
  const std::function<void()> what_;
  const bool launch_;
};

OperationRef calls(std::function<void()> what, bool launch = true) {
  return std::make_shared<Calls>(std::move(what), launch);
}

struct Tasks : testing::Test {
  TestSystem test{{.scripted = true}};
  Scheduler& scheduler = test.system->scheduler();
};

TEST_F(Tasks, OneInTheMiddleIsDoneWhileThoseBehindItRun) {
  for (int round = 0; round < 20; ++round) {
    Gate gate, reached;
    const auto stream = test.stream();
    std::atomic<int> ran{0};
    std::vector<TaskRef> tasks;
    for (int i = 0; i < 50; ++i) tasks.push_back(*stream->submit(calls([&] { ++ran; })));
    const TaskRef last = *stream->submit(calls([&] {
      reached.open();
      gate.wait();
    }));
    if (round % 2 == 0) reached.wait();
    for (const TaskRef& task : tasks) scheduler.wait(task);
    EXPECT_EQ(ran, 50);
    EXPECT_FALSE(last->done());
    gate.open();
    EXPECT_DONE(stream->synchronize());
  }
}

// Who waits may take a lane over when what it waits for has just ended: then it is not to run what is behind
// it.
TEST_F(Tasks, WhoWaitsForOneIsNotKeptByThoseBehindIt) {
  for (int round = 0; round < 3000; ++round) {
    Gate gate;
    std::atomic<bool> awaited{false};
    const auto stream = test.stream();
    const TaskRef first = *stream->submit(calls([&] {
      while (!awaited) relax();
      for (int i = 0; i < round % 100; ++i) relax();
    }));
    const TaskRef second = *stream->submit(calls([&] { gate.wait(); }));
    while (!scheduler.running(*first)) relax();
    awaited = true;
    scheduler.wait(first);
    ASSERT_FALSE(second->done()) << "round " << round;
    gate.open();
    ASSERT_DONE(stream->synchronize());
  }
}

TEST_F(Tasks, ACallbackOfOneInTheMiddleComesBeforeThoseBehindItEnd) {
  Gate gate, called;
  const auto stream = test.stream();
  Gate first;
  ASSERT_TRUE(stream->submit(calls([&] { first.wait(); })).ok());
  const TaskRef middle = *stream->submit(calls([] {}));
  ASSERT_TRUE(stream->submit(calls([&] { gate.wait(); })).ok());
  scheduler.on_done(middle, [&](const Task&) { called.open(); });
  first.open();
  EXPECT_TRUE(called.wait());
  gate.open();
  EXPECT_DONE(stream->synchronize());
}

TEST_F(Tasks, TheTimesOfALaneFollowEachOther) {
  const auto stream = test.stream();
  std::vector<TaskRef> tasks;
  for (int i = 0; i < 3000; ++i)
    tasks.push_back(i % 7 == 3 ? *stream->mark() : *stream->submit(calls([] {}, i % 5 != 0)));
  EXPECT_DONE(stream->synchronize());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const TaskTimes& times = tasks[i]->times();
    EXPECT_LE(times.queued, times.ready);
    EXPECT_LE(times.ready, times.started);
    EXPECT_LE(times.started, times.ended);
    if (i > 0) EXPECT_LE(tasks[i - 1]->times().ended, times.started);
  }
}

TEST_F(Tasks, WhatInheritsAFailureIsSkippedInALaneToo) {
  const auto stream = test.stream();
  Gate first;
  std::atomic<int> ran{0};
  const auto user = std::make_shared<Task>(std::make_shared<Lane>(test.context), nullptr);
  scheduler.hold(user);
  const TaskRef after[] = {user};
  const auto inheriting = [&](std::span<const TaskRef> others) {
    return *stream->submit(calls([&] { ++ran; }),
                           {.after = others, .inherits_errors = true, .callbacks = {}});
  };
  const TaskRef one = inheriting(after), two = inheriting({}), three = inheriting({});
  scheduler.complete(user, error(ErrorCode::callback, "as the program wishes"));
  EXPECT_DONE(stream->synchronize());
  EXPECT_EQ(ran, 0);
  for (const TaskRef& task : {one, two, three}) EXPECT_TRUE(task->error().has_value());
}

// It asks for 2 us, in which the other thread may stand still on a busy machine; then it is tried again.
TEST_F(Tasks, WhoWaitsTakesOverWhatIsLeft) {
  const auto me = std::this_thread::get_id();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(100);
  bool taken_over = false;
  while (!taken_over && std::chrono::steady_clock::now() < end) {
    Gate reached;
    std::atomic<bool> go{false};
    const auto stream = test.stream();
    ASSERT_TRUE(stream
                    ->submit(calls([&] {
                      reached.open();
                      while (!go) relax();  // and stays on its processor
                    }))
                    .ok());
    std::vector<std::thread::id> ran;    // by one thread at a time
    constexpr std::size_t many = 2'000;  // a round is short: many can be tried
    for (std::size_t i = 0; i < many; ++i)
      ASSERT_TRUE(stream->submit(calls([&] { ran.push_back(std::this_thread::get_id()); })).ok());
    reached.wait();  // by a worker, who has all of them from now on
    go = true;
    EXPECT_DONE(stream->synchronize());
    ASSERT_EQ(ran.size(), many);
    EXPECT_TRUE(std::ranges::is_sorted(ran, {}, [&](std::thread::id id) { return id == me; }));
    taken_over = ran.back() == me;
  }
  EXPECT_TRUE(taken_over);
}

// A device without concurrent kernels runs one at a time, although each lane's thread goes on by itself.
TEST_F(Tasks, LanesTakeTurnsWhereKernelsDo) {
  TestSystem old({.devices = {"gtx285"}, .scripted = true});
  std::atomic<int> running{0}, most{0}, marks{0};
  Gate begin;
  std::vector<std::shared_ptr<Stream>> streams;
  for (int s = 0; s < 3; ++s) streams.push_back(old.stream());
  std::vector<std::thread> threads;
  for (const auto& stream : streams)
    threads.emplace_back([&, stream] {
      begin.wait();
      for (int i = 0; i < 500; ++i) {
        ASSERT_TRUE(stream
                        ->submit(calls([&] {
                          const int now = ++running;
                          if (now > most) most = now;
                          --running;
                        }))
                        .ok());
        if (i % 3 == 0) ASSERT_TRUE(stream->mark().ok());
        if (i % 11 == 0) ASSERT_TRUE(stream->submit(calls([&] { ++marks; }, false)).ok());
      }
    });
  begin.open();
  for (std::thread& thread : threads) thread.join();
  EXPECT_DONE(old.context->synchronize());
  EXPECT_EQ(most, 1);
  EXPECT_EQ(marks, 3 * 46);
}

// Random programs: everything runs once, behind all that it waits for.
TEST_F(Tasks, RandomOnesOfManyThreadsRunOnceAndInOrder) {
  constexpr int threads = 4, steps = 1500;
  struct Cell {
    std::atomic<int> ran{0};
    TaskRef task;
  };
  std::vector<std::vector<Cell>> cells(threads);
  for (auto& of_thread : cells) of_thread = std::vector<Cell>(steps);
  std::atomic<int> wrong{0}, callbacks{0}, expected_callbacks{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      const std::shared_ptr<Stream> streams[] = {test.stream({.blocking = t != 0}),
                                                 test.stream({.blocking = false, .priority = -t}),
                                                 test.stream({.blocking = false, .in_order = false})};
      std::array<int, 3> last = {-1, -1, -1};  // of each ordered stream
      for (int i = 0; i < steps; ++i) {
        const unsigned s = random() % 8 == 0 ? 2 : random() % 2;
        std::vector<TaskRef> after;
        std::vector<int> before;
        if (s < 2 && last[s] >= 0) before.push_back(last[s]);
        if (i > 0 && random() % 4 == 0) {
          const int other = static_cast<int>(random() % static_cast<unsigned>(i));
          after.push_back(cells[t][other].task);
          before.push_back(other);
        }
        Cell& cell = cells[t][i];
        auto check = [&, t, before] {
          for (const int other : before)
            if (cells[t][other].ran.load() == 0) ++wrong;
          ++cell.ran;
        };
        SubmitOptions options;
        options.after = after;
        if (random() % 5 == 0) {
          ++expected_callbacks;
          options.callbacks.emplace_back([&](const Task&) { ++callbacks; });
        }
        cell.task = *streams[s]->submit(calls(check, random() % 3 != 0), options);
        if (s < 2) last[s] = i;
        if (random() % 16 == 0) scheduler.wait(cells[t][random() % static_cast<unsigned>(i + 1)].task);
        if (random() % 64 == 0 && !streams[s]->synchronize()) ++wrong;
        if (random() % 64 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      }
    });
  for (std::thread& worker : workers) worker.join();
  EXPECT_DONE(test.context->synchronize());
  EXPECT_EQ(wrong, 0);
  for (auto& of_thread : cells)
    for (const Cell& cell : of_thread) EXPECT_EQ(cell.ran, 1);
  while (callbacks != expected_callbacks) std::this_thread::yield();  // they come right after
}

}  // namespace
}  // namespace heddle::runtime
