// Every instruction on edge operands by the reference executor, against what a real device answered.
#include "sweep.h"

#include <gtest/gtest.h>

#include "exec/interp/executor.h"

namespace heddle::sweep {
namespace {

TEST(HardwareSweep, EveryInstructionAnswersAsTheDeviceDid) {
  Sweep sweep;
  ASSERT_EQ(sweep.problem(), "");
  const auto executor = exec::interp::make_executor();
  std::size_t run = 0, unrecorded = 0, wrong = 0;
  std::string report;
  std::vector<uint64_t> results;
  for (const auto& [name, kernel] : sweep.kernels()) {
    const std::vector<uint64_t>* recorded = sweep.answers(kernel);
    if (recorded == nullptr) {
      ++unrecorded;
      continue;
    }
    sweep.fill(kernel);
    ++run;
    std::string problem = sweep.run(*executor, name, kernel, results);
    if (problem.empty()) problem = sweep.difference(kernel, results, *recorded);
    if (!problem.empty() && ++wrong <= shown_kernels) report += kernel.key + ": " + problem + "\n";
  }
  std::printf("%zu kernels against the device's answers, %zu differ, %zu not recorded\n", run, wrong,
              unrecorded);
  EXPECT_EQ(wrong, 0u) << report;
  EXPECT_GT(run, 4000u);
}

}  // namespace
}  // namespace heddle::sweep
