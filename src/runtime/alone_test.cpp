#include "runtime/alone.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace heddle::runtime {
namespace {

using std::chrono::milliseconds;

TEST(Alone, WaitsForOthersAndKeepsThemFromBeginning) {
  Alone::prepare();
  std::atomic<bool> other_began{false}, other_ended{false}, later{false};
  std::thread other([&] {
    const Alone::Task task;
    other_began = true;
    std::this_thread::sleep_for(milliseconds(20));
    other_ended = true;
  });
  while (!other_began) std::this_thread::yield();
  const Alone::Task task;
  ASSERT_TRUE(Alone::begin(milliseconds(10000)));
  EXPECT_TRUE(other_ended);
  std::thread behind([&] {
    const Alone::Task another;
    later = true;
  });
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_FALSE(later);
  Alone::end();
  behind.join();
  EXPECT_TRUE(later);
  other.join();
}

TEST(Alone, IsNotForWhoWaitsForATaskThatDoesNotEnd) {
  Alone::prepare();
  std::atomic<bool> began{false}, end{false};
  std::thread other([&] {
    const Alone::Task task;
    began = true;
    while (!end) std::this_thread::yield();
  });
  while (!began) std::this_thread::yield();
  const Alone::Task task;
  EXPECT_FALSE(Alone::begin(milliseconds(20)));
  end = true;
  other.join();
  EXPECT_TRUE(Alone::begin(milliseconds(10000)));
  Alone::end();
}

TEST(Alone, TwoThatWishItHaveTurns) {
  Alone::prepare();
  std::atomic<unsigned> inside{0}, times{0};
  const auto one = [&] {
    for (int i = 0; i < 50; ++i) {
      const Alone::Task task;
      ASSERT_TRUE(Alone::begin(milliseconds(10000)));
      EXPECT_EQ(++inside, 1U);
      --inside, ++times;
      Alone::end();
    }
  };
  std::thread a(one), b(one);
  a.join(), b.join();
  EXPECT_EQ(times, 100U);
}

}  // namespace
}  // namespace heddle::runtime
