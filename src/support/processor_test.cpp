#include "support/processor.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

namespace heddle {
namespace {

cpu_set_t allowed() {
  cpu_set_t set;
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

void allow(const cpu_set_t& set) { ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0); }

TEST(Processor, IsLeftForAnotherAndMayBeComeBackTo) {
  std::thread([] {
    const cpu_set_t before = allowed();
    EXPECT_EQ(leave_processor(), CPU_COUNT(&before) > 1);
    const cpu_set_t after = allowed();
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  }).join();
}

TEST(Processor, TheOnlyOneIsNotLeft) {
  std::thread([] {
    cpu_set_t one;
    CPU_ZERO(&one);
    const int here = this_processor();
    ASSERT_GE(here, 0);
    CPU_SET(static_cast<unsigned>(here), &one);
    allow(one);
    EXPECT_FALSE(leave_processor());
    EXPECT_EQ(this_processor(), here);
    const cpu_set_t after = allowed();
    EXPECT_TRUE(CPU_EQUAL(&one, &after));
  }).join();
}

// With two to choose from it is the other one, as long as nobody moves it back.
TEST(Processor, OfTwoTheOtherOneIsTaken) {
  std::thread([] {
    const cpu_set_t all = allowed();
    if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one processor";
    bool moved = false;
    for (int round = 0; round < 100 && !moved; ++round) {
      const int before = this_processor();
      ASSERT_TRUE(leave_processor());
      moved = this_processor() != before;
    }
    EXPECT_TRUE(moved);
  }).join();
}

}  // namespace
}  // namespace heddle
