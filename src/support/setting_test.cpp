#include "support/setting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(Setting, IsAKeyOfTheFileAsTheVariableWouldHaveIt) {
  const auto values =
      read_settings("device = 'gtx480'\nkernel_timeout = 3\nquiet = true\ndevices = ['h200', 'k40']\n");
  ASSERT_TRUE(values.ok());
  EXPECT_THAT(*values,
              UnorderedElementsAre(Pair("HEDDLE_DEVICE", "gtx480"), Pair("HEDDLE_KERNEL_TIMEOUT", "3"),
                                   Pair("HEDDLE_QUIET", "1"), Pair("HEDDLE_DEVICES", "h200,k40")));
}

TEST(Setting, OfAnUnknownNameIsAnError) {
  const auto failed = [](std::string_view text) {
    const auto values = read_settings(text);
    return values.ok() ? "accepted" : values.error().message;
  };
  EXPECT_EQ(failed("devise = 'h200'"), "devise: unknown key; did you mean 'device'?");
  EXPECT_EQ(failed("weather = 1"), "weather: unknown key");
  EXPECT_EQ(failed("[device]\nname = 'h200'"), "device: expected a value, got a table");
  EXPECT_THAT(failed("device = "), HasSubstr("line 1"));
}

TEST(Setting, StandsInTheUsersFileOrElseTheHosts) {
  const std::filesystem::path home = testing::TempDir() + "heddle_setting";
  std::filesystem::create_directories(home / ".config/heddle");
  std::ofstream(home / ".config/heddle/config.toml") << "device = 'k40'\n";
  SettingValues variables{{"HOME", home}};
  const auto environment = [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
  EXPECT_EQ(settings_file(environment), home / ".config/heddle/config.toml");
  variables["XDG_CONFIG_HOME"] = home / ".config";
  variables["HOME"] = "/nowhere";
  EXPECT_EQ(settings_file(environment), home / ".config/heddle/config.toml");
  variables["HEDDLE_CONFIG"] = "mine.toml";
  EXPECT_EQ(settings_file(environment), "mine.toml");
  variables["HEDDLE_CONFIG"] = "";
  EXPECT_EQ(settings_file(environment), "") << "none";
}

}  // namespace
}  // namespace heddle
