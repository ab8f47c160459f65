#include "runtime/visible_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <string>

#include "runtime/system.h"

namespace heddle::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(VisibleDevices, AreThoseOfTheListUpToTheFirstThatIsNone) {
  const std::vector<const arch::Device*> all(4, &arch::default_device());
  EXPECT_THAT(visible_devices("0", all), ElementsAre(0));
  EXPECT_THAT(visible_devices("3, 1,0", all), ElementsAre(3, 1, 0));
  EXPECT_THAT(visible_devices("2,4,1", all), ElementsAre(2));
  EXPECT_THAT(visible_devices("1,-1,2", all), ElementsAre(1));
  EXPECT_THAT(visible_devices("1,1,2", all), ElementsAre(1));
  EXPECT_THAT(visible_devices("1,2x", all), ElementsAre(1));
  for (const char* none : {"", "-1", "none", "NoDevFiles", "99999999999999999999", ",0", "GPU-"})
    EXPECT_THAT(visible_devices(none, all), IsEmpty()) << none;
  EXPECT_THAT(visible_devices("GPU-", {all[0]}), ElementsAre(0)) << "any beginning that is clear";
}

TEST(VisibleDevices, HaveUuidsOfTheirOwn) {
  const std::vector<const arch::Device*> all(3, &arch::default_device());
  const auto uuid = device_uuid(all[0]->id, 2);
  char begin[16];
  std::snprintf(begin, sizeof begin, "GPU-%02x%02x%02x%02x", uuid[0], uuid[1], uuid[2], uuid[3]);
  EXPECT_THAT(visible_devices(std::string(begin) + ",0", all), ElementsAre(2, 0));
}

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
