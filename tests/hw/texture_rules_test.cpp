// Textures at the places where what they give changes, by both executors, against an H200
// (tests/hw/h200/textures).
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <sstream>

#include "exec/interp/lanes.h"
#include "exec/interp/test_program.h"
#include "exec/jit/executor.h"

namespace heddle {
namespace {

using exec::AddressMode;
using exec::ChannelKind;
using exec::FilterMode;
using exec::interp::TestProgram;

template <class T>
std::vector<T> recorded(const std::string& name) {
  std::ifstream in(HEDDLE_SOURCE_DIR "/tests/hw/h200/textures/" + name + ".zst", std::ios::binary);
  std::stringstream packed;
  packed << in.rdbuf();
  const std::string bytes = packed.str();
  const auto size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (bytes.empty() || size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) return {};
  std::vector<T> values(size / sizeof(T));
  if (ZSTD_isError(ZSTD_decompress(values.data(), size, bytes.data(), bytes.size())) != 0) return {};
  return values;
}

constexpr uint64_t handle = 0x1000'0001;
std::string kernels() {
  struct Look {
    const char *geometry, *bytes, *load, *at;
  };
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  for (const Look& look :
       {Look{"1d", "8", "ld.global.v2.f32 {%f0, %f1}, [%rd2];", "{%f0}"},
        Look{"2d", "8", "ld.global.v2.f32 {%f0, %f1}, [%rd2];", "{%f0, %f1}"},
        Look{"cube", "12",
             "ld.global.f32 %f0, [%rd2]; ld.global.f32 %f1, [%rd2+4]; ld.global.f32 %f2, [%rd2+8];",
             "{%f0, %f1, %f2, %f2}"}})
    text += std::string(".visible .entry look_") + look.geometry +
            R"((.param .u64 image, .param .u64 places, .param .u64 results, .param .u32 count) {
  .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [places]; ld.param.u64 %rd3, [results];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r2, %r3, 128, %r2;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 ret;
  mul.wide.u32 %rd4, %r2, )" +
            look.bytes + R"(; add.u64 %rd2, %rd2, %rd4;
  mul.wide.u32 %rd4, %r2, 4; add.u64 %rd3, %rd3, %rd4;
  )" + look.load +
            "\n  tex." + look.geometry + ".v4.f32.f32 {%r4, %r5, %r6, %r7}, [%rd1, " + look.at + R"(];
  st.global.b32 [%rd3], %r4;
  ret;
}
)";
  return text;
}

struct Place {
  float x, y;
};

class Textures : public ::testing::TestWithParam<bool> {
 protected:
  Textures() : program_(kernels()) {
    texture_.image.shape = exec::TextureShape::d2;
    for (AddressMode& axis : texture_.sampler.address) axis = AddressMode::clamp_to_edge;
  }
  void SetUp() override {
    if (!GetParam()) return;
    auto executor = exec::jit::make_executor({}, exec::interp::make_executor(),
                                             exec::interp::make_reference_lanes_factory());
    ASSERT_TRUE(executor) << executor.error();
    program_.use(std::move(*executor));
  }
  template <class T>
  void set_image(ChannelKind kind, std::vector<T>& texels, uint64_t width, uint64_t height) {
    texture_.image.texel = {kind, {8 * sizeof(T), 0, 0, 0}};
    texture_.image.mip[0] = {reinterpret_cast<std::byte*>(texels.data()),
                             width,
                             height,
                             0,
                             width * sizeof(T),
                             width * height * sizeof(T)};
  }
  std::vector<uint32_t> look(const std::vector<Place>& at) {
    return look(texture_.image.shape == exec::TextureShape::d1 ? "look_1d" : "look_2d", at);
  }
  template <class At>
  std::vector<uint32_t> look(const char* kernel, const std::vector<At>& at) {
    program_.services.textures[handle] = texture_;
    const auto places = program_.buffer(at);
    const auto results = program_.buffer<uint32_t>(at.size());
    const auto count = static_cast<uint32_t>(at.size());
    const auto outcome =
        program_.run(kernel, {.grid = {(count + 127) / 128}, .block = {128}}, handle, places, results, count);
    EXPECT_TRUE(outcome.ok()) << outcome.error().message();
    return results.values();
  }
  TestProgram program_;
  exec::TextureObject texture_;
};

