#include "exec/jit/launch/landing.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace heddle::exec::jit {
namespace {

// Native code is not instrumented either.
__attribute__((no_sanitize("address", "undefined", "thread"))) void store_to_nothing(Context*, uint64_t,
                                                                                     uint64_t) {
  *reinterpret_cast<volatile int*>(uintptr_t{4096}) = 1;
}

// A pool does so when several of its threads fault at once: once a run, and a run may have ended by then.
TEST(Landing, AnInterruptDuringAFaultLeavesTheCodeOnce) {
  constexpr int runs = 2'000;
  std::atomic<pid_t> runner{0};
  std::atomic<int> run{0};
  std::thread interrupter([&] {
    for (int seen = 0; seen < runs;) {
      const int now = run.load();
      if (now == seen) continue;
      seen = now;
      for (volatile int wait = 0; wait < seen % 512; wait = wait + 1) {
      }
      Landing::interrupt(runner.load());
    }
  });
  Landing landing;
  const std::atomic<uint8_t> stop{0};
  runner = Landing::this_thread();
  for (int i = 0; i < runs; ++i) {
    run = i + 1;
    EXPECT_FALSE(landing.run(store_to_nothing, nullptr, 0, 0, stop));
    const Trap& trap = landing.trap();
    EXPECT_NE(trap.number, 0);
    EXPECT_TRUE(trap.interrupted || trap.address == 4096);
  }
  interrupter.join();
}

}  // namespace
}  // namespace heddle::exec::jit
