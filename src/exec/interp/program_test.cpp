// Random programs: right ones are taken without a diagnostic, do not fault, and come out the same however
// they are written and scheduled.
#include <gtest/gtest.h>

#include "exec/interp/program_runner.h"

namespace heddle::exec::interp {
namespace {

using End = ProgramResult::End;

TEST(RandomPrograms, run_and_come_out_the_same) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    ptx::testing::RandomProgramOptions options;
    options.most_threads = 64;
    const ptx::testing::RandomProgram program = ptx::testing::random_program(seed, options);
    const ProgramResult first = run_program(program);
    ASSERT_EQ(first.message, "") << "seed " << seed;
    ASSERT_EQ(first.end, End::ran) << "seed " << seed;
    if (seed % 3 != 0) continue;
    // Lanes of a warp with one program counter, and the text as the printer has it.
    ptx::testing::RandomProgram printed = program;
    printed.text = first.printed;
    const ProgramResult second = run_program(printed, "gtx980");
    ASSERT_EQ(second.message, "") << "seed " << seed;
    ASSERT_EQ(second.printed, first.printed) << "seed " << seed;
    ASSERT_TRUE(second.output == first.output) << "seed " << seed;
  }
}

TEST(RandomPrograms, are_the_same_from_the_same_seed) {
  EXPECT_EQ(ptx::testing::random_program(7).text, ptx::testing::random_program(7).text);
  EXPECT_NE(ptx::testing::random_program(7).text, ptx::testing::random_program(8).text);
}

}  // namespace
}  // namespace heddle::exec::interp
