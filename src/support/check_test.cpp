#include "support/check.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

TEST(CheckDeathTest, ABugReportsItselfWithVersionAndPlace) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(report_bug("loom.cpp", 12, "threads > 0", "the loom has no threads"),
               "heddle [0-9]+\\.[0-9]+.*: bug at loom.cpp:12: the loom has no threads \\(threads > 0\\)");
}

TEST(CheckDeathTest, OnlyWhatDoesNotHoldIsReported) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  int asked = 0;
  const auto what = [&] {
    ++asked;
    return std::string("three is not four");
  };
  HEDDLE_CHECK(3 == 3, what());
  EXPECT_EQ(asked, 0);
#ifndef NDEBUG
  EXPECT_DEATH(HEDDLE_CHECK(3 == 4, what()), "three is not four \\(3 == 4\\)");
#endif
}

}  // namespace
}  // namespace heddle
