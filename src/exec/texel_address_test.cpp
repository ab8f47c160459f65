#include "exec/texel_address.h"

#include <gtest/gtest.h>

#include <set>

namespace heddle::exec {
namespace {

TexelArray image_of(TextureShape shape, uint64_t width, uint64_t height, uint64_t depth) {
  TexelArray image;
  image.shape = shape;
  image.mip[0] = {reinterpret_cast<std::byte*>(0x10000), width, height, depth, width * 4, width * 4 * height};
  return image;
}
uint64_t at(const TexelArray& image, uint64_t x, uint64_t y, uint64_t z = 0) {
  const MipLevel& level = image.mip[0];
  return texel_address(image, level, z * level.slice_pitch + y * level.row_pitch + x * 4);
}

TEST(TexelAddress, OfLinearMemoryIsItsOwn) {
  EXPECT_EQ(at(image_of(TextureShape::linear_buffer, 100, 1, 0), 7, 0), 0x1001c);
  EXPECT_EQ(at(image_of(TextureShape::d2_pitched, 100, 10, 0), 7, 2), 0x10000u + 828);
}

TEST(TexelAddress, OfAnArrayLiesInTilesOfSectors) {
  const TexelArray image = image_of(TextureShape::d2, 100, 20, 0);
  // A sector: 4 texels by 2 rows.
  std::set<uint64_t> sectors;
  for (uint64_t y = 2; y < 4; ++y)
    for (uint64_t x = 4; x < 8; ++x) sectors.insert(at(image, x, y) / 32);
  EXPECT_EQ(sectors.size(), 1u);
  EXPECT_EQ(at(image, 0, 0), 0x10000u);
  EXPECT_EQ(at(image, 16, 0), 0x10000u + 512);     // the next tile
  EXPECT_EQ(at(image, 0, 8), 0x10000u + 7 * 512);  // 400 bytes are 7 tiles
}

TEST(TexelAddress, IsAnotherForEachTexel) {
  for (const TextureShape shape : {TextureShape::d2, TextureShape::d3, TextureShape::d2_layered}) {
    const TexelArray image = image_of(shape, 37, 13, 3);
    std::set<uint64_t> all;
    for (uint64_t z = 0; z < 3; ++z)
      for (uint64_t y = 0; y < 13; ++y)
        for (uint64_t x = 0; x < 37; ++x) all.insert(at(image, x, y, z));
    EXPECT_EQ(all.size(), 37u * 13 * 3);
  }
}

}  // namespace
}  // namespace heddle::exec
