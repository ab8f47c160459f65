#include "runtime/stream.h"

#include <atomic>
#include <new>
#include <system_error>
#include <thread>

#include "runtime/testing.h"

namespace heddle::runtime {
namespace {

using namespace std::chrono_literals;

// Kernels a, b, c as C++; `test.kernels` holds what they do.
struct Streams : testing::Test {
  TestSystem test{{.scripted = true}};
  std::shared_ptr<Module> module = test.load(empty_kernels({"a", "b", "c"}));
  Journal journal;

  void body(const std::string& name, std::function<void()> what) {
    (*test.kernels)[name] = [what = std::move(what)](const exec::Launch&) -> Report {
      what();
      return exec::LaunchReport{};
    };
  }
  void writes(const std::string& name) {
    body(name, [this, name] { journal.add(name); });
  }
};

TEST_F(Streams, TwoKernelsOfTwoStreamsRunAtTheSameTime) {
  Gate a_runs, b_runs;
  bool a_met = false, b_met = false;
  body("a", [&] {
    a_runs.open();
    a_met = b_runs.wait();  // goes on only when b runs meanwhile
  });
  body("b", [&] {
    b_runs.open();
    b_met = a_runs.wait();
  });
  const auto first = test.stream(), second = test.stream();
  ASSERT_DONE(start(*first, *module, "a"));
  ASSERT_DONE(start(*second, *module, "b"));
  EXPECT_DONE(test.context->synchronize());
  EXPECT_TRUE(a_met && b_met);
}

TEST_F(Streams, AHundredKernelsCanWaitForEachOther) {
  std::atomic<int> running{0};
  Gate all;
  body("a", [&] {
    if (++running == 100) all.open();
    all.wait();
  });
  std::vector<std::shared_ptr<Stream>> streams;
  for (int i = 0; i < 100; ++i) {
    streams.push_back(test.stream());
    ASSERT_DONE(start(*streams.back(), *module, "a"));
  }
  EXPECT_DONE(test.context->synchronize());
  EXPECT_TRUE(all.is_open());
}

TEST_F(Streams, AStreamKeepsItsOrder) {
  const auto stream = test.stream();
  std::vector<std::string> expected;
  writes("a");
  writes("b");
  for (int i = 0; i < 200; ++i) {
    const std::string name = i % 3 == 0 ? "b" : "a";
    expected.push_back(name);
    ASSERT_DONE(start(*stream, *module, name));
    if (i % 50 == 0) {
      expected.push_back("call");
      ASSERT_DONE(stream->host_call([this] { journal.add("call"); }));
    }
  }
  EXPECT_DONE(stream->synchronize());
  EXPECT_EQ(journal.entries(), expected);
}

TEST_F(Streams, ADeviceWithoutConcurrentKernelsRunsOneAtATime) {
  TestSystem old({.devices = {"gtx285"}, .scripted = true});
  const auto kernels = old.load(empty_kernels({"a"}, "sm_10"));
  std::atomic<int> running{0}, most{0};
  (*old.kernels)["a"] = [&](const exec::Launch&) -> Report {
    const int now = ++running;
    int seen = most;
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(1ms);
    --running;
    return exec::LaunchReport{};
  };
  for (int i = 0; i < 4; ++i) {
    const auto stream = old.stream();
    for (int k = 0; k < 3; ++k) ASSERT_DONE(start(*stream, *kernels, "a"));
  }
  EXPECT_DONE(old.context->synchronize());
  EXPECT_EQ(most, 1);
}

TEST_F(Streams, TheDefaultStreamWaitsForBlockingStreamsAndTheyForIt) {
  Gate go;
  body("a", [&] {
    go.wait();
    journal.add("a");
  });
  writes("b");
  writes("c");
  const auto blocking = test.stream();
  ASSERT_DONE(start(*blocking, *module, "a"));
  ASSERT_DONE(start(*test.context->default_stream(), *module, "b"));
  ASSERT_DONE(start(*blocking, *module, "c"));
  std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(journal.entries().empty());
  go.open();
  EXPECT_DONE(blocking->synchronize());
  EXPECT_EQ(journal.entries(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST_F(Streams, ANonBlockingStreamDoesNot) {
  Gate go;
  body("a", [&] { go.wait(); });
  writes("b");
  const auto free = test.stream({.blocking = false});
  ASSERT_DONE(start(*free, *module, "a"));
  ASSERT_DONE(start(*test.context->default_stream(), *module, "b"));
  EXPECT_DONE(test.context->default_stream()->synchronize());
  EXPECT_EQ(journal.entries(), std::vector<std::string>{"b"});
  EXPECT_EQ(code(free->query()), ErrorCode::not_ready);
  go.open();
  EXPECT_DONE(free->synchronize());
  EXPECT_DONE(free->query());
}

TEST_F(Streams, EveryThreadHasItsOwnDefaultStream) {
  const auto mine = test.context->thread_stream();
  EXPECT_EQ(mine, test.context->thread_stream());
  std::shared_ptr<Stream> other;
  std::thread([&] { other = test.context->thread_stream(); }).join();
  EXPECT_NE(mine, other);
  EXPECT_NE(mine, test.context->default_stream());
  EXPECT_TRUE(mine->options().blocking);
}

TEST_F(Streams, UrgentWorkGoesFirst) {
  TestSystem old({.devices = {"gtx285"}, .scripted = true});  // one kernel at a time
  const auto kernels = old.load(empty_kernels({"a", "b", "c"}, "sm_10"));
  Gate go, runs;
  (*old.kernels)["a"] = [&](const exec::Launch&) -> Report {
    runs.open();
    go.wait();
    return exec::LaunchReport{};
  };
  for (const std::string name : {"b", "c"})
    (*old.kernels)[name] = [&, name](const exec::Launch&) -> Report {
      journal.add(name);
      return exec::LaunchReport{};
    };
  const auto first = old.stream(), low = old.stream(), high = old.stream({.priority = -5});
  ASSERT_DONE(start(*first, *kernels, "a"));
  ASSERT_TRUE(runs.wait());
  for (int i = 0; i < 3; ++i) ASSERT_DONE(start(*low, *kernels, "b"));
  ASSERT_DONE(start(*high, *kernels, "c"));
  go.open();
  EXPECT_DONE(old.context->synchronize());
  EXPECT_EQ(journal.entries(), (std::vector<std::string>{"c", "b", "b", "b"}));
}

TEST_F(Streams, AnUnorderedStreamOrdersByBarriersAndByWhatTasksName) {
  const auto stream = test.stream({.blocking = false, .in_order = false});
  Gate go;
  body("a", [&] {
    go.wait();
    journal.add("a");
  });
  writes("b");
  writes("c");
  ASSERT_DONE(start(*stream, *module, "a"));
  ASSERT_DONE(start(*stream, *module, "b"));
  while (journal.entries().empty()) std::this_thread::sleep_for(1ms);  // b runs although a does not end
  ASSERT_TRUE(stream->barrier().ok());
  ASSERT_DONE(start(*stream, *module, "c"));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(journal.entries(), std::vector<std::string>{"b"});
  go.open();
  EXPECT_DONE(stream->synchronize());
  EXPECT_EQ(journal.entries(), (std::vector<std::string>{"b", "a", "c"}));
}

TEST_F(Streams, CallbacksMayNotWait) {
  const auto stream = test.stream();
  ErrorCode seen = ErrorCode::fault, seen_free = ErrorCode::fault;
  const AllocationRef memory = *test.context->allocate(MemoryKind::device, 16);
  ASSERT_DONE(stream->host_call([&] {
    seen = code(stream->synchronize());
    seen_free = code(test.context->free(memory->address, {MemoryKind::device}));
  }));
  EXPECT_DONE(stream->synchronize());
  EXPECT_EQ(seen, ErrorCode::not_permitted);
  EXPECT_EQ(seen_free, ErrorCode::not_permitted);
}

// Not the end of the process, of who waits, or of the context; and the next one that waits is no host
// callback.
TEST_F(Streams, WhatTheHostRefusesIsToldOnce) {
  const std::vector<std::function<void()>> refusals = {
      [] { throw std::bad_alloc(); },
      [] { throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again)); }};
  for (const std::function<void()>& refusal : refusals)
    for (const bool waits : {false, true}) {
      TestSystem own{{.scripted = true}};
      const auto kernels = own.load(empty_kernels({"a"}));
      Gate ran;
      (*own.kernels)["a"] = [&](const exec::Launch&) -> Report {
        ran.open();
        refusal();
        return exec::LaunchReport{};
      };
      const auto stream = own.stream();
      ASSERT_DONE(start(*stream, *kernels, "a"));
      if (!waits) EXPECT_TRUE(ran.wait());  // on a thread of the scheduler
      EXPECT_EQ(code(stream->synchronize()), ErrorCode::out_of_memory);
      EXPECT_DONE(own.context->synchronize());
      EXPECT_DONE(stream->host_call([] {}));
      EXPECT_DONE(stream->synchronize());
    }
}

TEST_F(Streams, ADestroyedStreamFinishesItsWork) {
  Gate go;
  body("a", [&] {
    go.wait();
    journal.add("a");
  });
  const auto stream = test.stream();
  ASSERT_DONE(start(*stream, *module, "a"));
  stream->destroy();
  EXPECT_EQ(code(start(*stream, *module, "a")), ErrorCode::invalid_handle);
  EXPECT_EQ(code(stream->synchronize()), ErrorCode::invalid_handle);
  go.open();
  EXPECT_DONE(test.context->synchronize());
  EXPECT_EQ(journal.entries().size(), 1u);
}

TEST_F(Streams, ARecorderTakesWhatIsSubmitted) {
  struct Recorded : Recorder {
    std::vector<OperationRef> operations;
    Done add(Stream&, const OperationRef& operation, std::span<const TaskRef>) override {
      operations.push_back(operation);
      return Unit{};
    }
  };
  writes("a");
  const auto stream = test.stream();
  const auto recorder = std::make_shared<Recorded>();
  stream->record_to(recorder);
  ASSERT_DONE(start(*stream, *module, "a"));
  EXPECT_EQ(code(stream->synchronize()), ErrorCode::not_permitted);
  EXPECT_EQ(code(stream->query()), ErrorCode::not_permitted);
  stream->record_to(nullptr);
  EXPECT_DONE(stream->synchronize());
  EXPECT_TRUE(journal.entries().empty());
  // An operation can be run as often as wanted.
  ASSERT_EQ(recorder->operations.size(), 1u);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(stream->submit(recorder->operations[0]).ok());
  EXPECT_DONE(stream->synchronize());
  EXPECT_EQ(journal.entries().size(), 3u);
}

TEST_F(Streams, ThreadsSleepWhenThereIsNothingToDo) {
  const auto stream = test.stream();
  for (int i = 0; i < 20; ++i) ASSERT_DONE(start(*stream, *module, "a"));
  EXPECT_DONE(stream->synchronize());
  const auto cpu_time = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
  };
  const double before = cpu_time();
  std::this_thread::sleep_for(100ms);
  EXPECT_LT(cpu_time() - before, 20);
  EXPECT_LE(test.system->scheduler().thread_count(), 4u);  // one stream needs few threads
}

TEST_F(Streams, WhoLaunchesAndWaitsInTurnRunsTheKernelsItself) {
  const std::thread::id host = std::this_thread::get_id();
  std::atomic<int> by_host{0}, by_others{0};
  body("a", [&] { ++(std::this_thread::get_id() == host ? by_host : by_others); });
  const auto stream = test.stream();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_DONE(start(*stream, *module, "a"));
    ASSERT_DONE(stream->synchronize());
  }
  EXPECT_EQ(by_host + by_others, 1000);
  EXPECT_GT(by_host, 500);  // the others when a thread looked by itself just then
  EXPECT_LE(test.system->scheduler().thread_count(), 2u);
}

TEST_F(Streams, WhoWaitsForAnotherStreamsWorkDoesNotWaitForANap) {
  writes("a");
  const auto first = test.stream(), second = test.stream();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    Event event(test.context);
    ASSERT_DONE(start(*first, *module, "a"));
    ASSERT_DONE(event.record(*first));
    ASSERT_DONE(second->wait(event));
    ASSERT_DONE(start(*second, *module, "a"));
    ASSERT_DONE(second->synchronize());
  }
  EXPECT_EQ(journal.entries().size(), 2000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
}

TEST_F(Streams, AKernelRunsWithoutAnybodyWaitingForIt) {
  std::atomic<int> ran{0};
  body("a", [&] { ++ran; });
  const auto stream = test.stream();
  for (int i = 1; i <= 50; ++i) {
    ASSERT_DONE(start(*stream, *module, "a"));
    while (ran != i) std::this_thread::yield();
    if (i % 10 == 0) std::this_thread::sleep_for(1ms);  // a nap's end
  }
}

TEST_F(Streams, ManyThreadsHammerOneContext) {
  constexpr int threads = 8, rounds = 150;
  std::atomic<int> launches{0}, calls{0}, failures{0};
  body("a", [&] { ++launches; });
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      const auto stream = test.stream({.blocking = t % 2 == 0, .priority = -t});
      Event event(test.context);
      for (int i = 0; i < rounds; ++i) {
        const auto memory = test.context->allocate(MemoryKind::device, 100 + 100 * static_cast<uint64_t>(i));
        bool good = memory.ok() && fill(*stream, (*memory)->address, 1, (*memory)->bytes).ok() &&
                    start(*stream, *module, "a").ok() && stream->host_call([&] { ++calls; }).ok() &&
                    event.record(*stream).ok() && test.context->default_stream()->wait(event).ok();
        if (i % 10 == 0) good = good && start(*test.context->default_stream(), *module, "a").ok();
        if (i % 3 == 0) good = good && test.context->free((*memory)->address, {MemoryKind::device}).ok();
        if (i % 3 == 1) good = good && free_in_order(*stream, (*memory)->address).ok();
        if (i % 16 == 0) good = good && stream->synchronize().ok();
        if (!good) ++failures;
      }
      stream->destroy();
    });
  for (std::thread& worker : workers) worker.join();
  EXPECT_DONE(test.context->synchronize());
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(launches, threads * (rounds + rounds / 10));
  EXPECT_EQ(calls, threads * rounds);
}

}  // namespace
}  // namespace heddle::runtime
