// Which blocks run, where, in which order, and how many launches at once.
#include <chrono>
#include <set>
#include <thread>

#include "exec/jit/launch/host_state.h"
#include "exec/jit/launch/testing.h"
#include "observe/schedule.h"
#include "support/relax.h"

namespace heddle::exec::jit::testing {
namespace {

using std::chrono::steady_clock;

constexpr const char* text = R"(
.version 8.0
.target sm_80
.address_size 64
.entry count(.param .u64 a) { ret; }
.entry slow(.param .u64 a) { ret; }
.entry empty() { ret; }
.entry tickets(.param .u64 a) { ret; }
.entry chain(.param .u64 a) { ret; }
.entry nobody() { ret; }
.entry ordered(.param .u64 a) { ret; }
.entry dims(.param .u64 a, .param .u64 b) { ret; }
)";

void count(Context* context, uint64_t first, uint64_t blocks) {
  auto* counts = argument<std::atomic<uint32_t>>(context);
  for (uint64_t i = first; i < first + blocks; ++i) counts[i].fetch_add(1, std::memory_order_relaxed);
}

void wait_microseconds(int64_t duration) {
  const auto end = steady_clock::now() + std::chrono::microseconds(duration);
  while (steady_clock::now() < end) relax();
}

// Notes the thread that ran each block.
void slow(Context* context, uint64_t first, uint64_t blocks) {
  auto* threads = argument<std::atomic<uint64_t>>(context);
  for (uint64_t i = first; i < first + blocks; ++i) {
    wait_microseconds(200);
    threads[i].store(std::hash<std::thread::id>()(std::this_thread::get_id()));
  }
}

// Notes the most blocks that were before one and had not begun.
void ordered(Context* context, uint64_t first, uint64_t blocks) {
  auto* counts = argument<std::atomic<uint64_t>>(context);
  for (uint64_t i = first; i < first + blocks; ++i) {
    const uint64_t begun = counts[0].fetch_add(1);
    if (begun < i && i - begun > counts[1]) counts[1] = i - begun;
    wait_microseconds(2);
  }
}

void empty(Context*, uint64_t, uint64_t) {}

// Each block waits for the one before it, as look-back algorithms do.
void chain(Context* context, uint64_t first, uint64_t blocks) {
  auto* done = argument<std::atomic<uint64_t>>(context);
  for (uint64_t i = first; i < first + blocks; ++i) {
    if (i % 64 == 0) wait_microseconds(20);
    while (done->load(std::memory_order_acquire) < i) std::this_thread::yield();
    uint64_t expected = i;
    done->compare_exchange_strong(expected, i + 1);
  }
}

// Notes when each block ran.
void tickets(Context* context, uint64_t first, uint64_t blocks) {
  auto* counts = argument<std::atomic<uint64_t>>(context);
  for (uint64_t i = first; i < first + blocks; ++i) counts[1 + i] = counts[0].fetch_add(1);
}

World make(unsigned threads) {
  Options options;
  options.threads = threads;
  return {text,
          {{"count", {.entry = count}},
           {"slow", {.entry = slow}},
           {"empty", {.entry = empty}},
           {"tickets", {.entry = tickets}},
           {"chain", {.entry = chain}},
           {"ordered", {.entry = ordered, .watches = true}}},
          options};
}

class Threads : public ::testing::TestWithParam<unsigned> {};

TEST_P(Threads, every_block_runs_once) {
  World world = make(GetParam());
  for (const uint64_t blocks : {1u, 2u, 3u, 31u, 1000u, 65537u, 3000000u}) {
    std::vector<std::atomic<uint32_t>> counts(blocks);
    for (int launches = 1; launches <= 3; ++launches) {
      ASSERT_TRUE(world
                      .run("count", {.grid = {static_cast<uint32_t>(blocks)}, .block = {32}},
                           {reinterpret_cast<uintptr_t>(counts.data())})
                      .ok());
      ASSERT_TRUE(std::ranges::all_of(counts, [&](auto& c) {
        return c.load() == static_cast<uint32_t>(launches);
      })) << blocks;
    }
  }
}

TEST_P(Threads, a_block_may_wait_for_the_one_before_it) {
  World world = make(GetParam());
  std::atomic<uint64_t> done{0};
  ASSERT_TRUE(world.run("chain", {.grid = {5000}}, {reinterpret_cast<uintptr_t>(&done)}).ok());
  EXPECT_EQ(done.load(), 5000u);
}

TEST_P(Threads, two_launches_run_at_once) {
  World world = make(GetParam());
  std::vector<std::atomic<uint32_t>> counts(100000);
  std::vector<std::thread> streams;
  for (int stream = 0; stream < 4; ++stream)
    streams.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        EXPECT_TRUE(
            world.run("count", {.grid = {100000}}, {reinterpret_cast<uintptr_t>(counts.data())}).ok());
    });
  for (std::thread& stream : streams) stream.join();
  EXPECT_TRUE(std::ranges::all_of(counts, [](auto& c) { return c.load() == 80; }));
}

