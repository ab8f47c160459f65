#include "analysis/registers/estimate.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "module/test_link.h"

namespace heddle::analysis {
namespace {

const arch::Architecture& arch_of(std::string_view id) { return *arch::find_architecture(id); }

uint32_t registers(const std::string& text, std::string_view arch = "sm_90", uint32_t limit = 0) {
  const auto image = module::link_text(text);
  return estimate_registers(*image, image->function_index("k"), arch_of(arch), limit).registers;
}

constexpr std::array targets{"sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"};
struct Row {
  const char* kernel;
  std::array<uint32_t, targets.size()> used;  // as ptxas 13.0 -v says
};
constexpr std::array rows{
    Row{"nothing", {4, 4, 4, 4, 4, 4}},
    Row{"saxpy", {10, 10, 10, 10, 10, 10}},
    Row{"twelve_floats", {24, 22, 22, 22, 22, 22}},
    Row{"forty_floats", {52, 32, 40, 32, 32, 40}},
    Row{"eight_doubles", {22, 22, 22, 22, 22, 22}},
    Row{"twenty_doubles", {46, 32, 40, 32, 32, 38}},
    Row{"thirty_integers", {54, 32, 40, 32, 32, 40}},
    Row{"hundred_integers", {80, 80, 80, 80, 80, 80}},
    Row{"loop", {14, 16, 16, 16, 16, 16}},
    Row{"counted_loop", {32, 31, 34, 32, 32, 36}},
    Row{"call", {24, 24, 24, 24, 24, 24}},
    Row{"tile", {26, 24, 24, 24, 24, 24}},
    Row{"division", {18, 20, 20, 18, 18, 18}},
    Row{"held", {28, 26, 28, 26, 26, 28}},
    Row{"wide_quotient", {24, 24, 24, 24, 24, 22}},
    Row{"roots", {26, 25, 26, 26, 26, 26}},
    Row{"bases", {12, 12, 12, 22, 22, 22}},
    Row{"short_branches", {10, 10, 10, 10, 10, 10}},
    Row{"parted_sum", {14, 14, 14, 12, 12, 12}},
    Row{"stored", {30, 30, 30, 30, 30, 30}},
    Row{"on_their_way", {20, 20, 20, 20, 20, 20}},
    Row{"four_arguments", {14, 14, 14, 14, 14, 14}},
    Row{"parted_step", {8, 8, 8, 8, 8, 8}},
    Row{"four_variables", {10, 18, 18, 18, 18, 18}},
    Row{"both_banks", {10, 10, 10, 12, 12, 12}},
    Row{"bytes", {8, 8, 8, 8, 8, 8}},
    Row{"when_needed", {16, 16, 16, 16, 16, 16}},
    Row{"scaled_index", {10, 10, 10, 10, 10, 10}},
    Row{"stored_constant", {10, 10, 10, 10, 10, 10}},
    Row{"shifted_index", {8, 8, 8, 8, 8, 8}},
    Row{"stored_index", {8, 8, 8, 8, 8, 8}},
    Row{"long_loop", {34, 30, 34, 30, 30, 31}},
    Row{"block_index", {4, 10, 10, 10, 10, 10}},
    Row{"column", {14, 14, 14, 14, 14, 14}},
    Row{"one_counter", {7, 12, 12, 12, 12, 12}},
};

TEST(Registers, AreCloseToWhatNvidiasAssemblerUses) {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/ptx/Inputs/registers.ptx");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto image = module::link_text(text);
  ASSERT_NE(image, nullptr);
  unsigned near = 0, within_two = 0, all = 0;
  for (const Row& row : rows)
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const auto estimate = static_cast<int>(
          estimate_registers(*image, image->function_index(row.kernel), arch_of(targets[i])).registers);
      const int used = static_cast<int>(row.used[i]), error = std::abs(estimate - used);
      ++all;
      within_two += error <= 2;
      near += error * 5 <= used;
      EXPECT_LE(error * 2, used) << row.kernel << ' ' << targets[i] << ": " << estimate << ", not " << used;
    }
  EXPECT_GE(within_two * 100, all * 60);
  EXPECT_GE(near * 100, all * 75);
}

// ptxas 13.0: 10. Loads that were moved over the stores between them would take 18.
TEST(Registers, VolatileAccessesStayInTheirOrder) {
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/ptx/Inputs/registers.ptx");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto image = module::link_text(text);
  ASSERT_NE(image, nullptr);
  const uint32_t kernel = image->function_index("volatile_sum");
  EXPECT_NEAR(estimate_registers(*image, kernel, arch_of("sm_75")).registers, 10, 2);
}

std::string sums(int count) {
  const std::string n = std::to_string(count);
  std::string text = ".visible .entry k(.param .u64 p) LIMITS { .reg .b64 %a, %rd; .reg .f32 %f<" + n +
                     ">; ld.param.u64 %rd, [p]; cvta.to.global.u64 %a, %rd;\n";
  for (int i = 0; i < count; ++i)
    text += "ld.global.f32 %f" + std::to_string(i) + ", [%a+" + std::to_string(4 * i) + "];\n";
  text += "bar.sync 0;\n";
  for (int i = 0; i < count; ++i)
    text += "st.global.f32 [%a+" + std::to_string(4 * i) + "], %f" + std::to_string(count - 1 - i) + ";\n";
  return text + "ret; }";
}
RegisterEstimate limited(const std::string& directive, uint32_t limit = 0) {
  std::string text = sums(100);
  text.replace(text.find("LIMITS"), 6, directive);
  const auto image = module::link_text(text);
  return estimate_registers(*image, 0, arch_of("sm_90"), limit);
}

TEST(Registers, WhatALimitLeavesNoRegisterIsSpilled) {
  const RegisterEstimate free = limited("");
  EXPECT_GE(free.registers, 102u);
  EXPECT_EQ(free.spilled_bytes, 0u);
  for (const RegisterEstimate& estimate :
       {limited(".maxnreg 64"), limited("", 64), limited(".maxntid 1024, 1, 1"),
        limited(".maxntid 256 .minnctapersm 4")}) {
    EXPECT_EQ(estimate.registers, 64u);
    EXPECT_EQ(estimate.spilled_bytes, (free.registers - 64) * 4);
  }
  EXPECT_EQ(limited(".maxntid 128").registers, free.registers);
}

TEST(Registers, AreThoseOfTheHungriestFunction) {
  std::string called = sums(60);
  called.replace(called.find(".visible .entry k(.param .u64 p) LIMITS"), 39, ".func f(.param .u64 p)");
  EXPECT_GE(
      registers(called +
                ".visible .entry k(.param .u64 q) { .reg .b64 %r; ld.param.u64 %r, [q]; { .param .b64 p; "
                "st.param.b64 [p], %r; call.uni f, (p); } ret; }"),
      62u);
}

TEST(Registers, OfALargeFunctionAreFoundInTime) {
  std::string body = ".visible .entry k() { .reg .pred %p1; .reg .b32 %r<91>; mov.u32 %r0, 1;\n";
  for (int i = 0; i < 10000; ++i) {
    const std::string n = std::to_string(i), r = std::to_string(1 + i % 90);
    body += "L" + n + ": add.u32 %r" + r + ", %r" + r + ", 1; setp.lt.u32 %p1, %r" + r + ", 5; @%p1 bra L" +
            n + ";\n";
  }
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_GT(registers(body + "ret; }"), 50u);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(taken.count(), 30.0);
}

}  // namespace
}  // namespace heddle::analysis
