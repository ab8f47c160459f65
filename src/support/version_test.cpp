#include "support/version.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(Version, StartsWithANumber) {
  ASSERT_FALSE(version().empty());
  EXPECT_GE(version().front(), '0');
  EXPECT_LE(version().front(), '9');
}

}  // namespace
}  // namespace heddle
