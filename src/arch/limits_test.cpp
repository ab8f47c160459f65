#include "arch/limits.h"

#include <gtest/gtest.h>

#include "arch/allocation.h"

namespace heddle::arch {
namespace {

const Device& device(std::string_view id) { return **find_device(id); }
const Architecture& arch(std::string_view id) { return *find_architecture(id); }

std::string refusal(std::string_view id, const KernelNeeds& kernel, const LaunchNeeds& launch) {
  const auto exceeded = check_launch(device(id), kernel, launch);
  return exceeded ? exceeded->message : "accepted";
}

// OpenCL guide 2.1.2 with G_W = 2 and G_T = 256 (1.0, 1.1), 512 (1.2, 1.3), 64 (2.0).
TEST(Allocation, RegistersOfABlockFollowTheGuidesFormulas) {
  EXPECT_EQ(warps_per_block(arch("sm_10"), 1), 1u);
  EXPECT_EQ(warps_per_block(arch("sm_10"), 33), 2u);
  // ceil(ceil(3, 2) x 32 x 10, 256) = ceil(1280, 256)
  EXPECT_EQ(registers_per_block(arch("sm_10"), 96, 10), 1280u);
  EXPECT_EQ(registers_per_block(arch("sm_11"), 96, 11), 1536u);  // 1408 -> 1536
  EXPECT_EQ(registers_per_block(arch("sm_12"), 96, 10), 1536u);  // 1280 -> 1536
  EXPECT_EQ(registers_per_block(arch("sm_13"), 32, 1), 512u);    // two warps, 64 -> 512
  EXPECT_EQ(registers_per_block(arch("sm_20"), 96, 11), 1152u);  // ceil(352, 64) x 3 = 384 x 3
  EXPECT_EQ(registers_per_block(arch("sm_35"), 96, 11), 1536u);  // ceil(352, 256) x 3 = 512 x 3
}

// The largest block and the most registers are what the formulas say, one step further is too much.
TEST(Allocation, LimitsOfRegistersAreExact) {
  EXPECT_EQ(most_registers(arch("sm_10"), 256), 32u);   // 8192 / 256
  EXPECT_EQ(most_registers(arch("sm_90"), 1024), 64u);  // 65536 / 1024
  EXPECT_EQ(most_threads(arch("sm_10"), 44), 128u);     // 186, in sets of two warps of which 256 registers
  EXPECT_EQ(most_threads(arch("sm_90"), 255), 256u);
  EXPECT_EQ(most_threads(arch("sm_90"), 32), 1024u);
  for (const Architecture& a : all_architectures()) {
    const auto fits = [&](uint32_t threads, uint32_t registers) {
      return registers_checked_per_block(a, threads, registers) <= a.registers.per_block;
    };
    for (uint32_t threads = 1; threads <= a.launch.max_threads_per_block; threads += 31) {
      const uint32_t most = most_registers(a, threads);
      EXPECT_TRUE(fits(threads, most)) << a.id << ' ' << threads;
      EXPECT_TRUE(most == a.registers.per_thread || !fits(threads, most + 1)) << a.id << ' ' << threads;
    }
    for (uint32_t registers = 1; registers <= a.registers.per_thread; ++registers) {
      const uint32_t most = most_threads(a, registers);
      EXPECT_TRUE(fits(most, registers)) << a.id << ' ' << registers;
      EXPECT_TRUE(most == a.launch.max_threads_per_block || !fits(most + 1, registers))
          << a.id << ' ' << registers;
    }
  }
}

// OpenCL guide 2.1.2 with G_S = 512 (1.x), 128 (2.0); 9.0 keeps 1 KB of each block.
TEST(Allocation, SharedMemoryOfABlockIsRoundedUp) {
  EXPECT_EQ(shared_per_block(arch("sm_13"), 1), 512u);
  EXPECT_EQ(shared_per_block(arch("sm_10"), 512), 512u);
  EXPECT_EQ(shared_per_block(arch("sm_20"), 129), 256u);
  EXPECT_EQ(shared_per_block(arch("sm_20"), 0), 0u);
  EXPECT_EQ(shared_per_block(arch("sm_90"), 0), 1024u);
  EXPECT_EQ(shared_per_block(arch("sm_90"), 3000), 4096u);
}

TEST(Limits, SharedMemory) {
  EXPECT_EQ(refusal("gtx480", {.name = "reduce", .static_shared = 65536}, {}),
            "shared memory of 'reduce' is 65536 bytes, device 'gtx480' (sm_20) allows 49152");
  EXPECT_EQ(refusal("gtx480", {.name = "reduce", .static_shared = 16}, {.dynamic_shared = 49137}),
            "shared memory of 'reduce' is 49153 bytes, device 'gtx480' (sm_20) allows 49152");
  EXPECT_EQ(refusal("gtx480", {.name = "reduce", .static_shared = 16}, {.dynamic_shared = 49136}),
            "accepted");
}

TEST(Limits, SharedMemoryIsMoreOnlyWhereTheProgramRaisedIt) {
  const KernelNeeds kernel{.name = "k"};
  EXPECT_EQ(refusal("h200", kernel, {.dynamic_shared = 65536}),
            "shared memory of 'k' is 65536 bytes, device 'h200' (sm_90) allows 49152");
  EXPECT_EQ(refusal("h200", kernel, {.dynamic_shared = 65536, .dynamic_shared_allowed = 65536}), "accepted");
  EXPECT_EQ(refusal("h200", kernel, {.dynamic_shared = 65537, .dynamic_shared_allowed = 65536}),
            "shared memory of 'k' is 65537 bytes, device 'h200' (sm_90) allows 65536");
  EXPECT_EQ(refusal("h200", kernel, {.dynamic_shared = 232449, .dynamic_shared_allowed = 300000}),
            "shared memory of 'k' is 232449 bytes, device 'h200' (sm_90) allows 232448");
  EXPECT_EQ(refusal("k40", kernel, {.dynamic_shared = 49153, .dynamic_shared_allowed = 65536}),
            "shared memory of 'k' is 49153 bytes, device 'k40' (sm_35) allows 49152");
  EXPECT_EQ(refusal("h200", kernel, {.dynamic_shared = 0xffff'ffff, .dynamic_shared_allowed = 0xffff'ffff}),
            "shared memory of 'k' is 4294967295 bytes, device 'h200' (sm_90) allows 232448");
}

// OpenCL guide 3.2.3: on 1.x the arguments lie in shared memory.
TEST(Limits, ArgumentsCountAsSharedMemoryOn1x) {
  const KernelNeeds kernel{.name = "k", .static_shared = 16384, .parameter_bytes = 8};
  EXPECT_EQ(refusal("gtx285", kernel, {}),
            "shared memory of 'k' is 16392 bytes, device 'gtx285' (sm_13) allows 16384");
  EXPECT_EQ(refusal("gtx480", kernel, {}), "accepted");
}

TEST(Limits, Blocks) {
  const KernelNeeds kernel{.name = "k"};
  EXPECT_EQ(refusal("gtx285", kernel, {.block = {513, 1, 1}}),
            "block of 'k' has 513 threads in x, device 'gtx285' (sm_13) allows 512");
  EXPECT_EQ(refusal("gtx480", kernel, {.block = {1, 1, 65}}),
            "block of 'k' has 65 threads in z, device 'gtx480' (sm_20) allows 64");
  EXPECT_EQ(refusal("gtx480", kernel, {.block = {32, 32, 2}}),
            "block of 'k' is 2048 threads, device 'gtx480' (sm_20) allows 1024");
  EXPECT_EQ(refusal("h200", kernel, {.block = {32, 32, 1}}), "accepted");
  EXPECT_EQ(refusal("h200", kernel, {.block = {32, 0, 1}}),
            "block of 'k' has 0 threads in y, a launch needs at least 1");
  EXPECT_EQ(refusal("h200", {.name = "k", .max_threads = 128}, {.block = {256, 1, 1}}),
            "block of 'k' is 256 threads, the kernel is compiled for at most 128");
}

TEST(Limits, Grids) {
  const KernelNeeds kernel{.name = "k"};
  EXPECT_EQ(refusal("gtx285", kernel, {.grid = {1, 1, 2}}),
            "grid of 'k' has 2 blocks in z, device 'gtx285' (sm_13) allows 1");
  EXPECT_EQ(refusal("gtx480", kernel, {.grid = {65536, 1, 1}}),
            "grid of 'k' has 65536 blocks in x, device 'gtx480' (sm_20) allows 65535");
  EXPECT_EQ(refusal("k40", kernel, {.grid = {65536, 1, 1}}), "accepted");
  EXPECT_EQ(refusal("h200", kernel, {.grid = {0, 1, 1}}),
            "grid of 'k' has 0 blocks in x, a launch needs at least 1");
}

TEST(Limits, RegistersAndMemoryOfThreads) {
  EXPECT_EQ(refusal("gtx480", {.name = "k", .registers = 64}, {}),
            "a thread of 'k' takes 64 registers, device 'gtx480' (sm_20) allows 63");
  // 72 x 32 = 2304 for each of 32 warps
  EXPECT_EQ(
      refusal("h200", {.name = "k", .registers = 72}, {.block = {1024, 1, 1}}),
      "a block of 'k' takes 73728 registers (72 for each of 1024 threads), device 'h200' (sm_90) allows "
      "65536");
  EXPECT_EQ(refusal("h200", {.name = "k", .registers = 64}, {.block = {1024, 1, 1}}), "accepted");
  EXPECT_EQ(refusal("gtx285", {.name = "k", .local_bytes = 16385}, {}),
            "local memory of 'k' is 16385 bytes a thread, device 'gtx285' (sm_13) allows 16384");
  EXPECT_EQ(refusal("k40", {.name = "k", .parameter_bytes = 4100}, {}),
            "the arguments of 'k' are 4100 bytes, device 'k40' (sm_35) allows 4096");
}

TEST(Limits, Clusters) {
  const KernelNeeds kernel{.name = "k"};
  EXPECT_EQ(refusal("k40", kernel, {.grid = {4, 1, 1}, .cluster = {2, 1, 1}}),
            "'k' is launched in clusters, device 'k40' (sm_35) has no clusters");
  EXPECT_EQ(refusal("h200", kernel, {.grid = {16, 1, 1}, .cluster = {16, 1, 1}}),
            "cluster of 'k' has 16 blocks in x, device 'h200' (sm_90) allows 8");
  EXPECT_EQ(refusal("h200", kernel, {.grid = {4, 4, 1}, .cluster = {4, 4, 1}}),
            "cluster of 'k' is 16 blocks, device 'h200' (sm_90) allows 8");
  EXPECT_EQ(
      refusal("h200", kernel, {.grid = {16, 1, 1}, .cluster = {16, 1, 1}, .large_cluster_allowed = true}),
      "accepted");
  EXPECT_EQ(refusal("h200", kernel, {.grid = {9, 1, 1}, .cluster = {2, 1, 1}}),
            "grid of 'k' has 9 blocks in x, its clusters have 2: no whole number of clusters");
  EXPECT_EQ(refusal("h200", kernel, {.grid = {8, 1, 1}, .cluster = {2, 0, 1}}),
            "cluster of 'k' has 0 blocks in y, a launch needs at least 1");
}

TEST(Limits, CooperativeLaunches) {
  EXPECT_EQ(refusal("gtx980", {.name = "k"}, {.cooperative = true}),
            "'k' is launched cooperatively, device 'gtx980' (sm_52) has no cooperative launches");
  EXPECT_EQ(refusal("h200", {.name = "k"}, {.cooperative = true}), "accepted");
}

TEST(Limits, SayWhichAndByHowMuch) {
  const auto exceeded = check_launch(device("gtx480"), {.name = "k"}, {.grid = {1, 70000, 1}});
  ASSERT_TRUE(exceeded.has_value());
  EXPECT_EQ(exceeded->limit, Limit::grid_dim);
  EXPECT_EQ(exceeded->value, 70000u);
  EXPECT_EQ(exceeded->allowed, 65535u);
}

}  // namespace
}  // namespace heddle::arch
