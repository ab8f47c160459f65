// Random textures looked at by the fast executor and by the reference executor: geometries, formats, filters,
// addressing, coordinates of all kinds, lanes that stay away and lanes with textures of their own.
//
// HEDDLE_SEEDS=FIRST,COUNT looks at other textures than those of every day.
#include <gtest/gtest.h>

#include <bit>
#include <mutex>
#include <set>
#include <tuple>

#include "observe/texels.h"
#include "random_image.h"

namespace heddle {
namespace {

using exec::AddressMode;
using exec::FilterMode;
using exec::Sampler;
using exec::TextureObject;
using exec::TextureShape;

struct Geometry {
  const char* word;
  TextureShape shape;
  unsigned axes;  // coordinates
  bool array, cube;
};
constexpr Geometry geometries[] = {
    {"1d", TextureShape::d1, 1, false, false},
    {"2d", TextureShape::d2, 2, false, false},
    {"3d", TextureShape::d3, 3, false, false},
    {"a1d", TextureShape::d1_layered, 1, true, false},
    {"a2d", TextureShape::d2_layered, 2, true, false},
    {"cube", TextureShape::cubemap, 3, false, true},
    {"acube", TextureShape::cubemap_layered, 3, true, true},
};
enum class Form : uint8_t { base, level, slopes, whole };
constexpr std::size_t form_count = 4;

// One kernel of every geometry and form. A thread's eight words: layer and coordinates, the level, which
// texture, whether it comes.
std::string coordinates(const Geometry& g, bool whole) {
  std::string text = g.array ? "%r8" : "";
  unsigned given = g.array ? 1 : 0;
  for (unsigned i = 0; i < g.axes; ++i, ++given)
    text += std::string(text.empty() ? "" : ", ") + (whole ? "%r" : "%f") + std::to_string(i);
  const std::string last = whole ? "%r0" : "%f0";
  if (given == 3) text += ", " + last;
  return "{" + text + "}";
}
std::string instruction(const Geometry& g, Form form, bool sampler) {
  const bool whole = form == Form::whole;
  const std::string mip = form == Form::level ? ".level" : form == Form::slopes ? ".grad" : "";
  std::string text = "tex" + mip + "." + g.word + ".v4.u32" + (whole ? ".s32" : ".f32") +
                     " {%r4, %r5, %r6, %r7}, [%rd3, " + (sampler ? "%rd7, " : "") + coordinates(g, whole) +
                     "]";
  if (form == Form::level) text += ", %f3";
  if (form == Form::slopes) {
    const std::string slope = g.axes == 1 ? "{%f3}" : g.axes == 2 ? "{%f3, %f4}" : "{%f3, %f4, %f3, %f3}";
    text += ", " + slope + ", " + slope;
  }
  return text + ";";
}
std::string kernel_name(const Geometry& g, Form form) {
  return std::string("k_") + g.word + "_" + std::to_string(static_cast<int>(form));
}
bool exists(const Geometry& g, Form form) { return !(g.cube && form == Form::whole); }

std::string program_text(bool sampler) {
  std::string text = ".version 8.0\n.target sm_90" + std::string(sampler ? ", texmode_independent" : "") +
                     "\n.address_size 64\n";
  for (const Geometry& g : geometries)
    for (std::size_t f = 0; f < form_count; ++f) {
      const auto form = static_cast<Form>(f);
      if (!exists(g, form)) continue;
      text += ".visible .entry " + kernel_name(g, form) +
              "(.param .u64 in, .param .u64 out, .param .u64 first, .param .u64 second, .param .u64 samp) {\n"
              R"(  .reg .pred %p<3>;
  .reg .f32 %f<8>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [first];
  ld.param.u64 %rd5, [second];
  ld.param.u64 %rd7, [samp];
  mov.u32 %r9, %tid.x;
  mul.wide.u32 %rd4, %r9, 32;
  add.u64 %rd1, %rd1, %rd4;
  mul.wide.u32 %rd4, %r9, 16;
  add.u64 %rd2, %rd2, %rd4;
  ld.global.v4.b32 {%r0, %r1, %r2, %r8}, [%rd1];
  ld.global.v2.f32 {%f3, %f4}, [%rd1+16];
  ld.global.v2.b32 {%r10, %r11}, [%rd1+24];
  mov.b32 %f0, %r0;
  mov.b32 %f1, %r1;
  mov.b32 %f2, %r2;
  mov.b32 %r4, 1; mov.b32 %r5, 2; mov.b32 %r6, 3; mov.b32 %r7, 4;
  setp.ne.u32 %p1, %r10, 0;
  @%p1 mov.u64 %rd3, %rd5;
  setp.ne.u32 %p2, %r11, 0;
  @%p2 )" + instruction(g, form, sampler) +
              R"(
  st.global.v4.b32 [%rd2], {%r4, %r5, %r6, %r7};
  ret;
}
)";
    }
  return text;
}

