#include "support/toolkit_header.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

TEST(ToolkitHeader, LiesBelowAFolderThatHasOneOfItsHeaders) {
  const std::filesystem::path top = std::filesystem::path(testing::TempDir()) / "toolkit_header_test";
  std::filesystem::create_directories(top / "include/crt/deep");
  std::filesystem::create_directories(top / "own");
  std::ofstream(top / "include/cuda_runtime_api.h") << '\n';
  EXPECT_TRUE(is_toolkit_header((top / "include/cuda_fp16.h").string()));
  EXPECT_TRUE(is_toolkit_header((top / "include/crt/deep/gone.h").string()));
  EXPECT_FALSE(is_toolkit_header((top / "own/kernel.cu").string()));
  EXPECT_FALSE(is_toolkit_header((top / "kernel.cu").string()));
  EXPECT_TRUE(is_toolkit_header("/usr/include/math.h"));
  EXPECT_FALSE(is_toolkit_header("kernel.cu"));
  EXPECT_FALSE(is_toolkit_header(""));
  std::filesystem::remove_all(top);
}

}  // namespace
}  // namespace heddle
