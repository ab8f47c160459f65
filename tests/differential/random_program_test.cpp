// Random programs without operations of warps and blocks, as clean thread programs run one thread after
// another, and by the reference executor.
#include <gtest/gtest.h>

#include "exec/interp/lanes.h"
#include "exec/interp/program_runner.h"
#include "exec/jit/testing/scalar_runner.h"

namespace heddle {
namespace {

using exec::interp::ProgramResult;

// Where results differ, the first place.
std::string difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (a[i] != b[i])
      return "byte " + std::to_string(i) + ": " + std::to_string(static_cast<int>(a[i])) + ", not " +
             std::to_string(static_cast<int>(b[i]));
  return a.size() == b.size() ? "" : "sizes";
}

TEST(ThreadProgram, OfRandomProgramsDoesWhatTheReferenceExecutorDoes) {
  std::size_t compared = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    ptx::testing::RandomProgramOptions options;
    options.warp_operations = false;
    options.most_threads = 64;
    const ptx::testing::RandomProgram program = ptx::testing::random_program(seed, options);
    exec::jit::ScalarRunner runner(exec::interp::make_reference_lanes_factory());
    const ProgramResult native = exec::interp::run_program(program, "h200", &runner);
    if (native.end == ProgramResult::End::faulted &&
        native.message.find("no thread program for one thread alone") != std::string::npos)
      continue;
    const ProgramResult expected = exec::interp::run_program(program);
    ASSERT_EQ(native.message, expected.message) << "seed " << seed << '\n' << program.text;
    ASSERT_EQ(difference(native.output, expected.output), "") << "seed " << seed << '\n'
                                                              << program.text << runner.text();
    ++compared;
  }
  EXPECT_GT(compared, 60u);
}

}  // namespace
}  // namespace heddle
