// What a GTX 950 and a GTX 1080 Ti counted (tests/hw/nvprof), by kernel.
#include "model/texture_path.h"

#include <gtest/gtest.h>

#include <utility>

#include "model/testing.h"

namespace heddle::model {
namespace {

uint32_t lookups(const WarpAccess& access) { return texture_load(access).lookups; }
uint64_t side_by_side(unsigned lane) { return lane; }

TEST(TexturePath, IsThatOfCapability5And6) {
  for (const char* id : {"sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62"})
    EXPECT_TRUE(reads_by_texture_unit(arch_of(id))) << id;
  for (const char* id : {"sm_13", "sm_20", "sm_35", "sm_37", "sm_70", "sm_90"})
    EXPECT_FALSE(reads_by_texture_unit(arch_of(id))) << id;
}

// vectorAdd, BlackScholes, scan: 8, 8 and 16 transactions of a load, efficiency 100 %.
TEST(TexturePath, WordsSideBySide) {
  for (const auto& [bytes, count] : {std::pair(4U, 8U), std::pair(8U, 8U), std::pair(16U, 16U)}) {
    const TextureLoad load = texture_load(words(warp, bytes, side_by_side));
    EXPECT_EQ(load.lookups, count) << bytes;
    EXPECT_EQ(load.parts, bytes) << bytes;  // as many as transactions of the texture cache
    EXPECT_EQ(load.bytes, 32 * bytes);
    EXPECT_EQ(load.sectors, bytes);
  }
  EXPECT_EQ(lookups(words(half_warp, 4, side_by_side)), 4u);  // the last warp of vectorAdd
}

// The products of PolyBench: a row's word is one of 4, a column's one of 32; efficiency 4 of 32 bytes.
TEST(TexturePath, OneWordForAllAndAWordForEach) {
  const TextureLoad one = texture_load(words(warp, 4, [](unsigned) { return 5; }));
  EXPECT_EQ(one.lookups, 4u);
  EXPECT_EQ(one.bytes, 4u);
  EXPECT_EQ(one.sectors, 1u);
  EXPECT_EQ(lookups(words(warp, 4, [](unsigned lane) { return 64 * lane; })), 32u);
  EXPECT_EQ(lookups(words(1, 4, side_by_side)), 1u);
}

// fdtd2d reads rows of 2049 words: 9.48 transactions in the mean of all places.
TEST(TexturePath, WordsThatBeginAnywhere) {
  uint32_t sum = 0;
  for (unsigned first = 0; first < 8; ++first) {
    const uint32_t count = lookups(words(warp, 4, [=](unsigned lane) { return first + lane; }));
    EXPECT_EQ(count, first % 4 == 0 ? 8u : 10u) << first;
    sum += count;
  }
  EXPECT_EQ(sum, 76u);
}

// dct8x8: rows of eight words or half words.
TEST(TexturePath, RowsOfEight) {
  const auto rows = [](unsigned lane) { return lane / 8 * 512 + lane % 8; };
  for (const uint32_t bytes : {2U, 4U}) {
    EXPECT_EQ(lookups(words(warp, bytes, rows)), 8u) << bytes;
    EXPECT_EQ(texture_store(words(warp, bytes, rows, AccessKind::store)), 8u) << bytes;
  }
}

TEST(TexturePath, StoresSendASectorOnceWhereLinesAreFew) {
  const auto stored = [](LaneMask lanes, auto index) {
    return texture_store(words(lanes, 4, index, AccessKind::store));
  };
  EXPECT_EQ(stored(warp, side_by_side), 4u);
  EXPECT_EQ(stored(1, side_by_side), 1u);
  EXPECT_EQ(stored(warp, [](unsigned lane) { return 512 * lane; }), 32u);  // transposeNaive
  for (unsigned first = 0; first < 32; ++first)                            // fdtd2d
    EXPECT_EQ(stored(warp, [=](unsigned lane) { return first + lane; }), first % 8 == 0 ? 4u : 5u) << first;
  // hotspot: two rows of 12 words, 48 bytes apart from block to block; two of eight cross a line.
  constexpr LaneMask inner = 0x3ffc3ffc;
  for (unsigned block = 0; block < 8; ++block)
    EXPECT_EQ(stored(inner, [=](unsigned lane) { return lane / 16 * 512 + 12 * block + lane % 16 - 2; }),
              block == 2 || block == 5 ? 8u : 4u)
        << block;
}

}  // namespace
}  // namespace heddle::model
