// Filtered textures, by both executors, against what an H100 answered (tests/hw/h100/answers/texture_filters,
// whose program makes the images and places here again).
#include <zstd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "exec/interp/lanes.h"
#include "exec/interp/test_program.h"
#include "exec/jit/executor.h"

namespace heddle {
namespace {

using exec::AddressMode;
using exec::ChannelKind;
using exec::interp::TestProgram;

constexpr uint32_t width = 13, height = 7, depth = 5;
constexpr uint64_t handle = 0x1000'0001;

struct Kind {
  const char* name;
  ChannelKind kind;
  uint8_t bits;
  bool normalized;
};
constexpr Kind kinds[] = {
    {"u8", ChannelKind::unsigned_, 8, false},           {"s8", ChannelKind::signed_, 8, false},
    {"u16", ChannelKind::unsigned_, 16, false},         {"s16", ChannelKind::signed_, 16, false},
    {"u32", ChannelKind::unsigned_, 32, false},         {"s32", ChannelKind::signed_, 32, false},
    {"u8 as float", ChannelKind::unsigned_, 8, true},   {"s8 as float", ChannelKind::signed_, 8, true},
    {"u16 as float", ChannelKind::unsigned_, 16, true}, {"s16 as float", ChannelKind::signed_, 16, true},
    {"f16", ChannelKind::floating, 16, false},          {"f32", ChannelKind::floating, 32, false}};
constexpr std::pair<const char*, AddressMode> modes[] = {{"wrap", AddressMode::wrap},
                                                         {"clamp", AddressMode::clamp_to_edge},
                                                         {"mirror", AddressMode::mirror},
                                                         {"border", AddressMode::clamp_to_border}};

// The rules were found from the first recording; the second, with other images and places, judged them.
constexpr const char* recordings[] = {"texture_filters", "texture_filters_1"};

class Generator {
 public:
  explicit Generator(uint64_t state) : state_(state) {}
  uint32_t number() {
    state_ = state_ * 6364136223846793005 + 1442695040888963407;
    return static_cast<uint32_t>(state_ >> 32);
  }
  std::vector<std::byte> texels(const Kind& kind, std::size_t count) {
    std::vector<std::byte> bytes(count * kind.bits / 8);
    for (std::size_t i = 0; i < count; ++i) {
      uint32_t bits = number();
      if (kind.kind == ChannelKind::floating && kind.bits == 32)
        bits = (bits & 0x807f'ffff) | (120 + (number() >> 16) % 12) << 23;
      if (kind.kind == ChannelKind::floating && kind.bits == 16)
        bits = (bits & 0x83ff) | (10 + (number() >> 16) % 10) << 10;
      std::memcpy(&bytes[i * kind.bits / 8], &bits, kind.bits / 8);
    }
    return bytes;
  }

 private:
  uint64_t state_;
};

using Answers = std::map<std::string, std::vector<uint32_t>>;
Answers recorded(const char* name) {
  std::ifstream in(std::string(HEDDLE_SOURCE_DIR "/tests/hw/h100/answers/") + name + ".txt.zst",
                   std::ios::binary);
  std::stringstream packed;
  packed << in.rdbuf();
  const std::string bytes = packed.str();
  std::string text(ZSTD_getFrameContentSize(bytes.data(), bytes.size()), '\0');
  if (ZSTD_isError(ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size())) != 0) return {};
  Answers answers;
  std::vector<uint32_t>* current = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("D, ") != std::string::npos) {
      current = &answers[line];
      continue;
    }
    std::istringstream words(line);
    for (std::string word; words >> word;)
      current->push_back(static_cast<uint32_t>(std::strtoul(word.c_str(), nullptr, 16)));
  }
  return answers;
}

std::string kernels() {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  for (const char* at : {"1d", "2d", "3d"})
    for (const char* type : {"u32", "s32", "f32"})
      text += std::string(".visible .entry look_") + at + "_" + type +
              R"((.param .u64 image, .param .u64 places, .param .u64 results, .param .u32 count) {
  .reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [image]; ld.param.u64 %rd2, [places]; ld.param.u64 %rd3, [results];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mad.lo.u32 %r2, %r3, 128, %r2;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 ret;
  mul.wide.u32 %rd4, %r2, 12; add.u64 %rd2, %rd2, %rd4;
  mul.wide.u32 %rd4, %r2, 4; add.u64 %rd3, %rd3, %rd4;
  ld.global.f32 %f0, [%rd2]; ld.global.f32 %f1, [%rd2+4]; ld.global.f32 %f2, [%rd2+8];
  tex.)" + at +
              ".v4." + type + ".f32 {%r4, %r5, %r6, %r7}, [%rd1, {" +
              (at[0] == '1'   ? "%f0"
               : at[0] == '2' ? "%f0, %f1"
                              : "%f0, %f1, %f2, %f2") +
              R"(}];
  st.global.b32 [%rd3], %r4;
  ret;
}
)";
  return text;
}

struct Place {
  float x, y, z;
};

class Filtered : public ::testing::TestWithParam<std::tuple<bool, unsigned>> {
 protected:
  Filtered() : program_(kernels()), seed_(std::get<1>(GetParam())), answers_(recorded(recordings[seed_])) {
    places_ = program_.buffer<Place>(1024);
    results_ = program_.buffer<uint32_t>(1024);
  }
  void SetUp() override {
    if (!std::get<0>(GetParam())) return;
    auto executor = exec::jit::make_executor({}, exec::interp::make_executor(),
                                             exec::interp::make_reference_lanes_factory());
    ASSERT_TRUE(executor) << executor.error();
    program_.use(std::move(*executor));
  }

