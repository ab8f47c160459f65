// Random surfaces loaded from and stored to by the fast executor and by the reference executor.
//
// HEDDLE_SEEDS=FIRST,COUNT takes other surfaces than those of every day.
#include <gtest/gtest.h>

#include "random_image.h"

namespace heddle {
namespace {

using exec::SurfaceObject;
using exec::TextureShape;

struct Geometry {
  const char* word;
  TextureShape shape;
  unsigned axes;
  bool array;
};
constexpr Geometry geometries[] = {
    {"1d", TextureShape::d1, 1, false},         {"2d", TextureShape::d2, 2, false},
    {"3d", TextureShape::d3, 3, false},         {"a1d", TextureShape::d1_layered, 1, true},
    {"a2d", TextureShape::d2_layered, 2, true},
};
constexpr const char* outsides[] = {"zero", "clamp", "trap"};
struct Access {
  const char* words;
  unsigned bytes, registers;
  bool wide, formatted;
};
constexpr Access accesses[] = {
    {"b8", 1, 1, false, false},     {"b16", 2, 1, false, false},     {"b32", 4, 1, false, false},
    {"v2.b32", 8, 2, false, false}, {"v4.b32", 16, 4, false, false}, {"v4.b8", 4, 4, false, false},
    {"b64", 8, 1, true, false},     {"v2.b64", 16, 2, true, false},  {"v4.b32", 0, 4, false, true},
    {"b32", 0, 1, false, true},
};

// A thread's eight words: x, y, z, layer, whether it comes, and three of data.
std::string kernel_text(const std::string& name, const Geometry& g, const Access& access,
                        const char* outside) {
  std::string at = g.array ? "%r3" : "";
  unsigned given = g.array ? 1 : 0;
  for (unsigned i = 0; i < g.axes; ++i, ++given)
    at += std::string(at.empty() ? "" : ", ") + "%r" + std::to_string(i);
  if (given == 3) at += ", %r0";
  std::string values;
  for (unsigned i = 0; i < access.registers; ++i)
    values += std::string(i == 0 ? "" : ", ") + (access.wide ? "%rd" : "%r") +
              std::to_string((access.wide ? 5 : 8) + i);
  const std::string place = "[%rd3, {" + at + "}]";
  const std::string rest = std::string(g.word) + "." + access.words + "." + outside + " ";
  std::string body;
  if (!access.formatted) body += "  @%p1 suld.b." + rest + "{" + values + "}, " + place + ";\n";
  if (access.wide) body += "  mov.b64 {%r8, %r9}, %rd5; mov.b64 {%r10, %r11}, %rd6;\n";
  body += "  st.global.v4.b32 [%rd2], {%r8, %r9, %r10, %r11};\n";
  body += "  mov.b32 %r8, %r5; mov.b32 %r9, %r6; mov.b32 %r10, %r7; xor.b32 %r11, %r5, %r6;\n";
  if (access.wide) body += "  mov.b64 %rd5, {%r8, %r9}; mov.b64 %rd6, {%r10, %r11};\n";
  body +=
      "  @%p1 sust." + std::string(access.formatted ? "p." : "b.") + rest + place + ", {" + values + "};\n";
  return ".visible .entry " + name + R"((.param .u64 in, .param .u64 out, .param .u64 surf) {
  .reg .pred %p<2>;
  .reg .b32 %r<13>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [surf];
  mov.u32 %r12, %tid.x;
  mul.wide.u32 %rd4, %r12, 32;
  add.u64 %rd1, %rd1, %rd4;
  mul.wide.u32 %rd4, %r12, 16;
  add.u64 %rd2, %rd2, %rd4;
  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1];
  ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%rd1+16];
  mov.b32 %r8, 1; mov.b32 %r9, 2; mov.b32 %r10, 3; mov.b32 %r11, 4;
  mov.b64 %rd5, 5; mov.b64 %rd6, 6;
  setp.ne.u32 %p1, %r4, 0;
)" + body +
         "  ret;\n}\n";
}

constexpr uint32_t threads = image_threads;
constexpr uint64_t handle = 0x3000'0001;

uint32_t random_place(Random& random, uint32_t near, uint32_t multiple, bool wild) {
  if (wild && random.once_in(6)) return random.word();
  if (wild) return (random.below(near + 4) - 2) * multiple;
  return random.below(near) * multiple;
}

