#include "analysis/registers/low_end.h"

#include <gtest/gtest.h>

#include "arch/allocation.h"

namespace heddle::analysis {
namespace {

const arch::Architecture& arch_of(std::string_view id) { return *arch::find_architecture(id); }

TEST(LowEnd, IsTheEstimateLessItsError) {
  EXPECT_EQ(least_registers(20, arch_of("sm_90")), 12u);    // 8 registers
  EXPECT_EQ(least_registers(24, arch_of("sm_75")), 12u);    // 12
  EXPECT_EQ(least_registers(24, arch_of("sm_10")), 12u);    // never compared: as the worst
  EXPECT_EQ(least_registers(200, arch_of("sm_90")), 120u);  // 40 %
  EXPECT_EQ(least_registers(4, arch_of("sm_90")), 1u);
}

// An estimate must not say that a block cannot run which the low end lets run, nor the other way round.
TEST(LowEnd, DecidesWhetherABlockRuns) {
  for (const arch::Architecture& a : arch::all_architectures())
    for (const uint32_t threads : {32u, 96u, 256u, 512u, a.launch.max_threads_per_block})
      for (uint32_t estimate = 1; estimate <= a.registers.per_thread; ++estimate) {
        const bool runs = least_registers(estimate, a) <= arch::most_registers(a, threads);
        const uint32_t counted = registers_in_block(estimate, threads, a);
        EXPECT_LE(counted, estimate);
        EXPECT_EQ(arch::registers_checked_per_block(a, threads, counted) <= a.registers.per_block, runs)
            << a.id << ' ' << threads << ' ' << estimate;
        EXPECT_EQ(threads <= arch::most_threads(a, least_registers(estimate, a)), runs)
            << a.id << ' ' << threads << ' ' << estimate;
      }
}

}  // namespace
}  // namespace heddle::analysis
