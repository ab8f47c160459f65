#include "machine/use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace heddle::machine {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// A device of its own for each test, in a folder of its own.
DeviceUse& device(unsigned char number) {
  static const std::string folder = testing::TempDir() + "heddle_use_" + std::to_string(getpid());
  setenv("HEDDLE_STATE_DIR", folder.c_str(), 1);
  DeviceUse* use = DeviceUse::of({number});
  if (use == nullptr) std::abort();
  return *use;
}

// Another process makes a context; it lives until it is told to end.
class Other {
 public:
  explicit Other(DeviceUse& use) {
    int ready[2], end[2];
    if (pipe(ready) != 0 || pipe(end) != 0) std::abort();
    child_ = fork();
    char byte = 0;
    if (child_ == 0) {
      close(end[1]);
      const bool made = use.begin_context().ok();
      if (auto* bytes = use.bytes()) *bytes = 4096;
      byte = made ? 'y' : 'n';
      if (write(ready[1], &byte, 1) == 1 && read(end[0], &byte, 1) < 0) _exit(2);
      _exit(0);
    }
    close(ready[1]);
    close(end[0]);
    end_ = end[1];
    if (read(ready[0], &byte, 1) != 1) std::abort();
    close(ready[0]);
    made_ = byte == 'y';
  }
  ~Other() { finish(); }
  Other(const Other&) = delete;
  Other& operator=(const Other&) = delete;
  bool made() const { return made_; }
  pid_t process() const { return child_; }
  void finish() {
    if (child_ == 0) return;
    close(end_);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
  int end_ = -1;
  bool made_ = false;
};

TEST(DeviceUse, TellsWhoHasContextsAndHowMuchMemory) {
  DeviceUse& use = device(1);
  EXPECT_THAT(use.users(), IsEmpty());
  ASSERT_TRUE(use.begin_context().ok());
  *use.bytes() = 256;
  Other other(use);
  ASSERT_TRUE(other.made());
  const auto users = use.users();
  ASSERT_EQ(users.size(), 2u);
  const bool first = users[0].process == getpid();
  EXPECT_EQ(users[first ? 0 : 1].bytes, 256u);
  EXPECT_EQ(users[first ? 1 : 0].process, other.process());
  EXPECT_EQ(users[first ? 1 : 0].bytes, 4096u);
  EXPECT_THAT(users[0].program, HasSubstr("machine_test"));
  other.finish();
  EXPECT_EQ(use.users().size(), 1u) << "who has ended without a word is no user";
  use.end_context();
  EXPECT_THAT(use.users(), IsEmpty());
}

TEST(DeviceUse, OfAnExclusiveDeviceIsOneProcesss) {
  DeviceUse& use = device(2);
  use.set_mode(ComputeMode::exclusive_process);
  ASSERT_TRUE(use.begin_context().ok());
  ASSERT_TRUE(use.begin_context().ok()) << "a second context of the same process";
  EXPECT_FALSE(Other(use).made());
  use.end_context();
  EXPECT_FALSE(Other(use).made()) << "one context is still there";
  use.end_context();
  Other other(use);
  EXPECT_TRUE(other.made());
  const auto refused = use.begin_context();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "its compute mode is Exclusive_Process, and process " +
                                         std::to_string(other.process()) + " has it");
}

TEST(DeviceUse, OfAnExclusiveThreadIsOneContext) {
  DeviceUse& use = device(3);
  use.set_mode(ComputeMode::exclusive_thread);
  ASSERT_TRUE(use.begin_context().ok());
  EXPECT_FALSE(use.begin_context().ok());
  use.end_context();
  EXPECT_TRUE(use.begin_context().ok());
}

TEST(DeviceUse, OfAProhibitedDeviceIsNobodys) {
  DeviceUse& use = device(4);
  use.set_mode(ComputeMode::prohibited);
  const auto refused = use.begin_context();
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "its compute mode is Prohibited");
  use.set_mode(ComputeMode::standard);
  EXPECT_TRUE(use.begin_context().ok());
}

}  // namespace
}  // namespace heddle::machine
