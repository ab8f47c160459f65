// What registers allow, against an H200 (tests/hw/h200/registers): the largest block, and the blocks of a
// multiprocessor.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "arch/allocation.h"
#include "model/occupancy.h"

namespace heddle {
namespace {

TEST(Registers, BoundBlocksAsOnAnH200) {
  const arch::Architecture& a = (*arch::find_device("h200"))->arch;
  std::ifstream file(std::string(HEDDLE_SOURCE_DIR) + "/tests/hw/h200/registers/regs.txt");
  unsigned kernels = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string word, error;
    uint32_t registers = 0, most = 0, launched = 0;
    // "NAME registers N maxThreadsPerBlock N occupancy N ... launched N then ERROR ..."
    words >> word >> word >> registers >> word >> most >> word;
    EXPECT_EQ(arch::most_threads(a, registers), most) << line;
    for (uint32_t threads = 32; threads <= 1024; threads += 32) {
      uint32_t blocks = 0;
      words >> blocks;
      model::BlockNeeds needs;
      needs.threads = threads;
      needs.registers = registers;
      EXPECT_EQ(model::occupancy(a, needs).blocks, blocks) << registers << " registers, " << threads;
      EXPECT_EQ(blocks != 0, threads <= most) << line;
      EXPECT_EQ(registers <= arch::most_registers(a, threads), threads <= most) << line;
    }
    words >> word >> launched >> word >> error;
    EXPECT_EQ(launched, most);
    EXPECT_EQ(error, most < 1024 ? "cudaErrorLaunchOutOfResources" : "cudaSuccess");
    ++kernels;
  }
  EXPECT_EQ(kernels, 42u);
}

}  // namespace
}  // namespace heddle
