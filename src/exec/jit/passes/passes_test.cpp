#include "exec/jit/passes/passes.h"

#include <gtest/gtest.h>

namespace heddle::exec::jit {
namespace {

TEST(Passes, AWrongNameNamesTheNearestPass) {
  const auto wrong = read_passes_to_disable("prefetch,short-side");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error(),
            "there is no pass 'short-side'; the nearest is 'short-sides' (heddle ptx jit --list-passes lists "
            "them)");
  const auto needed = read_passes_to_disable("weave");
  ASSERT_FALSE(needed.ok());
  EXPECT_NE(needed.error().find("'weave' can not be off"), std::string::npos) << needed.error();
  const auto two = read_passes_to_disable("prefetch,short-sides");
  ASSERT_TRUE(two.ok());
  EXPECT_TRUE(two->has(Pass::prefetch) && two->has(Pass::short_sides) && !two->has(Pass::streams));
  EXPECT_TRUE(read_passes_to_disable("")->empty());
}

}  // namespace
}  // namespace heddle::exec::jit
