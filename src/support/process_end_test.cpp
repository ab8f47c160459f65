#include "support/process_end.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

namespace heddle {
namespace {

using namespace std::chrono_literals;

// What the thread of a child process has done; looked at by handlers that run behind the one of LibraryWork,
// where a library's static objects would be destroyed.
std::atomic<bool> begun{false}, ended{false};
std::atomic<unsigned> steps{0};

void wait_until_begun() {
  while (!begun) std::this_thread::sleep_for(1ms);
}

TEST(ProcessEndDeathTest, WaitsForWorkThatSomebodyWaitsFor) {
  EXPECT_EXIT(
      {
        std::atexit([] { _exit(ended ? 0 : 1); });
        std::thread([] {
          const LibraryWork work;
          const LibraryWork within(LibraryWork::Purpose::later);
          begun = true;
          for (int i = 0; i < 20; ++i) {
            std::this_thread::sleep_for(10ms);
            LibraryWork::rest();  // no place to leave it: somebody waits
          }
          ended = true;
        }).detach();
        wait_until_begun();
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ProcessEndDeathTest, LeavesWorkForLaterAtItsNextRest) {
  EXPECT_EXIT(
      {
        std::atexit([] {
          const unsigned before = steps;
          std::this_thread::sleep_for(50ms);
          _exit(steps == before ? 0 : 1);
        });
        std::thread([] {
          const LibraryWork work(LibraryWork::Purpose::later);
          for (;; ++steps) {
            begun = true;
            std::this_thread::sleep_for(1ms);
            LibraryWork::rest();
          }
        }).detach();
        wait_until_begun();
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ProcessEndDeathTest, WorkThatIsLeftIsToldBefore) {
  EXPECT_EXIT(
      {
        std::atexit([] { _exit(static_cast<int>(steps)); });
        std::thread([] {
          const LibraryWork work([] {
            std::this_thread::sleep_for(50ms);
            steps += 5;
          });
          const LibraryWork within(LibraryWork::Purpose::later);
          for (;; begun = true) LibraryWork::rest();
        }).detach();
        wait_until_begun();
        std::exit(2);
      },
      testing::ExitedWithCode(5), "");
}

TEST(ProcessEndDeathTest, WorkThatEndsIsNotToldAsLeft) {
  EXPECT_EXIT(
      {
        std::atexit([] { _exit(static_cast<int>(steps)); });
        {
          const LibraryWork work([] { steps += 5; });
          LibraryWork::rest();
        }
        const LibraryWork other(LibraryWork::Purpose::later);
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ProcessEndDeathTest, NothingBeginsBehindIt) {
  EXPECT_EXIT(
      {
        std::atexit([] { _exit(LibraryWork().may_begin() ? 1 : 0); });
        if (!LibraryWork().may_begin()) _exit(3);
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

// Work was promised and has not begun when the process ends: it may begin, and the end waits for it.
TEST(ProcessEndDeathTest, WaitsForWorkThatWasPromised) {
  EXPECT_EXIT(
      {
        std::atexit([] { _exit(ended ? 0 : 1); });
        auto* promise = new std::optional<LibraryWork::Promise>;
        {
          const LibraryWork work;
          promise->emplace();
        }
        std::thread([promise] {
          begun = true;
          std::this_thread::sleep_for(50ms);  // the process ends meanwhile
          if (LibraryWork().may_begin()) _exit(3);
          {
            const LibraryWork work(**promise);
            std::this_thread::sleep_for(50ms);
            ended = work.may_begin();
          }
          promise->reset();
        }).detach();
        wait_until_begun();
        std::exit(2);
      },
      testing::ExitedWithCode(0), "");
}

TEST(ProcessEndDeathTest, TheLibraryMayEndTheProcessItself) {
  EXPECT_EXIT(
      {
        const LibraryWork work;
        std::exit(4);
      },
      testing::ExitedWithCode(4), "");
}

// The child of a fork has none of its parent's threads to wait for.
TEST(ProcessEndDeathTest, AForkDoesNotWaitForItsParentsThreads) {
  EXPECT_EXIT(
      {
        std::thread([] {
          const LibraryWork work;
          begun = true;
          std::this_thread::sleep_for(60s);
        }).detach();
        wait_until_begun();
        alarm(5);
        const pid_t child = fork();
        if (child == 0) std::exit(6);
        int status = 0;
        waitpid(child, &status, 0);
        _exit(WEXITSTATUS(status));
      },
      testing::ExitedWithCode(6), "");
}

}  // namespace
}  // namespace heddle