void compare(const std::string& cpu, uint64_t first_seed, uint64_t count) {
  std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n";
  std::vector<std::string> names;
  const auto name_of = [](std::size_t g, std::size_t a, std::size_t o) {
    return "k_" + std::to_string(g) + "_" + std::to_string(a) + "_" + std::to_string(o);
  };
  for (std::size_t g = 0; g < std::size(geometries); ++g)
    for (std::size_t a = 0; a < std::size(accesses); ++a)
      for (std::size_t o = 0; o < std::size(outsides); ++o)
        text += kernel_text(name_of(g, a, o), geometries[g], accesses[a], outsides[o]);
  Side reference(text), native(text);
  auto executor = native_executor(cpu);
  if (!executor.ok()) GTEST_SKIP() << executor.error();
  native.program.use(std::move(executor.value()));
  for (uint64_t seed = first_seed; seed < first_seed + count; ++seed) {
    Random random(seed);
    const uint32_t g = random.below(std::size(geometries)), a = random.below(std::size(accesses)),
                   o = random.below(std::size(outsides));
    const Geometry& geometry = geometries[g];
    const Access& access = accesses[a];
    SurfaceObject surface;
    exec::TexelArray& image = surface.image;
    image.shape = geometry.shape;
    const auto bits = random.one_of<uint8_t>({8, 16, 32});
    auto kind = random.one_of({ChannelKind::unsigned_, ChannelKind::signed_, ChannelKind::floating});
    if (bits == 8 && kind == ChannelKind::floating) kind = ChannelKind::signed_;
    image.texel = exec::interp::texel_of(kind, bits, random.one_of({1, 2, 4}));
    if (access.formatted && random.once_in(2)) {
      unsigned bytes = 0;
      image.pixel = random_pixel(random, bytes);
      image.texel = texel_of_bytes(bytes);
    }
    const uint32_t width = 1 + random.below(9), height = geometry.axes > 1 ? 1 + random.below(6) : 0;
    const uint32_t depth = geometry.axes == 3 || geometry.array ? 1 + random.below(4) : 0;
    const uint64_t row = width * image.texel.bytes() + 16 * random.below(2);
    const uint64_t slice = row * std::max(1U, height);
    const auto texels = content(random, image.texel, slice * std::max(1U, depth) + 16);
    // Sometimes places beyond the surface, which end a kernel that traps.
    const bool wild = random.once_in(2), sparse = random.once_in(2);
    const uint32_t unit = access.formatted ? 1 : access.bytes;
    const uint32_t across = access.formatted ? width : std::max(1U, width * image.texel.bytes() / unit);
    std::vector<uint32_t> in;
    for (uint32_t t = 0; t < threads; ++t) {
      in.push_back(random_place(random, across, unit, wild) + (wild && random.once_in(200) ? 1 : 0));
      in.push_back(random_place(random, std::max(1U, height), 1, wild));
      in.push_back(random_place(random, std::max(1U, depth), 1, wild));
      in.push_back(random_place(random, std::max(1U, depth), 1, wild));
      in.push_back(sparse ? random.below(2) : 1);
      for (int i = 0; i < 3; ++i)
        in.push_back(random.once_in(2) ? random.word() : std::bit_cast<uint32_t>(random.real(-2, 2)));
    }
    std::string said[2];
    std::vector<std::byte> written[2];
    int i = 0;
    for (Side* side : {&reference, &native}) {
      written[i] = texels;
      image.mip[0] = {written[i].data(), width, height, depth, row, slice};
      side->program.services.surfaces[handle] = surface;
      std::ranges::copy(in, side->in.data);
      std::fill_n(side->out.data, side->out.count, 0);
      const auto result =
          side->program.run(name_of(g, a, o), {.block = {threads}}, side->in, side->out, handle);
      if (!result.ok()) said[i] = result.error().message();
      ++i;
    }
    const std::string name = std::string(geometry.word) + " " + access.words +
                             (access.formatted ? " p " : " b ") + outsides[o] + ", seed " +
                             std::to_string(seed);
    ASSERT_EQ(said[1], said[0]) << name;
    ASSERT_EQ(written[1], written[0]) << name;
    if (!said[0].empty()) continue;
    for (std::size_t w = 0; w < reference.out.count; ++w)
      ASSERT_EQ(native.out[w], reference.out[w]) << name << ": word " << w % 4 << " of thread " << w / 4;
  }
}

class Surfaces : public testing::TestWithParam<const char*> {};

TEST_P(Surfaces, AreLoadedAndStoredTheSame) {
  const auto [from, count] = image_seeds(600);
  compare(GetParam(), from, count);
}
INSTANTIATE_TEST_SUITE_P(OnEveryHost, Surfaces, testing::Values("x86-64-v2", "avx2", "avx512"), name_of_cpu);

}  // namespace
}  // namespace heddle
