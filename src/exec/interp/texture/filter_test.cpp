// Expected values from what an H100 answered (tests/hw/h100/answers/texture_filters;
// tests/hw/texture_test.cpp asks for all of it).
#include "exec/interp/texture/filter.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "exec/interp/texture/test_image.h"

namespace heddle::exec::interp {
namespace {

using Weights = std::array<int32_t, 8>;

TEST(Filter, weights_are_whole_parts_of_256) {
  EXPECT_EQ(corner_weights(0, 0, 0), (Weights{256}));
  EXPECT_EQ(corner_weights(64, 0, 0), (Weights{192, 64}));
  EXPECT_EQ(corner_weights(64, 64, 0), (Weights{144, 48, 48, 16}));
  // Of three axes the last one shares first: from the words of 8 random texels.
  EXPECT_EQ(corner_weights(148, 123, 130), (Weights{28, 38, 25, 35, 29, 39, 26, 36}));
  EXPECT_EQ(corner_weights(169, 110, 189), (Weights{13, 25, 10, 19, 37, 71, 27, 54}));
  for (int32_t x = 0; x < 256; x += 3)
    for (int32_t y = 0; y < 256; y += 5)
      for (int32_t z = 0; z < 256; z += 7) {
        const Weights all = corner_weights(x, y, z);
        EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), 256);
        for (const int32_t weight : all) EXPECT_GE(weight, 0);
      }
}

uint32_t between(const Reading& reading, uint32_t first, uint32_t second, int32_t weight) {
  const Filter filter(reading, false);
  const Filter::Corner corners[] = {{256 - weight, filter.texel(reinterpret_cast<const std::byte*>(&first))},
                                    {weight, filter.texel(reinterpret_cast<const std::byte*>(&second))}};
  return filter.words(filter.sum(corners))[0];
}

TEST(Filter, normalised_integers_become_fractions_of_16_bits) {
  const Reading u8{texel_of(ChannelKind::unsigned_, 8), true};
  EXPECT_EQ(between(u8, 0xac, 0xb3, 1), 0x3f2c'b3adU);
  EXPECT_EQ(between(u8, 0, 255, 1), 0x3b80'0080U);
  EXPECT_EQ(between(u8, 0x99, 0xcd, 230), 0x3f48'80c9U);  // a half is rounded away from zero
  const Reading s16{texel_of(ChannelKind::signed_, 16), true};
  EXPECT_EQ(between(s16, 0x6fac, 0x86b3, 1), 0x3f5d'87bbU);
  EXPECT_EQ(between(s16, 0, 0xffff, 1), 0U);
}

TEST(Filter, floats_are_cut_to_the_bits_that_the_largest_leaves) {
  EXPECT_EQ(between({f32_texel}, 0x3c57'6fac, 0xc1fa'e199, 1), 0xbde0'0e97U);
  const Reading f16{texel_of(ChannelKind::floating, 16)};
  EXPECT_EQ(between(f16, 0x3bac, 0xad99, 1), 0x3f74'8000U);
  EXPECT_EQ(between(f16, 0x4af9, 0x4174, 96), 0x411b'e000U);
}

TEST(Filter, a_border_is_a_value_of_the_format) {
  const float colour[4] = {0.7f, 0.7f, 0.7f, 0.7f};
  const auto border = [&](const Reading& reading) {
    const Filter filter(reading, false);
    const Filter::Corner all[] = {{256, filter.border(colour)}};
    return filter.words(filter.sum(all))[0];
  };
  EXPECT_EQ(border({texel_of(ChannelKind::unsigned_, 8)}), 0x33U);
  EXPECT_EQ(border({texel_of(ChannelKind::unsigned_, 16)}), 0x3333U);
  EXPECT_EQ(border({texel_of(ChannelKind::signed_, 32)}), 0x3f33'3333U);
  EXPECT_EQ(border({texel_of(ChannelKind::unsigned_, 8), true}), 0x3f32'b2b3U);
  EXPECT_EQ(border({texel_of(ChannelKind::signed_, 8), true}), 0x3f33'6767U);
  EXPECT_EQ(border({texel_of(ChannelKind::floating, 16)}), 0x3f33'2000U);
  EXPECT_EQ(border({f32_texel}), 0x3f33'3333U);
}

}  // namespace
}  // namespace heddle::exec::interp
