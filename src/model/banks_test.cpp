// Every statement of the guides about banks of shared memory, and what an H200 counted for random accesses.
#include "model/banks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "model/recorded_access.h"
#include "model/testing.h"

namespace heddle::model {
namespace {

uint32_t waves(std::string_view arch, const WarpAccess& access, uint32_t mode = 0) {
  return bank_access(arch_of(arch), access, mode).wavefronts;
}

// ---- OpenCL Programming Guide C.3.3.1 and C.4.3.1, CUDA C Programming Guide G.3.3 and figure 17
TEST(Banks, AStrideIsFreeOfConflictsExactlyWhenItIsOdd) {
  for (unsigned stride = 1; stride <= 64; ++stride) {
    const auto by_stride = [=](unsigned lane) { return lane * stride; };
    EXPECT_EQ(waves("sm_13", words(half_warp, 4, by_stride)), std::gcd(16U, stride)) << stride;
    EXPECT_EQ(waves("sm_13", words(warp, 4, by_stride)), 2 * std::gcd(16U, stride)) << stride;
    for (const char* arch : {"sm_20", "sm_52", "sm_90"})
      EXPECT_EQ(waves(arch, words(warp, 4, by_stride)), std::gcd(32U, stride)) << arch << ' ' << stride;
  }
}

TEST(Banks, AStrideOfTwoIsFreeOn3xInEitherMode) {
  const auto two = words(warp, 4, [](unsigned lane) { return 2 * lane; });
  EXPECT_EQ(waves("sm_20", two), 2u);
  EXPECT_EQ(waves("sm_30", two, 4), 1u);
  EXPECT_EQ(waves("sm_30", two, 8), 1u);
  EXPECT_EQ(waves("sm_52", two), 2u);
}

// ---- OpenCL Programming Guide C.3.3.2, figure C-3 and CUDA figure 18
TEST(Banks, AWordIsBroadcast) {
  const auto one_word = words(half_warp, 4, [](unsigned) { return 9; });
  for (const char* arch : {"sm_10", "sm_13", "sm_20", "sm_30", "sm_52", "sm_90"})
    EXPECT_EQ(waves(arch, one_word), 1u) << arch;
  // Threads 3, 4, 6, 7 and 9 read one word of bank 5, the others words of banks of their own.
  const auto five = [](unsigned lane) -> uint64_t {
    return lane == 3 || lane == 4 || lane == 6 || lane == 7 || lane == 9 ? 5 : lane == 5 ? 3 : lane;
  };
  EXPECT_EQ(waves("sm_13", words(half_warp, 4, five)), 1u);
  EXPECT_EQ(waves("sm_20", words(half_warp, 4, five)), 1u);
}

TEST(Banks, SeveralWordsAreBroadcastAtOnceFrom2xOn) {
  const auto pairs = words(half_warp, 4, [](unsigned lane) { return lane / 2; });
  EXPECT_EQ(waves("sm_13", pairs),
            2u);  // one is broadcast; of the other banks one lane is served, then the other
  EXPECT_EQ(waves("sm_20", pairs), 1u);
  EXPECT_EQ(waves("sm_90", pairs), 1u);
}

// ---- OpenCL Programming Guide C.3.3.3 and C.4.3
TEST(Banks, Bytes) {
  const auto side_by_side = words(half_warp, 1, [](unsigned lane) { return lane; });
  EXPECT_EQ(waves("sm_13", side_by_side), 4u);
  EXPECT_EQ(waves("sm_13", words(half_warp, 1, [](unsigned lane) { return 4 * lane; })), 1u);
  for (const char* arch : {"sm_20", "sm_30", "sm_52", "sm_90"}) {
    EXPECT_EQ(waves(arch, side_by_side), 1u) << arch;
    EXPECT_EQ(waves(arch, words(warp, 1, [](unsigned lane) { return lane; })), 1u) << arch;
  }
}

// ---- OpenCL Programming Guide C.3.3.4 and C.4.3.2
TEST(Banks, DoublesAreTwoAccessesWithAStrideOfTwoOn1x) {
  const BankAccess doubles =
      bank_access(arch_of("sm_13"), words(half_warp, 8, [](unsigned lane) { return lane; }));
  EXPECT_EQ(doubles.ideal, 2u);
  EXPECT_EQ(doubles.wavefronts, 4u);  // two-way conflicts
}

TEST(Banks, DoublesAreFreeOfConflictsFrom2xOn) {
  const auto doubles = words(warp, 8, [](unsigned lane) { return lane; });
  for (const char* arch : {"sm_20", "sm_30", "sm_52", "sm_90"})
    EXPECT_EQ(bank_access(arch_of(arch), doubles).conflicts(), 0u) << arch;
  EXPECT_EQ(waves("sm_20", doubles), 2u);
  EXPECT_EQ(waves("sm_30", doubles, 8), 1u);
  EXPECT_EQ(waves("sm_30", doubles, 4), 1u);
}

TEST(Banks, ThreeWordsOfAStructAreFreeOfConflicts) {
  for (unsigned member = 0; member < 3; ++member)
    for (const char* arch : {"sm_20", "sm_90"})
      EXPECT_EQ(waves(arch, words(warp, 4, [=](unsigned lane) { return 3 * lane + member; })), 1u) << arch;
}

TEST(Banks, WordsOf128BitsConflictInTwoWaysOn2x) {
  const BankAccess quads = bank_access(arch_of("sm_20"), words(warp, 16, [](unsigned lane) { return lane; }));
  EXPECT_EQ(quads.wavefronts, 2 * quads.ideal);
}

// ---- CUDA C Programming Guide G.4.3
TEST(Banks, ModesOf3x) {
  // Words 0 and 32 are of one bank and one segment; 0 and 64 are not of one segment.
  const auto near = words(3, 4, [](unsigned lane) { return 32 * lane; });
  const auto far = words(3, 4, [](unsigned lane) { return 64 * lane; });
  EXPECT_EQ(waves("sm_35", near, 4), 1u);
  EXPECT_EQ(waves("sm_35", far, 4), 2u);
  EXPECT_EQ(waves("sm_20", near), 2u);
  EXPECT_EQ(waves("sm_35", words(3, 8, [](unsigned lane) { return 32 * lane; }), 8), 2u);
}

// Of the mode of 64 bits G.4.3 says so too, but it does not follow from its rule: words 0 and 65 are two
// words of 64 bits in one bank.
TEST(Banks, TheModeOf32BitsHasNoMoreConflictsThan2x) {
  std::mt19937 random(5);
  for (int round = 0; round < 2000; ++round) {
    const uint32_t bytes = 4U << random() % 2, window = 16U << random() % 8;
    const auto access =
        words(static_cast<LaneMask>(random()) | 1, bytes, [&](unsigned) { return random() % window; });
    EXPECT_LE(waves("sm_30", access, 4), waves("sm_20", access)) << bytes;
  }
}

TEST(Banks, TheModeOf64BitsAsksNoMoreOftenFor64Bits) {
  for (unsigned stride = 1; stride <= 64; ++stride) {
    const auto access = words(warp, 8, [=](unsigned lane) { return lane * stride; });
    EXPECT_LE(waves("sm_30", access, 8), waves("sm_20", access)) << stride;
  }
}

TEST(Banks, OneOfTheLanesThatWriteToOnePlaceDoes) {
  const auto same = words(warp, 4, [](unsigned) { return 1; }, AccessKind::store);
  EXPECT_EQ(waves("sm_13", same), 2u);  // one of each half-warp
  EXPECT_EQ(waves("sm_20", same), 1u);
}

// ---- an H200
TEST(RecordedAccess, WavefrontsAndConflictsOfAnH200) {
  unsigned compared = 0;
  for (const RecordedAccess& recorded : recorded_accesses()) {
    if (!recorded.operation.starts_with("shared")) continue;
    const BankAccess ours = bank_access(arch_of("sm_90"), recorded.access());
    EXPECT_EQ(ours.wavefronts, recorded.counters[0]) << recorded.operation << ' ' << recorded.bytes;
    EXPECT_EQ(ours.conflicts(), recorded.counters[1]) << recorded.operation << ' ' << recorded.bytes;
    ++compared;
  }
  EXPECT_EQ(compared, 520u);
}

}  // namespace
}  // namespace heddle::model