// All pairs of signed bytes that are read as floats, at some weights: 15 bits, as a fraction.
TEST_P(Textures, FilterSignedBytesAsAnH200) {
  const auto answers = recorded<int16_t>("signed_bytes");
  constexpr int weights[] = {1, 77, 128, 200};
  ASSERT_EQ(answers.size(), 4 * 65536U);
  std::vector<int8_t> texels(2 * 65536);
  for (unsigned i = 0; i < 65536; ++i)
    texels[2 * i] = static_cast<int8_t>(i / 256), texels[2 * i + 1] = static_cast<int8_t>(i % 256);
  set_image(ChannelKind::signed_, texels, 256, 512);
  texture_.read = exec::ReadMode::normalized_float;
  texture_.sampler.filter = FilterMode::linear;
  std::size_t differ = 0;
  for (std::size_t w = 0; w < 4; ++w) {
    std::vector<Place> at;
    for (unsigned i = 0; i < 65536; ++i)
      at.push_back({2 * static_cast<float>(i % 128) + 0.5f + static_cast<float>(weights[w]) / 256,
                    static_cast<float>(i / 128) + 0.5f});
    const auto got = look(at);
    for (std::size_t i = 0; i < 65536; ++i)
      differ += std::lrint(std::bit_cast<float>(got[i]) * 32767) != answers[w * 65536 + i];
  }
  EXPECT_EQ(differ, 0U);
}

