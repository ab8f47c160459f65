// Every statement of the guides about occupancy, and 1794 answers of a real H200.
#include "model/occupancy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "model/testing.h"

namespace heddle::model {
namespace {

uint32_t blocks(std::string_view id, const BlockNeeds& needs) { return occupancy(arch_of(id), needs).blocks; }
// Percent, rounded down as the guides do.
int percent(std::string_view id, const BlockNeeds& needs) {
  return static_cast<int>(std::floor(occupancy(arch_of(id), needs).fraction() * 100));
}

TEST(OpenClGuide323, OneMoreRegisterHalvesTheResidentBlocks) {
  const Occupancy two = occupancy(arch_of("sm_12"), {.threads = 512, .registers = 16});
  EXPECT_EQ(two.blocks, 2u);
  EXPECT_EQ(two.warps, 32u);
  const Occupancy one = occupancy(arch_of("sm_12"), {.threads = 512, .registers = 17});
  EXPECT_EQ(one.blocks, 1u);
  EXPECT_EQ(one.warps, 16u);
  EXPECT_EQ(one.limiter, Limiter::registers);
}

TEST(OpenClGuide323, WarpsThatHideLatency) {
  for (const char* id : {"sm_10", "sm_11", "sm_12", "sm_13"}) {
    EXPECT_EQ(warps_to_hide(arch_of(id), 22), 6u) << id;
    EXPECT_EQ(warps_to_hide(arch_of(id), 600, 10), 15u) << id;
  }
  EXPECT_EQ(warps_to_hide(arch_of("sm_20"), 22), 11u);
  EXPECT_EQ(warps_to_hide(arch_of("sm_20"), 600, 10), 30u);
}

TEST(BestPractices42, TwelveRegistersOn10) {
  EXPECT_EQ(blocks("sm_10", {.threads = 128, .registers = 12}), 5u);
  EXPECT_EQ(percent("sm_10", {.threads = 128, .registers = 12}), 83);
  EXPECT_EQ(blocks("sm_10", {.threads = 256, .registers = 12}), 2u);
  EXPECT_EQ(percent("sm_10", {.threads = 256, .registers = 12}), 66);
}

TEST(BestPractices42, TenRegistersAreTheMostForFullOccupancyOn10And11) {
  for (const char* id : {"sm_10", "sm_11"}) {
    EXPECT_EQ(percent(id, {.threads = 256, .registers = 10}), 100);
    EXPECT_LT(percent(id, {.threads = 256, .registers = 11}), 100);
  }
}

TEST(BestPractices44, LargerBlocksCanMeanLessOccupancy) {
  EXPECT_EQ(blocks("sm_11", {.threads = 512}), 1u);
  EXPECT_EQ(percent("sm_11", {.threads = 512}), 66);
  EXPECT_EQ(blocks("sm_11", {.threads = 256}), 3u);
  EXPECT_EQ(percent("sm_11", {.threads = 256}), 100);
}

TEST(Tutorial68, BlocksThatFitOneKeplerMultiprocessor) {
  for (const char* id : {"sm_30", "sm_35", "sm_37"}) {
    SCOPED_TRACE(id);
    EXPECT_EQ(blocks(id, {.threads = 2048}), 0u);  // 1 x 2048: no such block
    EXPECT_GE(blocks(id, {.threads = 1024}), 2u);  // 2 x 1024
    EXPECT_LT(blocks(id, {.threads = 1024}), 4u);  // 4 x 1024: too many threads
    EXPECT_GE(blocks(id, {.threads = 512}), 4u);   // 4 x 512
    EXPECT_GE(blocks(id, {.threads = 256}), 8u);   // 8 x 256
    EXPECT_EQ(blocks(id, {.threads = 8}), 16u);    // 256 x 8 need 16 multiprocessors
  }
}

TEST(Tutorial70, MemoryOfABlockDecidesHowManyShareAKeplerMultiprocessor) {
  // Two blocks: at most 32 K registers and 24 KB each.
  EXPECT_EQ(blocks("sm_35", {.threads = 512, .registers = 64}), 2u);
  EXPECT_EQ(blocks("sm_35", {.threads = 512, .registers = 65}), 1u);
  EXPECT_EQ(blocks("sm_35", {.threads = 32, .shared_bytes = 24 * 1024}), 2u);
  EXPECT_EQ(blocks("sm_35", {.threads = 32, .shared_bytes = 24 * 1024 + 1}), 1u);
  // Three: 21.3 K registers and 16 KB.
  EXPECT_EQ(blocks("sm_35", {.threads = 256, .registers = 80}), 3u);  // 20 K
  EXPECT_EQ(blocks("sm_35", {.threads = 256, .registers = 88}), 2u);  // 22 K
  EXPECT_EQ(blocks("sm_35", {.threads = 32, .shared_bytes = 16 * 1024}), 3u);
  EXPECT_EQ(blocks("sm_35", {.threads = 32, .shared_bytes = 16 * 1024 + 1}), 2u);
  // Four: 16 K registers and 12 KB.
  EXPECT_EQ(blocks("sm_35", {.threads = 256, .registers = 64}), 4u);
  EXPECT_EQ(blocks("sm_35", {.threads = 32, .shared_bytes = 12 * 1024}), 4u);
  EXPECT_EQ(blocks("sm_35", {.threads = 32, .shared_bytes = 12 * 1024 + 1}), 3u);
}

TEST(Tutorial103, ElevenRegistersCostAThirdOfTheParallelismOnG80) {
  EXPECT_EQ(blocks("sm_10", {.threads = 256, .registers = 10}), 3u);
  EXPECT_EQ(blocks("sm_10", {.threads = 256, .registers = 11}), 2u);
  EXPECT_EQ(blocks("sm_35", {.threads = 256, .registers = 10}), 8u);
}

TEST(Tutorial104, FiveKilobytesOfSharedMemoryLetThreeBlocksShareG80) {
  EXPECT_EQ(blocks("sm_10", {.threads = 256, .registers = 10, .shared_bytes = 5 * 1024}), 3u);
  const auto above = static_cast<uint32_t>(5.34 * 1024) + 1;
  const Occupancy two = occupancy(arch_of("sm_10"), {.threads = 256, .registers = 10, .shared_bytes = above});
  EXPECT_EQ(two.blocks, 2u);
  EXPECT_EQ(two.limiter, Limiter::shared);
}

TEST(H200, OccupancyAsTheDriverAnswers) {
  std::ifstream file(HEDDLE_SOURCE_DIR "/tests/hw/h200/occupancy.csv");
  ASSERT_TRUE(file.is_open());
  std::string line;
  std::getline(file, line);
  ASSERT_EQ(line, "regs_per_thread,block,dyn_smem,blocks_per_sm,status");
  int points = 0, wrong = 0;
  while (std::getline(file, line)) {
    uint32_t registers = 0, threads = 0, shared = 0, expected = 0;
    char comma = 0;
    std::istringstream(line) >> registers >> comma >> threads >> comma >> shared >> comma >> expected;
    ++points;
    const uint32_t got =
        blocks("sm_90", {.threads = threads, .registers = registers, .shared_bytes = shared});
    if (got != expected && ++wrong < 10) ADD_FAILURE() << line << ", computed " << got;
  }
  EXPECT_EQ(points, 1794);
  EXPECT_EQ(wrong, 0);
}

// The four limits as a profiler lists them for a launch of 256 threads with 16 registers and 8192 bytes of
// shared memory.
TEST(Limits, AreThoseOfEachResourceAlone) {
  const Occupancy o = occupancy(arch_of("sm_90"), {.threads = 256, .registers = 16, .shared_bytes = 8192});
  EXPECT_EQ(o.by_blocks, 32u);
  EXPECT_EQ(o.by_warps, 8u);       // 64 warps / 8
  EXPECT_EQ(o.by_registers, 16u);  // 16 x 32 = 512; 16384 / 512 = 32 warps in each of 4 parts, 128 / 8
  EXPECT_EQ(o.by_shared, 25u);     // 233472 / (8192 + 1024)
  EXPECT_EQ(o.by_barriers, 32u);
  EXPECT_EQ(o.blocks, 8u);
  EXPECT_EQ(o.limiter, Limiter::warps);
  EXPECT_EQ(name(o.limiter), "warps");
}

TEST(Limits, BarriersAreSharedByTheBlocksOfAMultiprocessor) {
  EXPECT_EQ(blocks("sm_86", {.threads = 32, .barriers = 2}), 8u);  // 16 barriers
  EXPECT_EQ(blocks("sm_90", {.threads = 32, .barriers = 16}), 4u);
}

TEST(Limits, TheRegisterFileHasParts) {
  // 40 x 32 = 1280 registers a warp. 6.0: 65536 / 2 / 1280 = 25 warps in each of 2 parts, 50 / 9 = 5 blocks
  // of 9 warps.
  EXPECT_EQ(blocks("sm_60", {.threads = 288, .registers = 40}), 5u);
  // 5.2: 65536 / 4 / 1280 = 12 in each of 4 parts, 48 / 9 = 5.
  EXPECT_EQ(blocks("sm_52", {.threads = 288, .registers = 40}), 5u);
  // 50 warps against 48: one block of 25 warps more.
  EXPECT_EQ(blocks("sm_60", {.threads = 800, .registers = 40}), 2u);
  EXPECT_EQ(blocks("sm_52", {.threads = 800, .registers = 40}), 1u);
}

TEST(Configurations, LessSharedMemoryMeansFewerBlocks) {
  // Fermi, 16 KB for shared memory: one block of 12 KB instead of four.
  EXPECT_EQ(blocks("sm_20", {.threads = 32, .shared_bytes = 12288}), 4u);
  EXPECT_EQ(blocks("sm_20", {.threads = 32, .shared_bytes = 12288, .shared_configuration = 16384}), 1u);
  // A block that needs more than was chosen gets the next configuration.
  EXPECT_EQ(blocks("sm_20", {.threads = 32, .shared_bytes = 20480, .shared_configuration = 16384}), 2u);
}

TEST(Configurations, OfKeplerAreChosenByTheCacheThatIsPreferred) {
  const auto chosen = [](std::string_view id, CachePreference cache) {
    return shared_configuration(arch_of(id), {.cache = cache, .carveout = 0});
  };
  for (const char* id : {"sm_30", "sm_35"}) {
    EXPECT_EQ(chosen(id, CachePreference::none), most_shared) << id;
    EXPECT_EQ(chosen(id, CachePreference::shared), most_shared) << id;
    EXPECT_EQ(chosen(id, CachePreference::l1), 16384u) << id;
    EXPECT_EQ(chosen(id, CachePreference::equal), 32768u) << id;
  }
  // 3.7 has 64 KB more of shared memory in each.
  EXPECT_EQ(chosen("sm_37", CachePreference::l1), 81920u);
  EXPECT_EQ(chosen("sm_37", CachePreference::equal), 98304u);
  EXPECT_EQ(chosen("sm_20", CachePreference::equal), most_shared);  // 16 and 48 KB alone
  EXPECT_EQ(chosen("sm_52", CachePreference::l1), most_shared);     // no division
  // 17 KB do not fit into 16: all 48 are shared memory then, which hold two.
  EXPECT_EQ(blocks("sm_35", {.threads = 32, .shared_bytes = 17 * 1024, .shared_configuration = 16384}), 2u);
}

TEST(Configurations, FromVoltaOnAreASharePerCent) {
  const auto chosen = [](std::string_view id, int carveout) {
    return shared_configuration(arch_of(id), {.cache = CachePreference::l1, .carveout = carveout});
  };
  EXPECT_EQ(chosen("sm_70", -1), most_shared);
  EXPECT_EQ(chosen("sm_70", 0), 0u);
  EXPECT_EQ(chosen("sm_70", 50), 65536u);  // 48 KB: 64 is the next
  EXPECT_EQ(chosen("sm_70", 100), 98304u);
  EXPECT_EQ(chosen("sm_75", 0), 32768u);
  EXPECT_EQ(chosen("sm_75", 50), 32768u);
  EXPECT_EQ(chosen("sm_75", 51), 65536u);
  EXPECT_EQ(chosen("sm_80", 50), 102400u);  // 82 KB: 100
  EXPECT_EQ(chosen("sm_90", 25), 65536u);   // 57 KB
  // 8 KB and 1 of the system's. No shared memory asked for: what holds one block, 16 KB.
  EXPECT_EQ(blocks("sm_90", {.threads = 32, .shared_bytes = 8192, .shared_configuration = 0}), 1u);
  EXPECT_EQ(blocks("sm_90", {.threads = 32, .shared_bytes = 8192, .shared_configuration = 65536}), 7u);
  EXPECT_EQ(available_dynamic_shared(arch_of("sm_90"), {.threads = 32, .shared_configuration = 65536}, 2),
            31744u);
  // One block alone gets all, whatever was asked.
  EXPECT_EQ(available_dynamic_shared(arch_of("sm_90"), {.threads = 32, .shared_configuration = 65536}, 1),
            232448u);
}

TEST(Gains, AreTheLeastChangesThatAdmitOneMoreBlock) {
  // Best Practices Guide 4.2: 12 registers and 256 threads, two blocks; 10 registers are three.
  const auto g80 = gains(arch_of("sm_10"), {.threads = 256, .registers = 12});
  ASSERT_EQ(g80.size(), 2u);
  EXPECT_EQ(g80[0].limiter, Limiter::warps);
  EXPECT_EQ(g80[0].most, 192u);  // 6 warps: 192 x 12 = 2304, 8192 / 2304 = 3
  EXPECT_EQ(g80[1].limiter, Limiter::registers);
  EXPECT_EQ(g80[1].most, 10u);
  EXPECT_EQ(g80[1].blocks, 3u);
  // H200: 233472 / 4 = 58368, less 1024: four blocks with 57344 bytes each.
  const auto h200 = gains(arch_of("sm_90"), {.threads = 128, .registers = 32, .shared_bytes = 70000});
  ASSERT_EQ(h200.size(), 1u);
  EXPECT_EQ(h200[0].limiter, Limiter::shared);
  EXPECT_EQ(h200[0].most, 57344u);
  EXPECT_EQ(h200[0].blocks, 4u);
  // Warps and registers both admit two: neither alone gains.
  EXPECT_EQ(gains(arch_of("sm_90"), {.threads = 1024, .registers = 32}).front().limiter, Limiter::warps);
}

TEST(BestBlock, IsTheLargestOfTheFullest) {
  const auto none = [](uint32_t) { return 0u; };
  EXPECT_EQ(best_block(arch_of("sm_90"), {.registers = 32}, 0, none).threads, 1024u);
  // 40 registers: 48 warps fit by registers; 768 is the largest block that fills them.
  const BestBlock best = best_block(arch_of("sm_90"), {.registers = 40}, 0, none);
  EXPECT_EQ(best.threads, 768u);
  EXPECT_EQ(best.blocks, 2u);
  // Up to 100: 16 blocks of 100 are 1600 threads, 21 of 96 are 2016, 32 of 64 are 2048.
  EXPECT_EQ(best_block(arch_of("sm_90"), {.registers = 32}, 100, none).threads, 64u);
  const auto per_thread = [](uint32_t threads) { return threads * 1024; };
  EXPECT_EQ(best_block(arch_of("sm_10"), {}, 0, per_thread).threads, 0u);
}

TEST(AvailableDynamicShared, DividesTheMultiprocessor) {
  // 233472 / 2 = 116736 = 912 x 128; less 1024 that the system keeps
  EXPECT_EQ(available_dynamic_shared(arch_of("sm_90"), {.threads = 128}, 2), 115712u);
  EXPECT_EQ(blocks("sm_90", {.threads = 128, .shared_bytes = 115712}), 2u);
  EXPECT_EQ(blocks("sm_90", {.threads = 128, .shared_bytes = 115713}), 1u);
  EXPECT_EQ(available_dynamic_shared(arch_of("sm_90"), {.threads = 1024}, 3), 0u);  // no three such blocks
}

}  // namespace
}  // namespace heddle::model
