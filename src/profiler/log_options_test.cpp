#include "profiler/log_options.h"

#include <gtest/gtest.h>

#include <map>

namespace heddle::profiler {
namespace {

Environment environment(std::map<std::string, std::string> values) {
  return [values = std::move(values)](const char* name) -> const char* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : found->second.c_str();
  };
}

TEST(LogOptions, AreAskedForByAnyOfTheNames) {
  EXPECT_TRUE(wants_log(environment({{"COMPUTE_PROFILE", "1"}})));
  EXPECT_TRUE(wants_log(environment({{"CUDA_PROFILE", "1"}})));
  EXPECT_TRUE(wants_log(environment({{"OPENCL_PROFILE", "1"}})));
  EXPECT_FALSE(wants_log(environment({{"COMPUTE_PROFILE", "0"}, {"CUDA_PROFILE", "1"}})));
  EXPECT_FALSE(wants_log(environment({{"COMPUTE_PROFILE_CSV", "1"}})));
}

TEST(LogOptions, TakeNamesInTheOrderOfTheLog) {
  LogOptions options;
  read_log_configuration(
      "streamid\n# a line of its own\n  gridsize3d \r\nbranch # behind\nstreamid\n\nbranch", options);
  ASSERT_EQ(options.options.size(), 2U);
  EXPECT_EQ(options.options[0]->name, "gridsize3d");
  EXPECT_EQ(options.options[1]->name, "streamid");
  EXPECT_EQ(options.counters, std::vector<std::string>{"branch"});
  EXPECT_TRUE(options.warnings.empty());
}

TEST(LogOptions, TakeSettings) {
  LogOptions options;
  read_log_configuration("enableonstart 0\nprofilelogformat CSV\ncountermodeaggregate\n", options);
  EXPECT_FALSE(options.from_start);
  EXPECT_TRUE(options.csv);
  EXPECT_TRUE(options.options.empty());
  read_log_configuration("profilelogformat XML\nenableonstart\n", options);
  ASSERT_EQ(options.warnings.size(), 2U);
  EXPECT_EQ(options.warnings[0],
            "Ignoring the profiler config option profilelogformat: its value is 'XML', not one of CSV KVP");
}

TEST(LogOptions, NameAConfigurationThatCannotBeRead) {
  const auto options = log_options(environment({{"CUDA_PROFILE_CONFIG", "nowhere/at/all"}}));
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.error().message,
            "the configuration 'nowhere/at/all' cannot be read: No such file or directory");
}

TEST(LogOptions, KnowWhichDeviceHasACounter) {
  EXPECT_NE(log_counter("gld_incoherent", {1, 1}), nullptr);
  EXPECT_EQ(log_counter("gld_incoherent", {1, 3}), nullptr);
  EXPECT_NE(log_counter("gld_128b", {1, 3}), nullptr);
  EXPECT_EQ(log_counter("gld_128b", {2, 0}), nullptr);
  EXPECT_NE(log_counter("warps_launched", {3, 5}), nullptr);  // an event
}

}  // namespace
}  // namespace heddle::profiler
