#include "analysis/liveness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "module/test_link.h"

namespace heddle::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::unique_ptr<module::Image> kernel(const std::string& body) {
  return module::link_text(
      ".visible .entry k(.param .u64 p) {\n.reg .pred %p<9>; .reg .b32 %r<99>; .reg .b64 %rd<9>;\n" + body +
      "\n}");
}

class Names {  // slots as the registers that have them
 public:
  explicit Names(const module::Function& function) : function_(function) {}
  std::vector<std::string> operator()(std::span<const uint32_t> slots) const {
    std::vector<std::string> result;
    for (uint32_t slot : slots)
      for (const module::RegisterInfo& r : function_.registers)
        if (r.slot == slot) result.push_back(r.name);
    return result;
  }

 private:
  const module::Function& function_;
};

TEST(Liveness, AValueLivesFromItsWriteToItsLastRead) {
  const auto image =
      kernel("mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3; ret;");
  const module::Function& f = image->functions.at(0);
  const Names names(f);
  std::vector<std::vector<std::string>> behind(f.code.size());
  const Liveness liveness(*image, f);
  liveness.walk(0, [&](uint32_t i, std::span<const uint32_t> live) { behind[i] = names(live); });
  EXPECT_THAT(behind[0], UnorderedElementsAre("%r1", "%rd1"));
  EXPECT_THAT(behind[1], UnorderedElementsAre("%r1", "%r2", "%rd1"));
  EXPECT_THAT(behind[2], UnorderedElementsAre("%r3", "%rd1"));
  EXPECT_THAT(behind[3], IsEmpty());
}

TEST(Liveness, ALoopKeepsItsValuesAroundTheBackEdge) {
  const auto image = kernel(
      "mov.u32 %r1, 0; mov.u32 %r2, 5;\n"
      "L: add.u32 %r1, %r1, %r2; setp.lt.u32 %p1, %r1, 99; @%p1 bra L;\n"
      "mov.u32 %r3, %r1; ret;");
  const module::Function& f = image->functions.at(0);
  const Names names(f);
  const Liveness liveness(*image, f);
  EXPECT_THAT(names(liveness.live_in(0)), IsEmpty());
  EXPECT_THAT(names(liveness.live_in(1)), UnorderedElementsAre("%r1", "%r2"));
  EXPECT_THAT(names(liveness.live_out(1)), UnorderedElementsAre("%r1", "%r2"));
  EXPECT_THAT(names(liveness.live_in(2)), ElementsAre("%r1"));
}

TEST(Liveness, AWriteUnderAGuardEndsNothingAndBeginsNothingEarlier) {
  const auto image = kernel(
      "setp.eq.u32 %p1, 1, 2; bra A;\n"
      "A: @%p1 mov.u32 %r1, 1; @!%p1 mov.u32 %r1, 2; bra B;\n"
      "B: mov.u32 %r2, %r1; ret;");
  const module::Function& f = image->functions.at(0);
  const Names names(f);
  const Liveness liveness(*image, f);
  EXPECT_THAT(names(liveness.live_in(1)), ElementsAre("%p1"));
  EXPECT_THAT(names(liveness.live_in(2)), ElementsAre("%r1"));
}

TEST(Liveness, WhatNothingWritesIsNotLive) {
  const auto image = kernel("bra A; A: add.u32 %r1, %r2, 1; ret;");
  EXPECT_THAT(Liveness(*image, image->functions.at(0)).live_in(1), IsEmpty());
}

TEST(Liveness, ParametersInRegistersAreWrittenByTheCaller) {
  const auto image =
      module::link_text(".visible .func (.reg .b32 s) f(.reg .b32 a) { bra L; L: add.u32 s, a, 1; ret; }");
  const module::Function& f = image->functions.at(0);
  EXPECT_THAT(Names(f)(Liveness(*image, f).live_in(1)), ElementsAre("a"));
}

TEST(Liveness, AHundredThousandBlocksAreQuick) {
  std::string body;
  for (int i = 0; i < 50000; ++i) {
    const std::string n = std::to_string(i), r = std::to_string(1 + i % 90);
    body +=
        "setp.lt.u32 %p1, %r" + r + ", 5; @%p1 bra L" + n + "; add.u32 %r" + r + ", %r0, 1; L" + n + ":\n";
  }
  const auto image = kernel("mov.u32 %r0, 1;\n" + body + "ret;");
  const auto begin = std::chrono::steady_clock::now();
  const module::Function& f = image->functions.at(0);
  const Liveness liveness(*image, f);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(liveness.live_in(static_cast<uint32_t>(f.blocks.size()) / 2).size(), 50u);
  EXPECT_LT(taken.count(), 30.0);  // far less than a second; sanitizers and neighbours take their share
}

}  // namespace
}  // namespace heddle::analysis
