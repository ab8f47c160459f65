#include "support/host_memory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t gigabyte = uint64_t{1} << 30;

class HostMemory : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            ("host_memory_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  fs::path root_;
};

constexpr const char* eight_gigabytes =
    "MemTotal:       16777216 kB\nMemFree:         1000000 kB\nMemAvailable:    8388608 kB\nSwapFree:        "
    "0 kB\n";

TEST_F(HostMemory, IsWhatTheSystemCanFree) {
  write("proc/meminfo", eight_gigabytes);
  EXPECT_EQ(available_host_memory(root_), 8 * gigabyte);
  write("proc/meminfo", "MemAvailable:    1048576 kB\nSwapFree:   1048576 kB\n");
  EXPECT_EQ(available_host_memory(root_), 2 * gigabyte);
}

TEST_F(HostMemory, IsUnknownWhereTheSystemDoesNotSay) {
  EXPECT_EQ(available_host_memory(root_), std::nullopt);
}

TEST_F(HostMemory, IsNoMoreThanAGroupOfVersion2Leaves) {
  write("proc/meminfo", eight_gigabytes);
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/inner/memory.current", "1073741824\n");
  EXPECT_EQ(available_host_memory(root_), 8 * gigabyte);
  // The outer one has the limit; of what it holds, files that nobody uses do not count.
  write("sys/fs/cgroup/outer/memory.max", "4294967296\n");
  write("sys/fs/cgroup/outer/memory.current", "3221225472\n");
  write("sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 1073741824\n");
  EXPECT_EQ(available_host_memory(root_), 2 * gigabyte);
}

TEST_F(HostMemory, IsNoMoreThanAGroupOfVersion1Leaves) {
  write("proc/meminfo", eight_gigabytes);
  // In a container the path is the host's, and not there.
  write("proc/self/cgroup", "5:cpu:/\n4:memory:/docker/0123\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n");
  EXPECT_EQ(available_host_memory(root_), gigabyte);
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "3221225472\n");
  EXPECT_EQ(available_host_memory(root_), 0u);
}

TEST_F(HostMemory, IsNoMoreThanTheLimitsOfTheProcessLeave) {
  write("proc/meminfo", eight_gigabytes);
  write("proc/self/status", "VmPeak:\t 9999999 kB\nVmSize:\t 1048576 kB\nVmData:\t  524288 kB\n");
  write("proc/self/limits",
        "Max data size             unlimited            unlimited            bytes\n"
        "Max address space         unlimited            unlimited            bytes\n");
  EXPECT_EQ(available_host_memory(root_), 8 * gigabyte);
  write("proc/self/limits",
        "Max data size             2147483648           unlimited            bytes\n"
        "Max address space         4294967296           unlimited            bytes\n");
  EXPECT_EQ(available_host_memory(root_), 3 * gigabyte / 2);
  write("proc/self/limits",
        "Max data size             unlimited            unlimited            bytes\n"
        "Max address space         536870912            unlimited            bytes\n");
  EXPECT_EQ(available_host_memory(root_), 0u);
}

TEST(ByteCount, TakesNumbersWithAndWithoutAUnit) {
  EXPECT_EQ(byte_count("12345"), 12345u);
  EXPECT_EQ(byte_count("300M"), uint64_t{300} << 20);
  EXPECT_EQ(byte_count("2G"), 2 * gigabyte);
  EXPECT_EQ(byte_count("1K"), 1024u);
  for (const char* bad : {"", "1T", "M", "-1", "99999999999G", "1 G"})
    EXPECT_EQ(byte_count(bad), std::nullopt);
}

}  // namespace
}  // namespace heddle
