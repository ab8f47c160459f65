#include "machine/visible_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>

namespace heddle::machine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<uint32_t> seen(std::string_view list, const std::vector<const arch::Device*>& all) {
  const auto numbers = visible_devices(list, all);
  EXPECT_TRUE(numbers) << list;
  return numbers ? *numbers : std::vector<uint32_t>{};
}

TEST(VisibleDevices, AreThoseOfTheListUpToTheFirstThatIsNone) {
  const std::vector<const arch::Device*> all(4, &arch::default_device());
  EXPECT_THAT(seen("0", all), ElementsAre(0));
  EXPECT_THAT(seen("3, 1,0", all), ElementsAre(3, 1, 0));
  EXPECT_THAT(seen("2,4,1", all), ElementsAre(2));
  EXPECT_THAT(seen("1,-1,2", all), ElementsAre(1));
  EXPECT_THAT(seen("1,,2", all), ElementsAre(1));
  for (const char* none : {"", "-1", "none", "NoDevFiles", "99999999999999999999", ",0", "GPU-", "MIG-1"})
    EXPECT_THAT(seen(none, all), IsEmpty()) << none;
  EXPECT_THAT(seen("GPU-", {all[0]}), ElementsAre(0)) << "any beginning that is clear";
}

// What an H200's driver answered, of two devices (tests/hw/h200/answers/visible_devices.txt), each list with
// the numbers that it sees: the file's uuids are replaced by ours.
TEST(VisibleDevices, AreThoseThatADriverSees) {
  const std::vector<const arch::Device*> all(2, &arch::default_device());
  const std::string theirs = "008a065e-58df-7cc6-d4c0-0bcf9f35219f";
  std::string ours = uuid_text(device_uuid(all[0]->id, 0)).substr(4), ours_above = ours,
              theirs_above = theirs;
  const auto raise = [](std::string& text) {
    std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  };
  raise(ours_above), raise(theirs_above);
  std::ifstream in(HEDDLE_SOURCE_DIR "/tests/hw/h200/answers/visible_devices.txt");
  std::size_t asked = 0;
  for (std::string line; std::getline(in, line);) {
    const std::size_t close = line.find("] cuInit ");
    if (!line.starts_with('[') || close == line.npos) continue;
    std::string list = line.substr(1, close - 1);
    for (const auto& [from, to] : {std::pair{theirs, ours}, {theirs_above, ours_above}})
      for (std::size_t at; (at = list.find(from)) != list.npos;) list.replace(at, from.size(), to);
    // Beginnings of the uuid that are not clear among ours.
    if (list == "GPU-008a") list = "GPU-" + ours.substr(0, 4);
    if (list == "GPU-0") list = "GPU-" + ours.substr(0, 4);
    const int code = std::atoi(line.c_str() + close + 9);
    const auto numbers = visible_devices(list, all);
    ++asked;
    if (code == 101) {
      EXPECT_FALSE(numbers) << list;
      continue;
    }
    ASSERT_TRUE(numbers) << list;
    const std::size_t count =
        code == 0
            ? static_cast<std::size_t>(std::atoi(line.substr(line.find("cuDeviceGetCount 0 ") + 19).c_str()))
            : 0;
    EXPECT_EQ(numbers->size(), count) << list;
    if (count != 0) EXPECT_EQ(numbers->front(), line.find(":06.0") != line.npos ? 0U : 1U) << list;
  }
  EXPECT_EQ(asked, 45U);
}

TEST(VisibleDevices, HaveUuidsOfTheirOwn) {
  const std::vector<const arch::Device*> all(3, &arch::default_device());
  const auto uuid = device_uuid(all[0]->id, 2);
  char begin[16];
  std::snprintf(begin, sizeof begin, "GPU-%02x%02x%02x%02x", uuid[0], uuid[1], uuid[2], uuid[3]);
  EXPECT_THAT(seen(begin, all), ElementsAre(2));
  EXPECT_THAT(seen(std::string(begin) + ",0", all), ElementsAre(2)) << "of one kind alone";
}

}  // namespace
}  // namespace heddle::machine
