// Every instruction by the fast executor, against what a real device answered. Of instructions with many
// spellings (set has 1938) only one of eight from the hundredth on: LLVM compiles each of these kernels.
//
// HEDDLE_SWEEP=text runs only kernels whose mnemonics begin with it; HEDDLE_JIT_CPU and HEDDLE_JIT_TIER are
// as everywhere.
#include "exec/interp/executor.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "exec/interp/lanes.h"
#include "exec/jit/executor.h"
#include "sweep.h"

namespace heddle::sweep {
namespace {

TEST(ExecutorSweep, TheFastExecutorAnswersAsTheDeviceDid) {
  Sweep sweep;
  ASSERT_EQ(sweep.problem(), "");
  const char* only = std::getenv("HEDDLE_SWEEP");
  exec::jit::Options options;
  if (const char* cpu = std::getenv("HEDDLE_JIT_CPU")) options.cpu = cpu;
  if (const char* tier = std::getenv("HEDDLE_JIT_TIER"))
    options.tier = std::string_view(tier) == "best" ? exec::jit::Tier::best : exec::jit::Tier::quick;
  if (std::getenv("HEDDLE_TRACE") != nullptr)
    options.trace = [](const std::string& line) { std::printf("%s\n", line.c_str()); };
  const auto made = exec::jit::make_executor(options, exec::interp::make_executor(),
                                             exec::interp::make_reference_lanes_factory());
  ASSERT_TRUE(made.ok()) << made.error();
  const auto& executor = *made;
  std::size_t run = 0, wrong = 0;
  std::map<std::string, std::size_t> spellings;
  std::string report;
  std::vector<uint64_t> results;
  for (const auto& [name, kernel] : sweep.kernels()) {
    const std::vector<uint64_t>* recorded = sweep.answers(kernel);
    if (recorded == nullptr || (only != nullptr && !kernel.key.starts_with(only))) continue;
    const std::size_t number = spellings[kernel.key.substr(0, kernel.key.find_first_of(". "))]++;
    if (only == nullptr && number >= 100 && number % 8 != 0) continue;
    sweep.fill(kernel);
    ++run;
    std::string problem = sweep.run(*executor, name, kernel, results);
    if (problem.empty()) problem = sweep.difference(kernel, results, *recorded);
    if (!problem.empty() && ++wrong <= shown_kernels) report += kernel.key + ": " + problem + "\n";
  }
  std::printf("%zu kernels, %zu differ\n", run, wrong);
  EXPECT_EQ(wrong, 0u) << report;
  if (only == nullptr) EXPECT_GT(run, 1500u);
}

}  // namespace
}  // namespace heddle::sweep
