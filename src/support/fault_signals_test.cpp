#include "support/fault_signals.h"

#include <gtest/gtest.h>
#include <setjmp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <thread>

namespace heddle {
namespace {

// No null pointer: sanitizers know those.
void* const nowhere = reinterpret_cast<void*>(uintptr_t{64});
const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));

struct Pages {  // three: the last one as `last` says
  explicit Pages(int last)
      : begin(static_cast<char*>(
            mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    if (last < 0)
      munmap(begin + 2 * page, page);
    else
      mprotect(begin + 2 * page, page, last);
  }
  ~Pages() { munmap(begin, 3 * page); }
  char* const begin;
};

TEST(FaultSignals, MemoryThatIsThereIsCopied) {
  char from[5000], to[5000] = {};
  std::memset(from, 7, sizeof from);
  EXPECT_TRUE(copy_if_mapped(to, from, sizeof from));
  EXPECT_EQ(std::memcmp(to, from, sizeof from), 0);
  EXPECT_TRUE(can_be_read(from, sizeof from));
  EXPECT_TRUE(can_be_written(to, sizeof to));
  EXPECT_EQ(to[4999], 7);
}

TEST(FaultSignals, MemoryThatIsNotThereIsSeen) {
  keep_fault_handlers();
  const Pages pages(-1);
  char byte = 0;
  EXPECT_FALSE(copy_if_mapped(&byte, pages.begin + 2 * page, 1));
  EXPECT_FALSE(copy_if_mapped(pages.begin + 2 * page, &byte, 1));
  EXPECT_FALSE(can_be_read(pages.begin + 5, 2 * page));
  EXPECT_FALSE(can_be_written(pages.begin + 5, 2 * page));
  EXPECT_TRUE(can_be_written(pages.begin + 5, 2 * page - 5));
  EXPECT_FALSE(can_be_read(nowhere, 1));
  EXPECT_FALSE(can_be_read(reinterpret_cast<const void*>(~uintptr_t{0}), 16));
  EXPECT_TRUE(can_be_read(nullptr, 0));
}

TEST(FaultSignals, MemoryThatMayOnlyBeReadIsSeen) {
  const Pages pages(PROT_READ);
  char byte = 0;
  EXPECT_TRUE(can_be_read(pages.begin, 3 * page));
  EXPECT_FALSE(can_be_written(pages.begin, 3 * page));
  EXPECT_FALSE(copy_if_mapped(pages.begin + 2 * page, &byte, 1));
  EXPECT_TRUE(copy_if_mapped(&byte, pages.begin + 2 * page, 1));
}

// ---- handlers of the program's own
thread_local sigjmp_buf back;
int calls = 0;
struct sigaction before_program;

void program_handler(int, siginfo_t*, void*) {
  ++calls;
  siglongjmp(back, 1);
}
void chaining_handler(int number, siginfo_t* info, void* state) {
  ++calls;
  before_program.sa_sigaction(number, info, state);
}
void set(void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action{};
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  action.sa_sigaction = handler;
  sigaction(SIGSEGV, &action, &before_program);
}
void fault() { *static_cast<volatile char*>(nowhere) = 1; }
bool caught_by_program() {
  calls = 0;
  if (sigsetjmp(back, 1) == 0) fault();
  return calls == 1;
}

TEST(FaultSignals, AProgramsHandlerSetLaterHasItsOwnFaultsAndNotOurs) {
  take_faults([](int, siginfo_t*, void*) { return false; });
  set(program_handler);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(can_be_read(nowhere, 1));
    EXPECT_TRUE(caught_by_program());
  }
  set(program_handler);  // again, over ours
  EXPECT_FALSE(can_be_read(nowhere, 1));
  EXPECT_TRUE(caught_by_program());
  signal(SIGSEGV, SIG_DFL);
}

// It ends the process by the signal, as without us; never calls in a circle.
TEST(FaultSignalsDeathTest, AHandlerThatPassesOnToWhatWasBeforeEndsSomewhere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto chain = [](int times) {
    signal(SIGSEGV, SIG_DFL);
    for (int i = 0; i < times; ++i) {
      if (can_be_read(nowhere, 1)) _exit(3);
      set(chaining_handler);
    }
    if (can_be_read(nowhere, 1)) _exit(3);
    fault();
  };
  EXPECT_EXIT(chain(1), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(chain(2), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(chain(5), testing::KilledBySignal(SIGSEGV), "");
}

// As Python's faulthandler does: puts back what was before, and lets the fault happen again.
void restoring_handler(int number, siginfo_t*, void*) {
  sigaction(number, &before_program, nullptr);
  if (write(STDERR_FILENO, "program's own\n", 14) != 14) _exit(4);
}
TEST(FaultSignalsDeathTest, AHandlerThatPutsBackWhatWasBeforeEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL);
        can_be_read(nowhere, 1);
        set(restoring_handler);
        can_be_read(nowhere, 1);
        fault();
      },
      testing::KilledBySignal(SIGSEGV), "program's own");
}

TEST(FaultSignals, ThreadsFaultOnTheirOwn) {
  std::thread threads[4];
  for (std::thread& thread : threads)
    thread = std::thread([] {
      for (int i = 0; i < 200; ++i) EXPECT_FALSE(can_be_read(nowhere, 1));
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace heddle
