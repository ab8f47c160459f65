#include "exec/interp/texture/texel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "exec/interp/texture/test_image.h"

namespace heddle::exec::interp {
namespace {

template <class T>
Words read(const Reading& reading, std::initializer_list<T> channels) {
  std::byte bytes[16] = {};
  std::memcpy(bytes, std::data(channels), channels.size() * sizeof(T));
  return texel_words(reading, bytes);
}
uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(Texel, integers_are_extended_to_32_bits) {
  EXPECT_EQ((read<uint8_t>({texel_of(ChannelKind::unsigned_, 8, 4)}, {1, 200, 3, 255})),
            (Words{1, 200, 3, 255}));
  EXPECT_EQ((read<int8_t>({texel_of(ChannelKind::signed_, 8, 4)}, {-1, 2, -128, 127})),
            (Words{0xffffffff, 2, 0xffffff80, 127}));
  EXPECT_EQ((read<int16_t>({texel_of(ChannelKind::signed_, 16, 2)}, {-2, 300})),
            (Words{0xfffffffe, 300, 0, 1}));
  EXPECT_EQ((read<uint32_t>({texel_of(ChannelKind::unsigned_, 32)}, {0xfffffffe})),
            (Words{0xfffffffe, 0, 0, 1}));
}

TEST(Texel, missing_channels_are_zero_and_the_last_one) {
  EXPECT_EQ((read<float>({f32_texel}, {2.5f})), (Words{bits(2.5f), 0, 0, bits(1)}));
  EXPECT_EQ((read<uint8_t>({texel_of(ChannelKind::unsigned_, 8), true}, {255})),
            (Words{bits(1), 0, 0, bits(1)}));
}

TEST(Texel, halves_become_floats) {
  EXPECT_EQ((read<uint16_t>({texel_of(ChannelKind::floating, 16, 4)}, {0x3c00, 0xc000, 0x0001, 0x7c00})),
            (Words{bits(1), bits(-2), bits(0x1p-24f), bits(HUGE_VALF)}));
}

TEST(Texel, floats_keep_their_bits) {
  EXPECT_EQ((read<uint32_t>({f32_texel}, {0x7f800001}))[0], 0x7f800001u);  // a signalling NaN
}

TEST(Texel, every_normalised_integer) {
  const Reading u8{texel_of(ChannelKind::unsigned_, 8), true}, s8{texel_of(ChannelKind::signed_, 8), true};
  const Reading u16{texel_of(ChannelKind::unsigned_, 16), true},
      s16{texel_of(ChannelKind::signed_, 16), true};
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(read<uint8_t>(u8, {static_cast<uint8_t>(i)})[0], bits(static_cast<float>(i) / 255.0f));
    const auto s = static_cast<int8_t>(i);
    EXPECT_EQ(read<int8_t>(s8, {s})[0], bits(s == -128 ? -1.0f : static_cast<float>(s) / 127.0f));
  }
  for (int i = 0; i < 65536; ++i) {
    ASSERT_EQ(read<uint16_t>(u16, {static_cast<uint16_t>(i)})[0], bits(static_cast<float>(i) / 65535.0f));
    const auto s = static_cast<int16_t>(i);
    ASSERT_EQ(read<int16_t>(s16, {s})[0], bits(s == -32768 ? -1.0f : static_cast<float>(s) / 32767.0f));
  }
}

TEST(Texel, srgb_is_of_the_colours_and_not_of_alpha) {
  const Words words = read<uint8_t>({texel_of(ChannelKind::unsigned_, 8, 4), true, true}, {255, 0, 10, 128});
  EXPECT_EQ(words[0], bits(1));
  EXPECT_EQ(words[1], 0u);
  EXPECT_NEAR(std::bit_cast<float>(words[2]), 10 / 255.0 / 12.92, 1e-9);
  EXPECT_EQ(words[3], bits(128 / 255.0f));
  // 188 / 255 is about half of the light.
  const Words half = read<uint8_t>({texel_of(ChannelKind::unsigned_, 8, 4), true, true}, {188, 0, 0, 0});
  EXPECT_NEAR(std::bit_cast<float>(half[0]), std::pow((188 / 255.0 + 0.055) / 1.055, 2.4), 1e-7);
}

TEST(Texel, only_narrow_integers_are_normalised) {
  TextureObject texture;
  texture.read = ReadMode::normalized_float;
  texture.image.texel = texel_of(ChannelKind::unsigned_, 16, 2);
  EXPECT_TRUE(reading_of(texture).normalized);
  texture.image.texel = texel_of(ChannelKind::unsigned_, 32);
  EXPECT_FALSE(reading_of(texture).normalized);
  texture.image.texel = f32_texel;
  EXPECT_FALSE(reading_of(texture).normalized);
}

template <class T, std::size_t N>
std::array<T, N> stored(const Texel& texel, const Words& components, unsigned count) {
  std::array<T, N> out;
  out.fill(static_cast<T>(0x55));
  TexelArray image;
  image.texel = texel;
  store_texel(image, reinterpret_cast<std::byte*>(out.data()), components, count);
  return out;
}

TEST(Texel, formatted_stores_clamp) {
  const auto minus = static_cast<uint32_t>(-300);
  EXPECT_EQ((stored<uint8_t, 4>(texel_of(ChannelKind::unsigned_, 8, 4), {1, 256, 255, 0xffffffff}, 4)),
            (std::array<uint8_t, 4>{1, 255, 255, 255}));
  EXPECT_EQ((stored<int8_t, 4>(texel_of(ChannelKind::signed_, 8, 4), {127, 128, minus, 5}, 4)),
            (std::array<int8_t, 4>{127, 127, -128, 5}));
  EXPECT_EQ((stored<uint16_t, 2>(texel_of(ChannelKind::floating, 16, 2), {bits(1), bits(1e9f), 0, 0}, 2)),
            (std::array<uint16_t, 2>{0x3c00, 0x7c00}));
  EXPECT_EQ((stored<uint32_t, 2>(texel_of(ChannelKind::signed_, 32, 2), {minus, 7, 8, 9}, 1)),
            (std::array<uint32_t, 2>{minus, 0}));
}

}  // namespace
}  // namespace heddle::exec::interp
