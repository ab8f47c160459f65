#include "support/file_limit.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace heddle {
namespace {

// In a child: a limit of the process is lowered. The second write is behind the first one's failure,
// unprotected.
[[noreturn]] void write_beyond(bool also_after) {
  char name[] = "/tmp/heddle-limit-XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  const rlimit limit{0, 0};
  if (file < 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
  {
    const FileLimitIsAnError guard;
    if (write(file, "x", 1) != -1 || errno != EFBIG) _exit(3);
  }
  if (also_after) (void)!write(file, "x", 1);
  _exit(0);
}

TEST(FileLimitDeathTest, AWriteBeyondTheLimitFails) {
  EXPECT_EXIT(write_beyond(false), testing::ExitedWithCode(0), "");
}

TEST(FileLimitDeathTest, AfterwardsTheSignalComesAgain) {
  EXPECT_EXIT(write_beyond(true), testing::KilledBySignal(SIGXFSZ), "");
}

}  // namespace
}  // namespace heddle
