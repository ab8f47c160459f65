#include "support/read_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

TEST(ReadFile, GivesAllBytes) {
  const std::string path = testing::TempDir() + "read_file_test";
  std::string bytes;
  for (int i = 0; i < 200'000; ++i) bytes += static_cast<char>(i);
  std::ofstream(path, std::ios::binary) << bytes;
  const auto read = read_file(path);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, bytes);
  std::filesystem::remove(path);
}

TEST(ReadFile, ReadsWhatHasNoSize) {
  const auto read = read_file("/proc/self/status");
  ASSERT_TRUE(read.ok());
  EXPECT_NE(read->find("VmSize"), std::string::npos);
}

TEST(ReadFile, SaysWhyNot) {
  EXPECT_EQ(read_file("/path/to/nothing").error().message,
            "cannot read '/path/to/nothing': No such file or directory");
  EXPECT_EQ(read_file("/tmp").error().message, "cannot read '/tmp': Is a directory");
}

}  // namespace
}  // namespace heddle