struct Picture {
  std::vector<std::vector<std::byte>> levels;
  TextureObject texture;
};

Sampler random_sampler(Random& random) {
  Sampler sampler;
  for (AddressMode& mode : sampler.address)
    mode = random.one_of(
        {AddressMode::wrap, AddressMode::mirror, AddressMode::clamp_to_edge, AddressMode::clamp_to_border});
  sampler.filter = random.once_in(2) ? FilterMode::linear : FilterMode::nearest;
  sampler.mip_filter = random.once_in(2) ? FilterMode::linear : FilterMode::nearest;
  sampler.normalized_coordinates = random.once_in(2);
  sampler.seamless_cubemap = random.once_in(2);
  sampler.lod_bias = random.once_in(4) ? random.real(-1, 1) : 0;
  if (random.once_in(2))
    for (float& channel : sampler.border) channel = random.real(-2, 2);
  return sampler;
}

Picture random_picture(Random& random, const Geometry& g, bool pixels) {
  Picture picture;
  TextureObject& texture = picture.texture;
  exec::TexelArray& image = texture.image;
  const auto bits = random.one_of<uint8_t>({8, 16, 32});
  auto kind = random.one_of({ChannelKind::unsigned_, ChannelKind::signed_, ChannelKind::floating});
  if (bits == 8 && kind == ChannelKind::floating) kind = ChannelKind::unsigned_;
  image.texel = exec::interp::texel_of(kind, bits, random.one_of({1, 2, 4}));
  if (pixels) {
    unsigned bytes = 0;
    image.pixel = random_pixel(random, bytes);
    image.texel = texel_of_bytes(bytes);
    kind = image.pixel.type == 0x10de || image.pixel.type == 0x10dd ? ChannelKind::floating
                                                                    : ChannelKind::unsigned_;
  }
  image.shape = g.shape;
  if (g.axes == 1 && !g.array && random.once_in(3)) image.shape = TextureShape::linear_buffer;
  if (g.axes == 2 && !g.array && random.once_in(3)) image.shape = TextureShape::d2_pitched;
  if (random.once_in(2)) texture.read = exec::ReadMode::normalized_float;
  texture.srgb = random.once_in(8);
  texture.sampler = random_sampler(random);
  const bool flat = image.shape == TextureShape::linear_buffer || image.shape == TextureShape::d2_pitched;
  const uint32_t layers = g.array ? 1 + random.below(3) : 1;
  uint64_t width = 1 + random.below(9), height = g.axes > 1 ? 1 + random.below(9) : 0;
  if (g.cube) height = width;
  uint64_t depth = g.cube ? 6 * layers : g.axes == 3 ? 1 + random.below(6) : g.array ? layers : 0;
  image.levels = !flat && random.once_in(4) ? 1 + random.below(3) : 1;
  if (image.levels > 1) texture.sampler.normalized_coordinates = true;
  for (uint32_t level = 0; level < image.levels; ++level) {
    const uint64_t row = width * image.texel.bytes() + 16 * random.below(3);
    const uint64_t slice = row * std::max<uint64_t>(1, height) + 16 * random.below(2);
    Texel filled = image.texel;
    filled.kind = kind;
    if (image.pixel.type == 0x10dd) filled.bits[0] = 16;
    picture.levels.push_back(content(random, filled, slice * std::max<uint64_t>(1, depth) + 16));
    image.mip[level] = {picture.levels.back().data(), width, height, depth, row, slice};
    width = std::max<uint64_t>(1, width / 2);
    if (height != 0) height = std::max<uint64_t>(1, height / 2);
    if (g.axes == 3 && !g.cube) depth = std::max<uint64_t>(1, depth / 2);
  }
  return picture;
}

float random_coordinate(Random& random, bool normalized) {
  const float scale = normalized ? 0.125f : 1;
  switch (random.below(10)) {
    case 0:
      return random.one_of({NAN, INFINITY, -INFINITY, 0.0f, -0.0f, 1.0f, -1.0f, 0x1p-149f, -1e-20f, 3e38f,
                            -3e38f, 2147483648.0f, -2147483648.0f, 8388609.0f, 4294967296.0f, 1e15f});
    case 1: return std::bit_cast<float>(random.word());
    case 2: return scale * (static_cast<float>(random.below(24)) - 8);
    case 3: return scale * (static_cast<float>(random.below(24)) - 7.5f);
    case 4: return scale * (static_cast<float>(random.below(24 * 512)) / 512 - 8);
    default: return random.real(-8 * scale, 16 * scale);
  }
}

