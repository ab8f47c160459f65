#include "support/thread_object.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace heddle {
namespace {

std::atomic<int> made{0}, gone{0};

struct Own {
  explicit Own(int begin) : value(begin) { ++made; }
  ~Own() {
    value = -1;
    ++gone;
  }
  int value;
};

TEST(ThreadObject, IsTheThreadsOwnAndGoesWithIt) {
  made = gone = 0;
  std::thread([] {
    thread_object<Own>(5).value = 6;
    EXPECT_EQ(thread_object<Own>(5).value, 6);
    std::thread([] { EXPECT_EQ(thread_object<Own>(7).value, 7); }).join();
    EXPECT_EQ(gone, 1);
  }).join();
  EXPECT_EQ(made, 2);
  EXPECT_EQ(gone, 2);
}

// What was to be done at the end of the process is done when the thread's objects are gone.
TEST(ThreadObject, IsThereAtTheEndOfTheProcess) {
  EXPECT_EXIT(
      {
        gone = 0;
        thread_object<Own>(8).value = 8;
        on_exit([](int, void*) { _exit(gone == 1 && thread_object<Own>(9).value == 9 ? 0 : 1); }, nullptr);
        std::exit(3);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace heddle
