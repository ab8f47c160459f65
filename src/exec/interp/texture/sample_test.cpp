// Expected values worked out from the CUDA C++ Programming Guide, "Texture Fetching".
#include "exec/interp/texture/sample.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

#include "exec/interp/texture/test_image.h"

namespace heddle::exec::interp {
namespace {

std::vector<float> counted(std::size_t n) {  // 0 1 2 ...
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

struct Setting {
  AddressMode mode = AddressMode::clamp_to_edge;
  FilterMode filter = FilterMode::nearest;
  bool normalized = false;
};
TextureObject texture(const TestImage& image, Setting setting = {}) {
  TextureObject made;
  made.image = image.array;
  for (AddressMode& mode : made.sampler.address) mode = setting.mode;
  made.sampler.filter = setting.filter;
  made.sampler.normalized_coordinates = setting.normalized;
  return made;
}
float look(const TextureObject& t, const Lookup& lookup, std::size_t channel = 0) {
  return std::bit_cast<float>(sample(t, t.sampler, lookup)[channel]);
}
Lookup at(std::initializer_list<double> coordinates) {
  Lookup lookup;
  lookup.axes = static_cast<unsigned>(coordinates.size());
  std::copy(coordinates.begin(), coordinates.end(), lookup.at.begin());
  return lookup;
}
Lookup texel(std::initializer_list<double> coordinates) {
  Lookup lookup = at(coordinates);
  lookup.whole = true;
  return lookup;
}
Lookup direction(double x, double y, double z) {
  Lookup lookup = at({x, y, z});
  lookup.cube = true;
  return lookup;
}

constexpr auto linear = FilterMode::linear;

// As an H200 has it (driver 580.159.04, tex2D at the same places).
TEST(Sample, numbers_that_are_none_pass_and_filters_have_one) {
  constexpr uint32_t payload = 0x7fc1'2345, signalling = 0x7fa0'0001;
  const std::vector<uint32_t> singles{payload, signalling, 0x7f80'0000, 0x8000'0000};
  const TestImage f32(TextureShape::d1, f32_texel, singles, 4);
  const std::vector<uint16_t> halves{0x7e01, 0xfd01, 0x7c00, 0x8001};
  const TestImage f16(TextureShape::d1, texel_of(ChannelKind::floating, 16), halves, 4);
  const auto word = [](const TestImage& image, FilterMode filter, double x) {
    const TextureObject t = texture(image, {AddressMode::clamp_to_edge, filter});
    return sample(t, t.sampler, at({x}))[0];
  };
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(word(f32, FilterMode::nearest, static_cast<double>(i) + 0.5), singles[i]);
  EXPECT_EQ(word(f32, linear, 0.5), 0x7fff'ffffU);
  EXPECT_EQ(word(f32, linear, 1.0), 0x7fff'ffffU);
  EXPECT_EQ(word(f32, linear, 2.5), 0x7f80'0000U);
  EXPECT_EQ(word(f32, linear, 3.5), 0x8000'0000U);
  EXPECT_EQ(word(f16, FilterMode::nearest, 0.5), 0x7fc0'2000U);
  EXPECT_EQ(word(f16, FilterMode::nearest, 1.5), 0xffa0'2000U);
  EXPECT_EQ(word(f16, FilterMode::nearest, 3.5), 0xb380'0000U);
  EXPECT_EQ(word(f16, linear, 0.5), 0x7fff'e000U);
  EXPECT_EQ(word(f16, linear, 2.5), 0x7f80'0000U);
  EXPECT_EQ(word(f16, linear, 3.5), 0xb380'0000U);
}

// As an H200 has it (tests/hw/h200/answers: the second row, every quarter of a texel from the first edge on).
TEST(Sample, small_integers_are_filtered_and_rounded) {
  const std::vector<uint8_t> row{1, 11, 21, 31};
  const TestImage image(TextureShape::d1, texel_of(ChannelKind::unsigned_, 8), row, 4);
  const TextureObject t = texture(image, {AddressMode::clamp_to_edge, linear});
  const uint32_t expected[] = {6, 9, 11, 14, 16, 19, 21, 24};
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_EQ(sample(t, t.sampler, at({1 + 0.25 * static_cast<double>(i)}))[0], expected[i]) << i;
}

TEST(Sample, one_axis_in_every_mode_and_filter) {
  const TestImage image(TextureShape::d1, f32_texel, counted(4), 4);
  const struct {
    Setting setting;
    double x;
    float expected;
  } cases[] = {
      {{}, 2.99, 2},
      {{}, -1, 0},
      {{}, 4, 3},
      {{AddressMode::clamp_to_border}, -0.5, 9},
      {{AddressMode::clamp_to_border}, 4, 9},
      {{AddressMode::wrap, FilterMode::nearest, true}, 1.3, 1},    // 0.3 * 4
      {{AddressMode::wrap, FilterMode::nearest, true}, -0.1, 3},   // 0.9 * 4
      {{AddressMode::mirror, FilterMode::nearest, true}, 1.3, 2},  // 0.7 * 4
      {{AddressMode::clamp_to_edge, FilterMode::nearest, true}, 0.99, 3},
      {{AddressMode::clamp_to_edge, linear}, 1.5, 1},    // on a centre
      {{AddressMode::clamp_to_edge, linear}, 2.0, 1.5},  // between two
      {{AddressMode::clamp_to_edge, linear}, 1.75, 1.25},
      {{AddressMode::clamp_to_edge, linear}, 0.25, 0},  // T[-1] is T[0]
      {{AddressMode::clamp_to_edge, linear}, 3.75, 3},
      {{AddressMode::clamp_to_border, linear}, 0.0, 4.5},  // half of 9, half of 0
      {{AddressMode::clamp_to_border, linear}, 4.0, 6},    // half of 3, half of 9
      {{AddressMode::clamp_to_border, linear}, -2, 9},
      {{AddressMode::wrap, linear, true}, 0.0, 1.5},   // half of T[3], half of T[0]
      {{AddressMode::wrap, linear, true}, 1.25, 0.5},  // 1.0: T[0] and T[1]
      {{AddressMode::mirror, linear, true}, 0.0, 0},
      {{AddressMode::mirror, linear, true}, 1.0, 3},
      {{AddressMode::mirror, linear, true}, 1.25, 2.5},  // 3.0: T[2] and T[3]
  };
  for (const auto& c : cases) {
    TextureObject t = texture(image, c.setting);
    t.sampler.address[1] = AddressMode::clamp_to_edge;
    t.sampler.border[0] = 9;
    EXPECT_EQ(look(t, at({c.x})), c.expected)
        << c.x << " mode " << int(c.setting.mode) << " filter " << int(c.setting.filter);
  }
}

TEST(Sample, weights_are_of_256_parts) {
  const TestImage image(TextureShape::d1, f32_texel, std::vector<float>{0, 1}, 2);
  const TextureObject t = texture(image, {.filter = linear});
  for (int k = 0; k <= 256; ++k) {
    EXPECT_EQ(look(t, at({0.5 + k / 256.0})), static_cast<float>(k) / 256);
    EXPECT_EQ(look(t, at({0.5 + (k + 0.3) / 256})), static_cast<float>(k) / 256);
  }
}

TEST(Sample, a_texel_without_weight_does_not_count) {
  const TestImage image(TextureShape::d1, f32_texel, std::vector<float>{1, HUGE_VALF}, 2);
  EXPECT_EQ(look(texture(image, {.filter = linear}), at({0.5})), 1);
  EXPECT_EQ(look(texture(image, {.filter = linear}), at({1.0})), HUGE_VALF);
}

TEST(Sample, two_axes) {
  const TestImage image(TextureShape::d2, f32_texel, counted(12), 4, 3);  // T[i, j] = 4 j + i
  EXPECT_EQ(look(texture(image), at({3.5, 1.5})), 7);
  EXPECT_EQ(look(texture(image), at({9, 9})), 11);
  const TextureObject t = texture(image, {.filter = linear});
  EXPECT_EQ(look(t, at({2, 1})), 3.5);         // of 1 2 5 6
  EXPECT_EQ(look(t, at({1.75, 1.25})), 4.25);  // 1 + 0.25 + 4 * 0.75
  EXPECT_EQ(look(t, at({0, 0})), 0);
}

TEST(Sample, axes_have_their_own_modes) {
  const TestImage image(TextureShape::d2, f32_texel, counted(8), 4, 2);
  TextureObject t = texture(image, {AddressMode::wrap, FilterMode::nearest, true});
  t.sampler.address[1] = AddressMode::clamp_to_edge;
  EXPECT_EQ(look(t, at({1.3, 1.3})), 5);  // column 1, row 1
}

TEST(Sample, three_axes) {
  const TestImage image(TextureShape::d3, f32_texel, counted(8), 2, 2, 2);  // 4 k + 2 j + i
  EXPECT_EQ(look(texture(image), at({1.5, 0.5, 1.5})), 5);
  EXPECT_EQ(look(texture(image, {.filter = linear}), at({1, 1, 1})), 3.5);
  EXPECT_EQ(look(texture(image, {.filter = linear}), at({0.75, 0.5, 1.25})), 0.25 + 4 * 0.75);
}

TEST(Sample, whole_coordinates_are_neither_scaled_nor_filtered) {
  const TestImage image(TextureShape::d2, f32_texel, counted(12), 4, 3);
  const TextureObject t = texture(image, {AddressMode::wrap, linear, true});
  EXPECT_EQ(look(t, texel({3, 2})), 11);
  EXPECT_EQ(look(t, texel({-1, 5})), 8);  // wrapping needs normalised coordinates
}

TEST(Sample, beyond_linear_memory_there_is_zero) {
  const TestImage image(TextureShape::linear_buffer, f32_texel, std::vector<float>{5, 6, 7}, 3);
  const TextureObject t = texture(image, {.filter = linear});
  EXPECT_EQ(look(t, texel({0})), 5);
  EXPECT_EQ(look(t, texel({2})), 7);
  EXPECT_EQ(look(t, texel({3})), 0);
  EXPECT_EQ(look(t, texel({-1})), 0);
}

TEST(Sample, layers_clamp_and_are_not_filtered) {
  const TestImage image(TextureShape::d2_layered, f32_texel, counted(12), 2, 2, 3);
  for (const auto& [layer, first] :
       {std::pair<int64_t, float>{0, 0}, {2, 8}, {3, 8}, {-1, 0}, {1ll << 32, 8}}) {
    Lookup lookup = at({0.5, 0.5});
    lookup.layer = layer;
    EXPECT_EQ(look(texture(image, {.filter = linear}), lookup), first) << layer;
  }
  const TestImage rows(TextureShape::d1_layered, f32_texel, counted(6), 2, 0, 3);
  Lookup lookup = at({1.5});
  lookup.layer = 1;
  EXPECT_EQ(look(texture(rows), lookup), 3);
}

TEST(Sample, samples_of_a_multi_sample_image) {
  TestImage image(TextureShape::d2_layered, f32_texel, counted(16), 2, 2, 4);
  image.array.samples = 2;
  Lookup lookup = texel({1, 0});
  lookup.layer = 1;
  lookup.sample = 1;
  EXPECT_EQ(look(texture(image), lookup), 13);  // slice 1 * 2 + 1
}

TEST(Sample, normalised_integers_are_filtered_as_numbers) {
  const TestImage image(TextureShape::d1, texel_of(ChannelKind::unsigned_, 8), std::vector<uint8_t>{0, 255},
                        2);
  TextureObject t = texture(image, {.filter = linear});
  t.read = ReadMode::normalized_float;
  // 32,768 of 65,535, as an H100 has it.
  EXPECT_EQ(sample(t, t.sampler, at({1}))[0], 0x3f00'0080U);
  EXPECT_EQ(look(t, at({1.5})), 1);
}

// tests/hw/h100/answers/texture_filters: "u32, 1D, clamp, from 6c576fac to 826886b3" and s32, every 64th
// of a texel.
TEST(Sample, integers_of_32_bits_are_filtered_and_go_to_the_one_below) {
  const std::vector<uint32_t> row{0x6c57'6fac, 0x8268'86b3};
  const TestImage unsigned_image(TextureShape::d1, texel_of(ChannelKind::unsigned_, 32), row, 2);
  const TestImage signed_image(TextureShape::d1, texel_of(ChannelKind::signed_, 32), row, 2);
  const TextureObject u = texture(unsigned_image, {.filter = linear}),
                      s = texture(signed_image, {.filter = linear});
  const uint32_t steps[] = {0x6c576fac, 0x6f19928c, 0x71dbb56d, 0x749dd84e, 0x775ffb2f,
                            0x7a221e10, 0x7ce440f1, 0x7fa663d2, 0x826886b3},
                 signed_steps[] = {0x6c576fac, 0x4f19928c, 0x31dbb56d, 0x149dd84e, 0xf75ffb2f,
                                   0xda221e10, 0xbce440f1, 0x9fa663d2, 0x826886b3};
  for (std::size_t i = 0; i < std::size(steps); ++i) {
    const double x = 0.5 + static_cast<double>(i) / 8;
    EXPECT_EQ(sample(u, u.sampler, at({x}))[0], steps[i]) << i;
    EXPECT_EQ(sample(s, s.sampler, at({x}))[0], signed_steps[i]) << i;
  }
}

TEST(Sample, one_axis_with_a_border_on_the_second_is_half_of_it) {
  const TestImage image(TextureShape::d1, f32_texel, counted(4), 4);
  TextureObject t = texture(image, {.filter = linear});
  t.sampler.border[0] = 9;
  EXPECT_EQ(look(t, at({2.5})), 2);
  t.sampler.address[1] = AddressMode::clamp_to_border;
  EXPECT_EQ(look(t, at({2.5})), 5.5);
}

TEST(Sample, offsets_move_by_texels) {
  const TestImage image(TextureShape::d2, f32_texel, counted(16), 4, 4);
  Lookup lookup = at({0.5, 3.5});
  lookup.offset = {2, -3, 0};
  EXPECT_EQ(look(texture(image), lookup), 2);
  EXPECT_EQ(look(texture(image, {.filter = linear}), lookup), 2);
}

TEST(Sample, comparisons_are_filtered_and_not_depths) {
  const TestImage image(TextureShape::d1, f32_texel, std::vector<float>{0.25f, 0.75f}, 2);
  TextureObject t = texture(image, {.filter = linear});
  Lookup lookup = at({1.25});
  lookup.reference = 0.5f;  // 0.5 <= 0.25: 0; 0.5 <= 0.75: 1
  EXPECT_EQ(look(t, lookup), 0.75);
  t.sampler.compare = Relation::greater;
  EXPECT_EQ(look(t, lookup), 0.25);
}

struct Mips : testing::Test {
  Mips() : image(TextureShape::d1, f32_texel, counted(8), 8) {
    image.add(std::vector<float>{100, 101, 102, 103}, 4);
    image.add(std::vector<float>{200, 201}, 2);
    image.add(std::vector<float>{300}, 1);
    object = texture(image, {.normalized = true});
  }
  float level(double level, double x = 0) {
    Lookup lookup = at({x});
    lookup.level = level;
    lookup.levels = true;
    return look(object, lookup);
  }
  TestImage image;
  TextureObject object;
};

TEST_F(Mips, the_nearest_level) {
  EXPECT_EQ(level(0), 0);
  EXPECT_EQ(level(0.49), 0);
  EXPECT_EQ(level(0.51), 100);
  EXPECT_EQ(level(2), 200);
  EXPECT_EQ(level(-5), 0);
  EXPECT_EQ(level(99), 300);
  EXPECT_EQ(level(1, 0.99), 103);
}

TEST_F(Mips, between_levels) {
  object.sampler.mip_filter = linear;
  EXPECT_EQ(level(0.25), 25);
  EXPECT_EQ(level(1.5), 150);
  EXPECT_EQ(level(3.5), 300);
  object.sampler.filter = linear;
  EXPECT_EQ(level(0.5, 0.5), (3.5f + 101.5f) / 2);
}

TEST_F(Mips, bias_and_limits) {
  object.sampler.lod_bias = 1;
  EXPECT_EQ(level(0), 100);
  object.sampler.max_lod = 0;
  EXPECT_EQ(level(2), 0);
  object.sampler.max_lod = 9;
  object.sampler.min_lod = 3;
  EXPECT_EQ(level(0), 300);
}

TEST_F(Mips, whole_coordinates_on_a_level) {
  Lookup lookup = texel({1});
  lookup.levels = true;
  lookup.level = 2;
  EXPECT_EQ(look(object, lookup), 201);
}

TEST_F(Mips, the_level_that_slopes_ask_for) {
  const auto by_slopes = [&](double dx, double dy) {
    Lookup lookup = at({0});
    lookup.slopes.emplace();
    (*lookup.slopes)[0][0] = dx;
    (*lookup.slopes)[1][0] = dy;
    return look(object, lookup);
  };
  EXPECT_EQ(by_slopes(1 / 8.0, 0), 0);     // one texel a step
  EXPECT_EQ(by_slopes(2 / 8.0, 0), 100);   // two
  EXPECT_EQ(by_slopes(0, -4 / 8.0), 200);  // the longer of the two
  EXPECT_EQ(by_slopes(0, 0), 0);
}

struct CubeMap : testing::Test {
  // Texel k of face f is 10 f + k, two by two.
  CubeMap() : image(TextureShape::cubemap, f32_texel, values(), 2, 2, 6) {}
  static std::vector<float> values() {
    std::vector<float> v;
    for (int face = 0; face < 6; ++face)
      for (int k = 0; k < 4; ++k) v.push_back(static_cast<float>(10 * face + k));
    return v;
  }
  TestImage image;
};

TEST_F(CubeMap, nearest_on_every_face) {
  const TextureObject t = texture(image);
  EXPECT_EQ(look(t, direction(1, 0.5, 0.5)), 0);    // s -0.5, t -0.5
  EXPECT_EQ(look(t, direction(-1, 0.5, 0.5)), 11);  // s 0.5, t -0.5
  EXPECT_EQ(look(t, direction(0.5, 1, 0.5)), 23);
  EXPECT_EQ(look(t, direction(0.5, -1, 0.5)), 31);
  EXPECT_EQ(look(t, direction(0.5, 0.5, 1)), 41);
  EXPECT_EQ(look(t, direction(0.5, 0.5, -1)), 50);
  EXPECT_EQ(look(t, direction(4, 2, 2)), 0);  // length does not matter
}

TEST_F(CubeMap, linear_within_a_face) {
  const TextureObject t = texture(image, {.filter = linear});
  EXPECT_EQ(look(t, direction(1, 0, 0)), 1.5);
  EXPECT_EQ(look(t, direction(0, 0, 1)), 41.5);
}

TEST_F(CubeMap, edges_clamp_or_join) {
  TextureObject t = texture(image, {.filter = linear});
  const Lookup lookup = direction(0.875, 0.5, 1);
  // s = (0.875 + 1) / 2 = 0.9375, two texels: 1.875; xB = 1.375: 0.375 of the texel beyond.
  EXPECT_EQ(look(t, lookup), 41);
  t.sampler.seamless_cubemap = true;
  // Right of +z is +x, whose left column (s = -z = -1) in the same row is texel 0.
  EXPECT_EQ(look(t, lookup), 41 * 0.625f);
}

TEST_F(CubeMap, beyond_a_corner_are_three_texels) {
  TextureObject t = texture(image, {.filter = linear});
  t.sampler.seamless_cubemap = true;
  // The corner of +x, +y and +z, from +z: texel 1 of +z, 0 of +x, 3 of +y. The fourth is none: of its 64
  // parts those beyond an edge get 21 each, the face's own 22.
  EXPECT_EQ(look(t, direction(1, 1, 1)), ((64 + 22) * 41 + (64 + 21) * (0 + 23)) / 256.0f);
}

TEST_F(CubeMap, layers_are_of_six_faces) {
  std::vector<float> both = values(), second = values();
  for (float& v : second) v += 100;
  both.insert(both.end(), second.begin(), second.end());
  const TestImage layered(TextureShape::cubemap_layered, f32_texel, both, 2, 2, 12);
  Lookup lookup = direction(0.5, 0.5, -1);
  lookup.layer = 1;
  EXPECT_EQ(look(texture(layered), lookup), 150);
  lookup.layer = 7;
  EXPECT_EQ(look(texture(layered), lookup), 150);
}

TEST(Gather, counter_clockwise_from_the_lower_left) {
  const TestImage image(TextureShape::d2, texel_of(ChannelKind::floating, 32, 2),
                        std::vector<float>{0, 50, 1, 51, 2, 52, 3, 53}, 2, 2);
  const TextureObject t = texture(image);
  const auto bits = [](float value) { return std::bit_cast<uint32_t>(value); };
  EXPECT_EQ(gather(t, t.sampler, at({1, 1}), 0), (Words{bits(2), bits(3), bits(1), bits(0)}));
  EXPECT_EQ(gather(t, t.sampler, at({1, 1}), 1), (Words{bits(52), bits(53), bits(51), bits(50)}));
  // At the corner all four are one texel.
  EXPECT_EQ(gather(t, t.sampler, at({0, 0}), 0), (Words{0, 0, 0, 0}));
  // A channel that the texels do not have.
  EXPECT_EQ(gather(t, t.sampler, at({1, 1}), 3), (Words{bits(1), bits(1), bits(1), bits(1)}));
}

}  // namespace
}  // namespace heddle::exec::interp
