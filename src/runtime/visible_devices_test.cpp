// Which devices a process sees: HEDDLE_DEVICES and CUDA_VISIBLE_DEVICES together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "runtime/system.h"

namespace heddle::runtime {
namespace {

using testing::ElementsAre;

TEST(VisibleDevices, AreTheProcesss) {
  std::map<std::string, const char*> values{{"HEDDLE_DEVICES", "h200,k40,gtx480"}};
  const auto environment = [&](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second;
  };
  values["CUDA_VISIBLE_DEVICES"] = "2,0";
  auto options = options_from_environment(environment);
  ASSERT_TRUE(options.ok());
  ASSERT_EQ(options->devices.size(), 2u);
  EXPECT_EQ(options->devices[0]->id, "gtx480");
  EXPECT_THAT(options->numbers, ElementsAre(2, 0));
  values["CUDA_VISIBLE_DEVICES"] = "";
  options = options_from_environment(environment);
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().code, ErrorCode::no_device);
  values = {{"CUDA_VISIBLE_DEVICES", "0"}};
  options = options_from_environment(environment);
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->devices.size(), 1u) << "of the catalogue's default";
}

}  // namespace
}  // namespace heddle::runtime
