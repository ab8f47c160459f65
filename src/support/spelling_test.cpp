#include "support/spelling.h"

#include <gtest/gtest.h>

#include <string>

namespace heddle {
namespace {

TEST(EditDistance, CountsInsertionsRemovalsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("add", "add"), 0u);
  EXPECT_EQ(edit_distance("", "add"), 3u);
  EXPECT_EQ(edit_distance("ad", "add"), 1u);
  EXPECT_EQ(edit_distance("addc", "add"), 1u);
  EXPECT_EQ(edit_distance("sub", "sib"), 1u);
  EXPECT_EQ(edit_distance("mda", "mad"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(EditDistance, StopsPastTheLimit) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3u);
  EXPECT_EQ(edit_distance("a", "bcdefgh", 2), 3u);
  EXPECT_EQ(edit_distance(std::string(1000, 'a'), "a", 5), 6u);
}

TEST(NearestWord, FindsTheSlipAndOnlySlips) {
  const auto nearest = [](std::string_view word) {
    NearestWord search(word);
    for (const char* known : {"global", "shared", "const", "s32"}) search.consider(known);
    return search.best();
  };
  EXPECT_EQ(nearest("glboal"), "global");
  EXPECT_EQ(nearest("share"), "shared");
  EXPECT_EQ(nearest("s23"), "s32");
  EXPECT_EQ(nearest("texture"), "");
}

}  // namespace
}  // namespace heddle
