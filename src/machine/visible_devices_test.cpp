#include "machine/visible_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

namespace heddle::machine {
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

}  // namespace
}  // namespace heddle::machine
