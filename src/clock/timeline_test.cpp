#include "clock/timeline.h"

#include <gtest/gtest.h>

namespace heddle::clock {
namespace {

constexpr Engines one_copy_engine{1, false}, two_copy_engines{2, true}, no_overlap{0, false};

Work kernel(int64_t ns, double share = 1) { return {Engine::kernels, 0, ns, share}; }
Work to_device(int64_t ns) { return {Engine::to_device, 0, ns}; }
Work to_host(int64_t ns) { return {Engine::to_host, 0, ns}; }

TEST(Timeline, AStreamsWorkComesOneAfterAnother) {
  Timeline t({two_copy_engines});
  t.submitted(1, {});
  t.works(1, to_device(100));
  t.submitted(2, {1});
  t.works(2, kernel(50));
  t.submitted(3, {2});
  EXPECT_EQ(t.of(1).ended, 100);
  EXPECT_EQ(t.of(2).started, 100);
  EXPECT_EQ(t.of(3).ended, 150);  // a mark takes no time
}

// n pieces, each copied and then worked on in a stream of its own (CUDA C Best Practices Guide 3.1.2, figure
// 3.2): the guide's formulas for tE > tT and for tT > tE.
int64_t staged(Engines engines, int n, int64_t copy, int64_t work) {
  Timeline t({engines});
  uint64_t number = 0;
  int64_t end = 0;
  for (int i = 0; i < n; ++i) {
    t.submitted(++number, {});
    t.works(number, to_device(copy / n));
    t.submitted(number + 1, {number});
    t.works(++number, kernel(work / n));
  }
  for (uint64_t i = 1; i <= number; ++i) end = std::max(end, t.of(i).ended);
  return end;
}

TEST(Timeline, StreamsOverlapAsTheGuideSays) {
  EXPECT_EQ(staged(one_copy_engine, 4, 400, 1200), 1200 + 400 / 4);  // tE + tT / n
  EXPECT_EQ(staged(one_copy_engine, 4, 1200, 400), 1200 + 400 / 4);  // tT + tE / n
  EXPECT_EQ(staged(one_copy_engine, 1, 400, 1200), 1600);            // tT + tE
}

TEST(Timeline, WithoutACopyEngineNothingOverlaps) { EXPECT_EQ(staged(no_overlap, 4, 400, 1200), 1600); }

TEST(Timeline, BothDirectionsOverlapWithTwoCopyEngines) {
  for (const auto& [engines, end] : {std::pair{one_copy_engine, 200}, std::pair{two_copy_engines, 100}}) {
    Timeline t({engines});
    t.submitted(1, {});
    t.works(1, to_device(100));
    t.submitted(2, {});
    t.works(2, to_host(100));
    EXPECT_EQ(std::max(t.of(1).ended, t.of(2).ended), end);
  }
}

// Two streams of two small kernels each, submitted stream by stream. With a queue for each they run side by
// side; with one queue the second stream's first waits for the first one's second to begin (CUDA tutorial,
// Hyper-Q).
TEST(Timeline, StreamsBeyondTheQueuesShareThem) {
  for (const auto& [queues, end] : {std::pair{2U, 20}, std::pair{1U, 30}}) {
    Timeline t({{1, true, queues, 32}});
    t.submitted(1, {}, false, 0, 1);
    t.submitted(2, {1}, false, 0, 1);
    t.submitted(3, {}, false, 0, 2);
    t.submitted(4, {3}, false, 0, 2);
    for (uint64_t n = 1; n <= 4; ++n) t.works(n, kernel(10, 0.1));
    EXPECT_EQ(t.of(4).ended, end);
  }
}

TEST(Timeline, ADeviceRunsSoManyGridsAtATime) {
  Timeline t({{1, true, 32, 16}});
  for (uint64_t n = 1; n <= 17; ++n) {
    t.submitted(n, {}, false, 0, n);
    t.works(n, kernel(10, 0.01));
  }
  EXPECT_EQ(t.of(16).ended, 10);
  EXPECT_EQ(t.of(17).started, 10);
}

TEST(Timeline, KernelsShareTheDeviceWhereItRunsSeveral) {
  for (const auto& [engines, end] : {std::pair{one_copy_engine, 400}, std::pair{two_copy_engines, 200}}) {
    Timeline t({engines});
    for (uint64_t i = 1; i <= 4; ++i) {
      t.submitted(i, {});
      t.works(i, kernel(100, 0.5));
    }
    EXPECT_EQ(t.of(4).ended, end);
  }
}

// What a kernel that runs may be told of when it began: behind all that it waits for.
TEST(Timeline, SaysWhenAKernelThatRunsBegan) {
  Timeline t({two_copy_engines});
  t.submitted(1, {}, false, 7);
  EXPECT_EQ(t.begins(1), 7);
  t.works(1, to_device(100));
  t.submitted(2, {1});
  EXPECT_EQ(t.begins(2), 107);
  t.works(2, kernel(50));
  t.submitted(3, {2}, true);
  t.submitted(4, {3});
  EXPECT_EQ(t.begins(4), 157);
  EXPECT_EQ(t.of(3).ended, 157);
  EXPECT_EQ(t.begins(4), 157);
}

}  // namespace
}  // namespace heddle::clock
