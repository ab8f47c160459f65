#include "analysis/resources.h"

#include <gtest/gtest.h>

#include "module/test_link.h"

namespace heddle::analysis {
namespace {

ThreadResources resources(const std::string& text) {
  const auto image = module::link_text(text);
  return estimate_thread(*image, image->function_index("k"));
}

TEST(Resources, TheStackIsThatOfTheDeepestChainOfCalls) {
  // Frames of 16, 32 and 48 bytes: k -> f -> g is deeper than k -> g.
  const ThreadResources r = resources(
      ".func g() { .local .b8 x[48]; ret; }\n"
      ".func f() { .local .b8 x[20]; call.uni g; ret; }\n"
      ".visible .entry k() { .local .b8 x[16]; call.uni g; call.uni f; ret; }");
  EXPECT_EQ(r.stack_bytes, 96u);
  EXPECT_FALSE(r.recursive);
}

TEST(Resources, RecursionCountsEachFunctionOnceAndSaysSo) {
  const ThreadResources r = resources(
      ".func g();\n"
      ".func f() { .local .b8 x[16]; call.uni g; ret; }\n"
      ".func g() { .local .b8 x[32]; call.uni f; ret; }\n"
      ".visible .entry k() { call.uni f; ret; }");
  EXPECT_EQ(r.stack_bytes, 48u);
  EXPECT_TRUE(r.recursive);
}

TEST(Resources, AFunctionOfTheHostHasUnknownNeeds) {
  EXPECT_TRUE(resources(".extern .func h(); .visible .entry k() { call.uni h; ret; }").undefined);
  EXPECT_FALSE(resources(".extern .func h(); .visible .entry k() { ret; }").undefined);
}

}  // namespace
}  // namespace heddle::analysis
