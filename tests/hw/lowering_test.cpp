// Every instruction as the thread program has it: the sweep's kernels, lowered, compiled and run one thread
// after another, against what a real device answered; on other operands against the reference executor.
// Kernels in which threads look at each other are left to the tests of the whole executor.
//
// HEDDLE_SWEEP=text runs only kernels whose mnemonics begin with it, and shows the last one's program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "exec/interp/executor.h"
#include "exec/interp/lanes.h"
#include "exec/jit/testing/scalar_runner.h"
#include "sweep.h"

namespace heddle::sweep {
namespace {

TEST(LoweringSweep, EveryThreadProgramAnswersAsTheDeviceDid) {
  Sweep sweep;
  ASSERT_EQ(sweep.problem(), "");
  const char* only = std::getenv("HEDDLE_SWEEP");
  exec::jit::ScalarRunner runner(exec::interp::make_reference_lanes_factory());
  const auto reference = exec::interp::make_executor();
  std::size_t run = 0, native = 0, wrong = 0;
  std::set<std::string> stepped;
  std::map<std::string, std::size_t> refused;  // by reason
  std::string report;
  std::vector<uint64_t> results, expected;
  for (const auto& [name, kernel] : sweep.kernels()) {
    const std::vector<uint64_t>* recorded = sweep.answers(kernel);
    if (recorded == nullptr || (only != nullptr && !kernel.key.starts_with(only))) continue;
    sweep.fill(kernel);
    std::string problem = sweep.run(runner, name, kernel, results);
    if (const std::size_t at = problem.find("no thread program"); at != std::string::npos) {
      ++refused[problem.substr(at, problem.find(';', at) - at)];
      continue;
    }
    ++run;
    if (runner.steps() == 0)
      ++native;
    else
      stepped.insert(kernel.key.substr(0, kernel.key.find(' ')));
    if (problem.empty()) problem = sweep.difference(kernel, results, *recorded);
    if (problem.empty() && runner.steps() == 0) {
      sweep.fill(kernel, threads);
      problem = sweep.run(*reference, name, kernel, expected);
      if (problem.empty()) problem = sweep.run(runner, name, kernel, results);
      if (problem.empty()) problem = sweep.difference(kernel, results, expected);
    }
    if (!problem.empty() && ++wrong <= shown_kernels) report += kernel.key + ": " + problem + "\n";
  }
  std::printf("%zu kernels, %zu of them native, %zu differ\n", run, native, wrong);
  for (const auto& [reason, count] : refused) std::printf("%zu: %s\n", count, reason.c_str());
  if (only != nullptr) {
    std::printf("%s", runner.text().c_str());
    for (const std::string& mnemonic : stepped) std::printf("step: %s\n", mnemonic.c_str());
  }
  EXPECT_EQ(wrong, 0u) << report;
  if (only == nullptr) EXPECT_GT(run, 4000u);
}

}  // namespace
}  // namespace heddle::sweep