  void ask(const Kind& kind, unsigned axes, AddressMode mode, bool normalized, std::vector<std::byte>& texels,
           std::array<uint32_t, 3> size, const std::vector<Place>& places, const std::string& title) {
    const auto answer = answers_.find(title);
    ASSERT_TRUE(answer != answers_.end() && answer->second.size() == places.size()) << title;
    exec::TextureObject texture;
    texture.image.shape = axes == 1   ? exec::TextureShape::d1
                          : axes == 2 ? exec::TextureShape::d2
                                      : exec::TextureShape::d3;
    texture.image.texel = {kind.kind, {kind.bits, 0, 0, 0}};
    const uint64_t row = uint64_t{size[0]} * kind.bits / 8;
    texture.image.mip[0] = {texels.data(),          size[0], axes > 1 ? size[1] : 0,
                            axes > 2 ? size[2] : 0, row,     row * (axes > 1 ? size[1] : 1)};
    if (kind.normalized) texture.read = exec::ReadMode::normalized_float;
    for (AddressMode& axis : texture.sampler.address) axis = mode;
    texture.sampler.filter = exec::FilterMode::linear;
    texture.sampler.normalized_coordinates = normalized;
    for (float& channel : texture.sampler.border) channel = 0.7f;
    program_.services.textures[handle] = texture;
    std::copy(places.begin(), places.end(), places_.data);
    const bool real = kind.normalized || kind.kind == ChannelKind::floating;
    const std::string kernel = "look_" + std::to_string(axes) + "d_" +
                               (real                                ? "f32"
                                : kind.kind == ChannelKind::signed_ ? "s32"
                                                                    : "u32");
    const auto count = static_cast<uint32_t>(places.size());
    const auto outcome = program_.run(kernel, {.grid = {(count + 127) / 128}, .block = {128}}, handle,
                                      places_, results_, count);
    ASSERT_TRUE(outcome.ok()) << title << ": " << outcome.error().message();
    for (std::size_t i = 0; i < places.size(); ++i) compare(title, i, results_[i], answer->second[i]);
  }

  void compare(const std::string& title, std::size_t i, uint32_t got, uint32_t expected) {
    ++asked_;
    if (got == expected) return;
    if (++shown_ <= 20)
      ADD_FAILURE() << title << ", word " << i << std::hex << ": " << got << " not " << expected;
    else
      FAIL() << "and more";
  }

  TestProgram program_;
  const unsigned seed_;
  Answers answers_;
  exec::interp::Buffer<Place> places_;
  exec::interp::Buffer<uint32_t> results_;
  std::size_t asked_ = 0, shown_ = 0;
};

TEST_P(Filtered, AsAnH100) {
  for (const Kind& kind : kinds) {
    Generator two_of(1 + 1000 * seed_);
    for (int pair = 0; pair < 4; ++pair) {
      std::vector<std::byte> two = two_of.texels(kind, 2);
      if (pair == 3 && kind.bits < 32 && kind.kind != ChannelKind::floating)
        for (std::size_t b = 0; b < kind.bits / 8U; ++b) {
          two[b] = std::byte{0};
          two[kind.bits / 8U + b] = std::byte{255};
        }
      std::vector<Place> along;
      for (int i = 0; i <= 512; ++i) along.push_back({0.5f + static_cast<float>(i) / 512.f, 0, 0});
      uint32_t a = 0, b = 0;
      std::memcpy(&a, two.data(), kind.bits / 8U);
      std::memcpy(&b, two.data() + kind.bits / 8U, kind.bits / 8U);
      char title[80];
      std::snprintf(title, sizeof title, "%s, 1D, clamp, from %x to %x", kind.name, a, b);
      ask(kind, 1, AddressMode::clamp_to_edge, false, two, {2, 1, 1}, along, title);
    }
    for (unsigned axes = 1; axes <= 3; ++axes)
      for (unsigned mode = 0; mode < 4; ++mode)
        for (const bool normalized : {false, true}) {
          if (!normalized && mode % 2 == 0) continue;
          Generator random(axes * 100 + mode * 10 + (normalized ? 1 : 0) + 1000 * seed_);
          std::vector<std::byte> image = random.texels(kind, width * height * depth);
          std::vector<Place> anywhere;
          for (int i = 0; i < 256; ++i) {
            const auto coordinate = [&](uint32_t size) {
              const auto steps = static_cast<int32_t>((random.number() >> 8) % (3 << 16)) - (1 << 16);
              const float whole = static_cast<float>(steps) / 65536.f;
              return normalized ? whole : whole * static_cast<float>(size);
            };
            const float x = coordinate(width), y = coordinate(height), z = coordinate(depth);
            anywhere.push_back({x, y, z});
          }
          ask(kind, axes, modes[mode].second, normalized, image, {width, height, depth}, anywhere,
              std::string(kind.name) + ", " + std::to_string(axes) + "D, " + modes[mode].first +
                  (normalized ? ", normalized" : ""));
        }
  }
  EXPECT_EQ(asked_, 79'920U);
}

INSTANTIATE_TEST_SUITE_P(, Filtered, ::testing::Combine(::testing::Bool(), ::testing::Values(0u, 1u)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param) ? "Fast" : "Reference") +
                                  std::to_string(std::get<1>(test.param));
                         });

}  // namespace
}  // namespace heddle