// A part of the grid has thousands of blocks, a chunk at most 35 that take 70 us together.
TEST_P(Threads, blocks_that_may_wait_for_those_before_begin_in_order) {
  World world = make(GetParam());
  std::atomic<uint64_t> counts[2] = {0, 0};
  ASSERT_TRUE(world.run("ordered", {.grid = {20000}}, {reinterpret_cast<uintptr_t>(counts)}).ok());
  EXPECT_EQ(counts[0], 20000u);
  EXPECT_LT(counts[1], 1000u);
}

class Ordered final : public observe::ScheduleObserver, private observe::Sink {
 public:
  explicit Ordered(uint64_t seed) : schedule_(observe::Schedule::of_seed(seed)) {}
  const observe::Schedule* schedule() const override { return &schedule_; }
  observe::Sink& sink() override { return *this; }

 private:
  const observe::Schedule schedule_;
};

TEST_P(Threads, blocks_run_in_the_order_that_somebody_asked_for) {
  World world = make(GetParam());
  for (const uint64_t seed : {0u, 2u, 6u}) {
    Ordered observer(seed);
    std::vector<std::atomic<uint64_t>> counts(1 + 3000);
    const uint64_t parameter = reinterpret_cast<uintptr_t>(counts.data());
    Launch launch = world.launch("tickets", {.grid = {3000}}, {&parameter, 1});
    launch.observer = &observer;
    ASSERT_TRUE(world.executor->run(launch).ok());
    const observe::BlockOrder order(*observer.schedule(), 3000);
    for (uint64_t i = 0; i < 3000; ++i) ASSERT_EQ(counts[1 + order[i]], i) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(pool, Threads, ::testing::Values(1u, 2u, 5u));

TEST(pool, long_blocks_are_shared_among_the_threads) {
  World world = make(2);
  std::vector<std::atomic<uint64_t>> threads(200);
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(world.run("slow", {.grid = {200}}, {reinterpret_cast<uintptr_t>(threads.data())}).ok());
  std::map<uint64_t, int> share;
  for (auto& thread : threads) ++share[thread.load()];
  ASSERT_EQ(share.size(), 2u);
  for (const auto& [thread, blocks] : share) EXPECT_GT(blocks, 20);
}

// Of the first launch nobody knows how long its blocks take; the launch before says that these are short.
TEST(pool, blocks_behind_a_long_one_do_not_wait_for_it) {
  static std::atomic<bool> others_ended, in_time;
  static std::atomic<uint64_t> ended, long_block;
  World world(text,
              {{"count",
                {.entry =
                     [](Context*, uint64_t first, uint64_t blocks) {
                       for (uint64_t i = first; i < first + blocks; ++i) {
                         if (i == long_block) {
                           const auto end = steady_clock::now() + std::chrono::seconds(10);
                           while (!others_ended && steady_clock::now() < end) std::this_thread::yield();
                           in_time = others_ended.load();
                         }
                         if (++ended == 16 - 2) others_ended = true;
                       }
                     }}}},
              {.threads = 3});
  const auto in_time_when_long = [&](uint64_t block) {
    others_ended = in_time = false;
    ended = 0;
    long_block = block;
    EXPECT_TRUE(world.run("count", {.grid = {16}}, {0}).ok());
    return in_time.load();
  };
  EXPECT_TRUE(in_time_when_long(0));
  for (int i = 0; i < 100; ++i) (void)in_time_when_long(99);
  EXPECT_TRUE(in_time_when_long(1));
}

TEST(pool, a_small_grid_stays_in_its_thread) {
  World world = make(4);
  std::vector<std::atomic<uint32_t>> counts(64);
  static std::atomic<uint64_t> others;
  others = 0;
  static const auto caller = std::this_thread::get_id();
  World own(text,
            {{"count",
              {.entry =
                   [](Context*, uint64_t, uint64_t) {
                     if (std::this_thread::get_id() != caller) ++others;
                   }}}},
            {.threads = 4});
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(own.run("count", {.grid = {64}}, {0}).ok());
  EXPECT_EQ(others.load(), 0u);
}

TEST(pool, the_largest_grid_is_handed_out_in_little_time) {
  World world = make(2);
  for (const LaunchShape& shape :
       {LaunchShape{.grid = {0x7fffffff}}, LaunchShape{.grid = {0x7fffffff, 65535, 65535}}}) {
    const auto start = steady_clock::now();
    ASSERT_TRUE(world.run("empty", shape).ok());
    EXPECT_LT(steady_clock::now() - start, std::chrono::seconds(1));
  }
}

TEST(pool, a_kernel_without_code_goes_to_the_reference_executor_and_is_asked_for_once) {
  World world = make(1);
  ASSERT_TRUE(world.run("nobody", {}).ok());
  ASSERT_TRUE(world.run("nobody", {}).ok());
  EXPECT_EQ(world.reference_runs, 2);
  EXPECT_EQ(world.compiler->asked().size(), 1u);
  ASSERT_EQ(world.trace.size(), 1u);
  EXPECT_EQ(world.trace[0], "jit: nobody runs on the reference executor: the test has no code for it");
}

TEST(pool, blocks_of_a_cluster_are_handed_out_together) {
  static std::mutex mutex;
  static std::set<uint64_t> seen;
  static bool whole;
  seen.clear();
  whole = true;
  World world(text,
              {{"empty",
                {.entry =
                     [](Context* context, uint64_t first, uint64_t count) {
                       const std::lock_guard lock(mutex);
                       whole = whole && context->cluster_blocks == 6 && context->cluster[1] == 3 &&
                               first % 6 == 0 && count % 6 == 0;
                       for (uint64_t block = first; block < first + count; ++block) seen.insert(block);
                     }}}},
              {.threads = 4});
  ASSERT_TRUE(world.run("empty", {.grid = {200, 6}, .cluster = {2, 3}}).ok());
  EXPECT_EQ(world.reference_runs, 0);
  EXPECT_TRUE(whole);
  EXPECT_EQ(seen.size(), 1200U);
}

TEST(pool, large_cooperative_grids_in_clusters_go_to_the_reference_executor) {
  World world = make(1);
  ASSERT_TRUE(world.run("empty", {.grid = {1024}, .cluster = {2}, .cooperative = true}).ok());
  EXPECT_EQ(world.reference_runs, 0);
  ASSERT_TRUE(world.run("empty", {.grid = {1026}, .cluster = {2}, .cooperative = true}).ok());
  EXPECT_EQ(world.reference_runs, 1);
}

TEST(pool, a_cooperative_grid_of_a_kernel_that_waits_for_nobody_is_like_any_other) {
  World world = make(1);
  ASSERT_TRUE(world.run("empty", {.grid = {100}, .cooperative = true}).ok());
  EXPECT_EQ(world.reference_runs, 0);
}

TEST(pool, a_context_says_what_the_launch_is) {
  static Context seen;
  static uint64_t parameters[2];
  World world(text, {{"dims",
                      {.entry =
                           [](Context* context, uint64_t, uint64_t) {
                             seen = *context;
                             std::memcpy(parameters, context->parameters, sizeof parameters);
                             // Every byte that it may use is there.
                             std::memset(context->shared, 1, context->shared_bytes);
                             std::memset(context->local, 1, 96 * context->local_stride);
                             std::memset(context->slots, 1, 5000);
                           },
                       .slot_bytes = 5000,
                       .local_bytes = 100}}});
  uint64_t values[3] = {0, 42, 43};
  Launch launch = world.launch("dims", {.grid = {2, 3, 4}, .block = {32, 3}, .dynamic_shared = 1000});
  // Parameters that are not aligned are moved to where they are.
  launch.params = std::as_bytes(std::span(values)).subspan(8);
  launch.grid_id = 7;
  ASSERT_TRUE(world.executor->run(launch).ok());
  EXPECT_EQ(seen.grid[0], 2u);
  EXPECT_EQ(seen.grid[1], 3u);
  EXPECT_EQ(seen.grid[2], 4u);
  EXPECT_EQ(seen.grid_id, 7u);
  EXPECT_EQ(seen.shared_bytes, 1000u);
  EXPECT_EQ(seen.dynamic_shared_bytes, 1000u);
  EXPECT_GE(seen.local_stride, 100u);
  EXPECT_EQ(parameters[0], 42u);
  EXPECT_EQ(parameters[1], 43u);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(seen.parameters) % 16, 0u);
}

}  // namespace
}  // namespace heddle::exec::jit::testing