// The smallest coordinate of each texel, and the largest one before it.
TEST_P(Textures, CutNormalisedCoordinatesAsAnH200) {
  const auto answers = recorded<uint32_t>("thresholds");
  ASSERT_FALSE(answers.empty());
  texture_.sampler.normalized_coordinates = true;
  std::size_t asked = 0;
  for (std::size_t next = 0; next + 4 <= answers.size();) {
    const uint32_t size = answers[next], axis = answers[next + 1], step = answers[next + 2],
                   count = answers[next + 3];
    next += 4;
    std::vector<float> texels(size);
    for (uint32_t i = 0; i < size; ++i) texels[i] = static_cast<float>(i);
    set_image(ChannelKind::floating, texels, axis == 0 ? size : 1, axis == 0 ? 1 : size);
    std::vector<Place> at;
    for (uint32_t i = 0; i < count; ++i)
      for (const uint32_t before : {0U, 1U}) {
        const float place = std::bit_cast<float>(answers[next + i] - before);
        at.push_back(axis == 0 ? Place{place, 0} : Place{0, place});
      }
    if (count == 0) continue;
    const auto got = look(at);
    for (uint32_t i = 0; i < count; ++i) {
      const auto texel = static_cast<float>(1 + i * step);
      ASSERT_EQ(std::bit_cast<float>(got[2 * i]), texel) << size << " texels, axis " << axis;
      ASSERT_LT(std::bit_cast<float>(got[2 * i + 1]), texel) << size << " texels, axis " << axis;
      asked += 2;
    }
    next += count;
  }
  EXPECT_GT(asked, 10'000U);
}

// The smallest coordinate at which a filter gives each 256th between two texels.
TEST_P(Textures, WeighNormalisedCoordinatesAsAnH200) {
  const auto answers = recorded<uint32_t>("steps");
  ASSERT_FALSE(answers.empty());
  texture_.sampler.normalized_coordinates = true;
  texture_.sampler.filter = FilterMode::linear;
  for (std::size_t next = 0; next + 258 <= answers.size(); next += 258) {
    const uint32_t size = answers[next], first = answers[next + 1];
    std::vector<float> texels(size);
    for (uint32_t i = 0; i < size; ++i) texels[i] = static_cast<float>(i);
    set_image(ChannelKind::floating, texels, size, 1);
    std::vector<Place> at;
    for (uint32_t j = 1; j < 256; ++j)
      for (const uint32_t before : {0U, 1U})
        at.push_back({std::bit_cast<float>(answers[next + 2 + j] - before), 0.5f});
    const auto got = look(at);
    for (uint32_t j = 1; j < 256; ++j) {
      const float value = static_cast<float>(first) + static_cast<float>(j) / 256;
      ASSERT_GE(std::bit_cast<float>(got[2 * j - 2]), value) << size << " texels, behind " << first;
      ASSERT_LT(std::bit_cast<float>(got[2 * j - 1]), value) << size << " texels, behind " << first;
    }
  }
}

// Coordinates of many turns, near the edges of texels and anywhere, below zero and subnormal ones: what each
// addressing mode makes of them.
TEST_P(Textures, FoldCoordinatesAsAnH200) {
  const auto places = recorded<float>("folded_places"), answers = recorded<float>("folded_answers");
  constexpr std::size_t count = 4096;
  constexpr uint32_t sizes[] = {3, 5, 100, 4097, 10000, 65536};
  constexpr AddressMode modes[] = {AddressMode::wrap, AddressMode::clamp_to_edge, AddressMode::mirror,
                                   AddressMode::clamp_to_border};
  ASSERT_EQ(places.size(), std::size(sizes) * count);
  ASSERT_EQ(answers.size(), places.size() * 8);
  texture_.image.shape = exec::TextureShape::d1;
  texture_.sampler.normalized_coordinates = true;
  auto answer = answers.begin();
  for (std::size_t s = 0; s < std::size(sizes); ++s) {
    std::vector<float> texels(sizes[s]);
    for (uint32_t i = 0; i < sizes[s]; ++i) texels[i] = static_cast<float>(i);
    set_image(ChannelKind::floating, texels, sizes[s], 0);
    std::vector<Place> at;
    for (std::size_t i = 0; i < count; ++i) at.push_back({places[s * count + i], 0});
    for (const FilterMode filter : {FilterMode::nearest, FilterMode::linear})
      for (const AddressMode mode : modes) {
        texture_.sampler.filter = filter;
        for (AddressMode& axis : texture_.sampler.address) axis = mode;
        const auto got = look(at);
        std::size_t differ = 0;
        for (std::size_t i = 0; i < count; ++i, ++answer) {
          if (std::bit_cast<float>(got[i]) == *answer) continue;
          if (++differ <= 3)
            ADD_FAILURE() << sizes[s] << " texels, mode " << static_cast<int>(mode) << ", filter "
                          << static_cast<int>(filter) << ": at " << at[i].x << " "
                          << std::bit_cast<float>(got[i]) << " not " << *answer;
        }
        EXPECT_EQ(differ, 0U);
      }
  }
}

// Pairs of floats about the smallest normal one, at 32 places between them.
TEST_P(Textures, TakeSubnormalsForZeroAsAnH200) {
  for (const bool filtered : {true, false}) {
    const auto answers = recorded<uint32_t>(filtered ? "subnormals" : "subnormals_point");
    constexpr uint32_t bits[] = {0,         0x8000'0000, 1,           0x8000'0001, 0x1000,     0x40'0000,
                                 0x7f'ffff, 0x807f'ffff, 0x80'0000,   0x8080'0000, 0x80'0001,  0x8080'0001,
                                 0xff'ffff, 0x100'0000,  0x8100'0000, 0x180'0000,  0x200'0000, 0x3f80'0000};
    std::vector<uint32_t> texels;
    for (const uint32_t a : bits)
      for (const uint32_t b : bits) texels.push_back(a), texels.push_back(b);
    ASSERT_EQ(answers.size(), texels.size() / 2 * 32);
    set_image(ChannelKind::floating, texels, 2, texels.size() / 2);
    texture_.sampler.filter = filtered ? FilterMode::linear : FilterMode::nearest;
    std::vector<Place> at;
    for (std::size_t i = 0; i < answers.size(); ++i)
      at.push_back({0.5f + static_cast<float>(i % 32) / 32, static_cast<float>(i / 32) + 0.5f});
    EXPECT_EQ(look(at), answers) << (filtered ? "filtered" : "as they are");
  }
}

// Directions into cube maps of three sizes: the nearest texel, a filter, a filter over a face's edge.
TEST_P(Textures, FindFacesAsAnH100) {
  struct Direction {
    float x, y, z;
  };
  const auto directions = recorded<Direction>("cube_directions");
  const auto answers = recorded<uint32_t>("cube_answers");
  constexpr uint32_t sizes[] = {8, 100, 1000};
  const char* const ways[] = {"the nearest texel", "filtered", "filtered over edges"};
  const std::size_t count = directions.size() / std::size(sizes);
  ASSERT_EQ(count, 12288U);
  ASSERT_EQ(answers.size(), 3 * directions.size());
  texture_.sampler.normalized_coordinates = true;
  auto answer = answers.begin();
  for (std::size_t s = 0; s < std::size(sizes); ++s) {
    const std::vector<Direction> at(directions.begin() + static_cast<std::ptrdiff_t>(s * count),
                                    directions.begin() + static_cast<std::ptrdiff_t>((s + 1) * count));
    const uint32_t size = sizes[s];
    for (std::size_t way = 0; way < 3; ++way) {
      std::vector<float> texels(6 * std::size_t{size} * size);
      for (uint32_t i = 0; i < texels.size(); ++i)
        texels[i] = static_cast<float>(way == 0 ? i : i * 2654435761U >> 20);
      set_image(ChannelKind::floating, texels, size, size);
      texture_.image.mip[0].depth = 6;
      texture_.sampler.filter = way == 0 ? FilterMode::nearest : FilterMode::linear;
      texture_.sampler.seamless_cubemap = way == 2;
      const auto got = look("look_cube", at);
      std::size_t differ = 0;
      for (std::size_t i = 0; i < count; ++i, ++answer) {
        if (got[i] == *answer) continue;
        if (++differ <= 3)
          ADD_FAILURE() << size << " texels, " << ways[way] << ": at " << at[i].x << " " << at[i].y << " "
                        << at[i].z << " " << std::bit_cast<float>(got[i]) << " not "
                        << std::bit_cast<float>(*answer);
      }
      EXPECT_EQ(differ, 0U) << size << " texels, " << ways[way];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Textures, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Fast" : "Reference"; });

}  // namespace
}  // namespace heddle
