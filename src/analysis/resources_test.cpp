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
  // Frames of 16, 24 and 48 bytes: k -> f -> g is deeper than k -> g.
  const ThreadResources r = resources(
      ".func g() { .local .b8 x[48]; ret; }\n"
      ".func f() { .local .b8 x[20]; call.uni g; ret; }\n"
      ".visible .entry k() { .local .b8 x[16]; call.uni g; call.uni f; ret; }");
  EXPECT_EQ(r.stack_bytes, 88u);
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

TEST(Resources, WhatCallsPassTakesNoLocalMemory) {
  const ThreadResources r = resources(
      ".extern .func (.param .b32 r) h(.param .b32 x);\n"
      ".visible .entry k() { .local .b8 y[5]; { .param .b32 a; .param .b32 b; call.uni (b), h, (a); } ret; "
      "}");
  EXPECT_EQ(r.stack_bytes, 8u);
}

// What toolkits of the capability's time, and ptxas 13.0 from 7.5 on, print for such kernels
// (spec/math/local.toml).
TEST(Resources, SlowWaysOfMathFunctionsTakeLocalMemory) {
  const auto bytes = [](std::string_view architecture, const std::string& calls) {
    const auto image = module::link_text(
        ".extern .func (.param .b32 r) __nv_sinf(.param .b32 x);\n"
        ".extern .func (.param .b32 r) __nv_cosf(.param .b32 x);\n"
        ".extern .func (.param .b32 r) __nv_expf(.param .b32 x);\n"
        ".extern .func (.param .b32 r) __nv_y0f(.param .b32 x);\n"
        ".extern .func (.param .b64 r) __nv_sin(.param .b64 x);\n"
        ".visible .entry k() { " +
        calls + " ret; }");
    return reported_thread(*image, image->function_index("k"), *arch::find_architecture(architecture))
        .stack_bytes;
  };
  const auto call = [](const std::string& name, const char* type) {
    return std::string("{ .param .") + type + " x; .param ." + type + " y; call.uni (y), " + name +
           ", (x); }";
  };
  const std::string sinf = call("__nv_sinf", "b32"), cosf = call("__nv_cosf", "b32"),
                    y0f = call("__nv_y0f", "b32"), expf = call("__nv_expf", "b32"),
                    sin = call("__nv_sin", "b64");
  for (const char* id : {"sm_10", "sm_13", "sm_20", "sm_35"}) {
    EXPECT_EQ(bytes(id, sinf), 28u) << id;
    EXPECT_EQ(bytes(id, sinf + cosf), 28u) << id;
    EXPECT_EQ(bytes(id, expf), 0u) << id;
  }
  EXPECT_EQ(bytes("sm_20", sin), 40u);
  for (const char* id : {"sm_75", "sm_80", "sm_90"}) {
    EXPECT_EQ(bytes(id, sinf), 0u) << id;
    EXPECT_EQ(bytes(id, sinf + cosf), 32u) << id;
    EXPECT_EQ(bytes(id, y0f), 32u) << id;
    EXPECT_EQ(bytes(id, sin), 40u) << id;
    EXPECT_EQ(bytes(id, sin + cosf), 72u) << id;
  }
  EXPECT_EQ(bytes("sm_120", sinf + cosf), 0u);
  EXPECT_EQ(bytes("sm_120", y0f), 0u);
  EXPECT_EQ(bytes("sm_120", sin), 40u);
}

TEST(Resources, AFunctionOfTheHostHasUnknownNeeds) {
  EXPECT_TRUE(resources(".extern .func h(); .visible .entry k() { call.uni h; ret; }").undefined);
  EXPECT_FALSE(resources(".extern .func h(); .visible .entry k() { ret; }").undefined);
}

}  // namespace
}  // namespace heddle::analysis