std::vector<uint32_t> random_input(Random& random, const Geometry& g, Form form, uint32_t threads,
                                   bool normalized) {
  std::vector<uint32_t> in;
  const bool mixed = random.once_in(4), sparse = random.once_in(2), middles = random.once_in(6);
  for (uint32_t t = 0; t < threads; ++t) {
    for (int i = 0; i < 3; ++i)
      in.push_back(form == Form::whole
                       ? (random.once_in(8) ? random.word() : random.below(20) - 5)
                       : std::bit_cast<uint32_t>(middles ? static_cast<float>(random.below(12)) - 1.5f
                                                         : random_coordinate(random, normalized && !g.cube)));
    in.push_back(random.once_in(8) ? random.word() : random.below(4));  // layer
    in.push_back(std::bit_cast<uint32_t>(random.once_in(8) ? random_coordinate(random, false)
                                                           : random.real(-0.5f, 2.5f)));
    in.push_back(std::bit_cast<uint32_t>(random.real(-1, 1)));
    in.push_back(mixed ? random.below(2) : 0);
    in.push_back(sparse ? random.below(2) : 1);
  }
  return in;
}

// Which texels each lane looked at.
class Looks final : public observe::Observer, private observe::Sink, private observe::TexelSink {
 public:
  using Texel = std::tuple<uint32_t, uint32_t, uint64_t, uint32_t>;  // warp, lane, address, bytes
  std::multiset<Texel> texels;
  std::map<uint32_t, observe::Mask> lanes;  // by warp

 private:
  observe::Needs needs() const override { return observe::nothing; }
  observe::Sink& sink() override { return *this; }
  void look(const observe::Look& look) override {
    const std::lock_guard lock(mutex_);
    lanes[look.warp] |= look.lanes;
    for (const observe::Texel& texel : look.texels)
      texels.insert({look.warp, texel.lane, texel.address, texel.bytes});
  }
  std::mutex mutex_;
};

constexpr uint32_t threads = image_threads;
constexpr uint64_t first = 0x1000'0001, second = 0x1000'0002, samp = 0x2000'0001;

void compare(bool independent, const std::string& cpu, uint64_t first_seed, uint64_t count) {
  const std::string text = program_text(independent);
  Side reference(text), native(text);
  auto executor = native_executor(cpu);
  if (!executor.ok()) GTEST_SKIP() << executor.error();
  native.program.use(std::move(executor.value()));
  for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    Random random(seed);
    const Geometry& g = geometries[seed % std::size(geometries)];
    const auto form = static_cast<Form>(seed / std::size(geometries) % form_count);
    if (!exists(g, form)) continue;
    const bool pixels = independent && random.once_in(2);
    const Picture one = random_picture(random, g, pixels), other = random_picture(random, g, pixels);
    Sampler sampler = random_sampler(random);
    if (one.texture.image.levels > 1 || other.texture.image.levels > 1) sampler.normalized_coordinates = true;
    const auto in = random_input(random, g, form, threads, sampler.normalized_coordinates);
    const bool missing = random.once_in(16);
    std::string said[2];
    Looks looks[2];
    int i = 0;
    for (Side* side : {&reference, &native}) {
      side->program.services.textures[first] = one.texture;
      side->program.services.textures[second] = other.texture;
      if (missing) side->program.services.textures.erase(second);
      side->program.services.samplers[samp] = sampler;
      std::ranges::copy(in, side->in.data);
      std::fill_n(side->out.data, side->out.count, 0);
      side->program.settings.observer = &looks[i];
      const auto result = side->program.run(kernel_name(g, form), {.block = {threads}}, side->in, side->out,
                                            first, second, samp);
      if (!result.ok()) said[i] = result.error().message();
      ++i;
    }
    const std::string name = kernel_name(g, form) + ", seed " + std::to_string(seed);
    EXPECT_EQ(said[1], said[0]) << name;
    if (!said[0].empty()) continue;
    ASSERT_EQ(looks[1].texels, looks[0].texels) << name;
    ASSERT_EQ(looks[1].lanes, looks[0].lanes) << name;
    for (std::size_t w = 0; w < reference.out.count; ++w)
      ASSERT_EQ(native.out[w], reference.out[w])
          << std::hex << native.out[w] << " not " << reference.out[w] << std::dec << ": component " << w % 4
          << " of thread " << w / 4 << ", " << name;
  }
}

class Textures : public testing::TestWithParam<const char*> {};

TEST_P(Textures, AreTheSameWithSamplersOfTheirOwn) {
  const auto [from, count] = image_seeds(800);
  compare(false, GetParam(), from, count);
}
TEST_P(Textures, AreTheSameWithSamplersOfTheInstruction) {
  const auto [from, count] = image_seeds(800);
  compare(true, GetParam(), from + 1'000'000, count);
}
INSTANTIATE_TEST_SUITE_P(OnEveryHost, Textures, testing::Values("x86-64-v2", "avx2", "avx512"), name_of_cpu);

}  // namespace
}  // namespace heddle
