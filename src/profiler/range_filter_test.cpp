#include "profiler/range_filter.h"

#include <gtest/gtest.h>

namespace heddle::profiler {
namespace {

ranges::Mark mark(ranges::Kind kind, const char* message, const char* domain = "") {
  ranges::Mark mark;
  mark.kind = kind;
  mark.description.message = message;
  mark.description.domain = domain;
  return mark;
}

// A thread in a, b, c and d of the default domain and in a of domain D, while the free range f is open.
const std::vector<ranges::Mark> open{
    mark(ranges::Kind::thread, "a"), mark(ranges::Kind::thread, "b"), mark(ranges::Kind::thread, "x", "D"),
    mark(ranges::Kind::thread, "c"), mark(ranges::Kind::thread, "d"), mark(ranges::Kind::free, "f"),
};

bool wants(const char* lines) {
  const auto filter = parse_range_filter(lines);
  EXPECT_TRUE(filter.ok()) << lines;
  return filter.ok() && filter->wants(open);
}

TEST(RangeFilter, LaunchesInRangesThatAreNamed) {
  EXPECT_TRUE(wants(""));
  for (const char* good :
       {"f", "a/", "b/c", "a/*/d", "a/*/b", "[a", "d]", "[a/*/d]", "D@x/", "D@[x]", "f,a/", "c/d]"})
    EXPECT_TRUE(wants(("include " + std::string(good)).c_str())) << good;
  for (const char* bad : {"a", "f/", "a/c", "[b", "c]", "D@a/", "E@x/", "f,q/", "b/a", "d/*/a", "D@f"})
    EXPECT_FALSE(wants(("include " + std::string(bad)).c_str())) << bad;
}

TEST(RangeFilter, AnyOfThoseThatIncludeAndNoneThatExcludes) {
  EXPECT_TRUE(wants("include q\ninclude f"));
  EXPECT_FALSE(wants("include f\nexclude a/"));
  EXPECT_FALSE(wants("exclude f"));
  EXPECT_TRUE(wants("exclude q"));
}

TEST(RangeFilter, RefusesWhatIsNoExpression) {
  for (const char* bad :
       {"include ", "include a//b", "include a,", "include */a", "include a/*", "f", "include D@"})
    EXPECT_FALSE(parse_range_filter(bad).ok()) << bad;
}

}  // namespace
}  // namespace heddle::profiler
