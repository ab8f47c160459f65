// Texture instructions (PTX ISA 9.7.10): how operands and handles reach the sampling, whose arithmetic
// texture/sample_test.cpp has.
#include <bit>
#include <numeric>

#include "exec/interp/test_program.h"
#include "exec/interp/texture/test_image.h"
#include "exec/texel_address.h"

namespace heddle::exec::interp {
namespace {

constexpr uint64_t handle = 0x1000'0005;
using Quad = std::array<uint32_t, 4>;

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

std::vector<float> counted(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

// %f0 to %f3 and %r0 to %r3 are the bits of the lane's input, %r4 to %r7 its output, %rd3 a handle.
std::string kernel(std::string_view body, std::string_view target = "sm_90", std::string_view globals = "") {
  return ".version 8.0\n.target " + std::string(target) + "\n.address_size 64\n" + std::string(globals) +
         R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 tex) {
  .reg .pred %p<3>;
  .reg .b16 %h<4>;
  .reg .f32 %f<8>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [in];
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [tex];
  mov.u32 %r8, %tid.x;
  mul.wide.u32 %rd4, %r8, 16;
  add.u64 %rd1, %rd1, %rd4;
  add.u64 %rd2, %rd2, %rd4;
  ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1];
  mov.b32 %f0, %r0;
  mov.b32 %f1, %r1;
  mov.b32 %f2, %r2;
  mov.b32 %f3, %r3;
  mov.b32 %r4, 0; mov.b32 %r5, 0; mov.b32 %r6, 0; mov.b32 %r7, 0;
)" + std::string(body) +
         R"(
  st.global.v4.b32 [%rd2], {%r4, %r5, %r6, %r7};
  ret;
})";
}

class Texture : public testing::Test {
 protected:
  // A texture over `image`, which must outlive the runs.
  TextureObject object(const TestImage& image) {
    TextureObject made;
    made.image = image.array;
    return made;
  }
  std::vector<Quad> run(const std::string& text, const TextureObject& texture, std::vector<Quad> in) {
    TestProgram program(text);
    TextureObject& placed = program.services.textures[handle] = texture;
    if (is_open_ended(texture.image)) {  // read from the program's memory alone
      MipLevel& level = placed.image.mip[0];
      level.data = program.buffer(std::vector(level.data, level.data + level.slice_pitch)).data;
    }
    return run(program, std::move(in));
  }
  std::vector<Quad> run(TestProgram& program, std::vector<Quad> in, uint64_t tex = handle) {
    auto from = program.buffer(in);
    auto to = program.buffer<Quad>(in.size());
    const auto result = program.run("k", {.block = {static_cast<uint32_t>(in.size())}}, from, to, tex);
    EXPECT_TRUE(result.ok()) << result.error().message();
    return to.values();
  }
};

Quad floats(float x, float y = 0, float z = 0, float w = 0) { return {bits(x), bits(y), bits(z), bits(w)}; }
Quad whole(int x, int y = 0, int z = 0, int w = 0) {
  return {static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z),
          static_cast<uint32_t>(w)};
}

constexpr uint32_t one = 0x3f800000;

TEST_F(Texture, each_lane_has_its_own_coordinates) {
  const TestImage image(TextureShape::d1, f32_texel, counted(32), 32);
  std::vector<Quad> in;
  for (int i = 0; i < 32; ++i) in.push_back(floats(31.5f - static_cast<float>(i)));
  const auto out = run(kernel("tex.1d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0}];"), object(image), in);
  for (uint32_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], (Quad{bits(31 - static_cast<float>(i)), 0, 0, one}));
}

TEST_F(Texture, every_geometry_finds_its_texel) {
  const struct {
    const char* instruction;
    TextureShape shape;
    uint64_t width, height, depth;
    uint32_t samples;
    Quad in;
    float expected;
  } cases[] = {
      {"tex.1d.v4.u32.f32 $, [%rd3, {%f0}]", TextureShape::d1, 8, 0, 0, 1, floats(3.5), 3},
      {"tex.1d.v4.u32.f32 $, [%rd3, {%f0,%f1,%f2,%f3}]", TextureShape::d1, 8, 0, 0, 1, floats(3.5, 9, 9), 3},
      {"tex.1d.v4.u32.s32 $, [%rd3, {%r0}]", TextureShape::d1, 8, 0, 0, 1, whole(5), 5},
      {"tex.1d.v4.u32.s32 $, [%rd3, {%r0}]", TextureShape::linear_buffer, 8, 0, 0, 1, whole(5), 5},
      {"tex.1d.v4.u32.s32 $, [%rd3, {%r0}]", TextureShape::linear_buffer, 8, 0, 0, 1, whole(8), 0},
      {"tex.2d.v4.u32.f32 $, [%rd3, {%f0,%f1}]", TextureShape::d2, 4, 2, 0, 1, floats(2.5, 1.5), 6},
      {"tex.2d.v4.u32.s32 $, [%rd3, {%r0,%r1}]", TextureShape::d2_pitched, 4, 2, 0, 1, whole(2, 1), 6},
      {"tex.3d.v4.u32.f32 $, [%rd3, {%f0,%f1,%f2,%f3}]", TextureShape::d3, 2, 2, 2, 1, floats(1, 0, 1), 5},
      {"tex.3d.v4.u32.s32 $, [%rd3, {%r0,%r1,%r2,%r3}]", TextureShape::d3, 2, 2, 2, 1, whole(0, 1, 1), 6},
      {"tex.a1d.v4.u32.f32 $, [%rd3, {%r0,%f1}]",
       TextureShape::d1_layered,
       4,
       0,
       2,
       1,
       {1, bits(2.5f), 0, 0},
       6},
      {"tex.a1d.v4.u32.s32 $, [%rd3, {%r0,%r1}]", TextureShape::d1_layered, 4, 0, 2, 1, whole(1, 3), 7},
      {"tex.a2d.v4.u32.f32 $, [%rd3, {%r0,%f1,%f2,%f3}]",
       TextureShape::d2_layered,
       2,
       2,
       3,
       1,
       {2, bits(1.5f), bits(0.5f), 0},
       9},
      {"tex.a2d.v4.u32.s32 $, [%rd3, {%r0,%r1,%r2,%r3}]", TextureShape::d2_layered, 2, 2, 3, 1,
       whole(9, 1, 1), 11},
      {"tex.cube.v4.u32.f32 $, [%rd3, {%f0,%f1,%f2,%f3}]", TextureShape::cubemap, 1, 1, 6, 1,
       floats(0, -2, 1), 3},
      {"tex.acube.v4.u32.f32 $, [%rd3, {%r0,%f1,%f2,%f3}]",
       TextureShape::cubemap_layered,
       1,
       1,
       12,
       1,
       {1, 0, 0, bits(-1.0f)},
       11},
      {"tex.2dms.v4.u32.s32 $, [%rd3, {%r0,%r1,%r2,%r3}]", TextureShape::d2, 2, 2, 2, 2, whole(1, 0, 1), 6},
      {"tex.a2dms.v4.u32.s32 $, [%rd3, {%r0,%r1,%r2,%r3}]", TextureShape::d2_layered, 2, 2, 4, 2,
       whole(1, 1, 1, 0), 13},
      {"tex.base.2d.v4.u32.f32 $, [%rd3, {%f0,%f1}]", TextureShape::d2, 4, 2, 0, 1, floats(2.5, 1.5), 6},
  };
  for (const auto& c : cases) {
    TestImage image(c.shape, f32_texel,
                    counted(c.width * std::max<uint64_t>(1, c.height) * std::max<uint64_t>(1, c.depth)),
                    c.width, c.height, c.depth);
    image.array.samples = c.samples;
    std::string text = c.instruction;
    text.replace(text.find('$'), 1, "{%r4,%r5,%r6,%r7}");
    const auto out = run(kernel(text + ";"), object(image), {c.in});
    EXPECT_EQ(std::bit_cast<float>(out[0][0]), c.expected) << c.instruction;
  }
}

TEST_F(Texture, results_of_every_type) {
  const TestImage image(TextureShape::d1, texel_of(ChannelKind::signed_, 8, 4),
                        std::vector<int8_t>{-1, 127, -128, 64}, 1);
  TextureObject normal = object(image);
  normal.read = ReadMode::normalized_float;
  const auto read = [&](const char* body, const TextureObject& t) {
    return run(kernel(body), t, {whole(0)})[0];
  };
  EXPECT_EQ(read("tex.1d.v4.s32.s32 {%r4,%r5,%r6,%r7}, [%rd3, {%r0}];", object(image)),
            whole(-1, 127, -128, 64));
  EXPECT_EQ(read("tex.1d.v4.f32.s32 {%f4,%f5,%f6,%f7}, [%rd3, {%r0}]; mov.b32 %r4, %f4; mov.b32 %r5, %f5;"
                 "mov.b32 %r6, %f6; mov.b32 %r7, %f7;",
                 normal),
            floats(-1 / 127.0f, 1, -1, 64 / 127.0f));
  EXPECT_EQ(
      read("tex.1d.v4.f16.s32 {%h0,%h1,%h2,%h3}, [%rd3, {%r0}]; cvt.u32.u16 %r5, %h1; cvt.u32.u16 %r6, %h2;",
           normal),
      (Quad{0, 0x3c00, 0xbc00, 0}));
  const Quad packed = read("tex.1d.v2.f16x2.s32 {%r4,%r5}, [%rd3, {%r0}];", normal);
  EXPECT_EQ(packed[0] >> 16, 0x3c00u);
  EXPECT_EQ(packed[1] & 0xffff, 0xbc00u);
}

TEST_F(Texture, level_slopes_offset_and_comparison) {
  TestImage image(TextureShape::d1, f32_texel, counted(4), 4);
  image.add(std::vector<float>{10, 11}, 2);
  TextureObject t = object(image);
  t.sampler.normalized_coordinates = true;
  const auto x = [&](const char* body, const Quad& in) {
    return std::bit_cast<float>(run(kernel(body), t, {in})[0][0]);
  };
  EXPECT_EQ(x("tex.level.1d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0}], %f1;", floats(0.5, 1)), 11);
  EXPECT_EQ(x("tex.level.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [%rd3, {%r0}], %r1;", whole(1, 1)), 11);
  EXPECT_EQ(x("tex.grad.1d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0}], {%f1}, {%f2};", floats(0, 0.1f, 0.5)),
            10);
  EXPECT_EQ(x("tex.1d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0}], {%r1};", {0, 2, 0, 0}), 2);
  EXPECT_EQ(x("tex.level.1d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0}], %f1, {-1};", floats(0.5, 1)), 10);
  EXPECT_EQ(x("tex.1d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0}], %f1;", floats(0.75, 2.5)), 1);
  EXPECT_EQ(x("tex.1d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0}], %f1;", floats(0.75, 3.5)), 0);
}

TEST_F(Texture, gathers_one_component) {
  const TestImage image(TextureShape::d2, texel_of(ChannelKind::unsigned_, 8, 2),
                        std::vector<uint8_t>{1, 11, 2, 12, 3, 13, 4, 14}, 2, 2);
  EXPECT_EQ(run(kernel("tld4.r.2d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0,%f1}];"), object(image),
                {floats(1, 1)})[0],
            whole(3, 4, 2, 1));
  EXPECT_EQ(run(kernel("tld4.g.2d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [%rd3, {%f0,%f1}];"), object(image),
                {floats(1, 1)})[0],
            whole(13, 14, 12, 11));
}

TEST_F(Texture, all_of_it_is_resident) {
  const TestImage image(TextureShape::d1, f32_texel, counted(4), 4);
  EXPECT_EQ(run(kernel("tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}|%p1, [%rd3, {%r0}]; selp.b32 %r7, 7, 8, %p1;"),
                object(image), {whole(2)})[0][3],
            7u);
}

TEST_F(Texture, a_variable_is_bound_to_a_handle) {
  const TestImage image(TextureShape::d1, f32_texel, counted(4), 4);
  TestProgram program(
      kernel("tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [t, {%r0}]; txq.width.b32 %r7, [t];"
             "mov.u64 %rd5, t; tex.1d.v4.u32.s32 {%r5,_,_,_}, [%rd5, {1}];",
             "sm_90", ".global .texref t;\n"));
  program.services.textures[7] = object(image);
  program.bind("t", 7);
  EXPECT_EQ(run(program, {whole(3)})[0], (Quad{bits(3), bits(1), 0, 4}));
}

TEST_F(Texture, a_parameter_brings_a_handle) {
  const TestImage image(TextureShape::d1, f32_texel, counted(4), 4);
  TestProgram program(R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .texref t) {
  .reg .b32 %r<5>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  tex.1d.v4.u32.s32 {%r1,%r2,%r3,%r4}, [t, {2}];
  txq.width.b32 %r2, [t];
  st.global.v4.b32 [%rd1], {%r1, %r2, %r3, %r4};
  ret;
})");
  program.services.textures[handle] = object(image);
  auto out = program.buffer<Quad>(1);
  const auto result = program.run("k", {}, out, handle);
  ASSERT_TRUE(result.ok()) << result.error().message();
  EXPECT_EQ(out[0], (Quad{bits(2), 4, 0, one}));
}

TEST_F(Texture, an_independent_sampler_stands_in_the_instruction) {
  const TestImage image(TextureShape::d1, f32_texel, counted(4), 4);
  TestProgram program(
      kernel("tex.1d.v4.u32.f32 {%r4,%r5,%r6,%r7}, [t, s, {%f0}];"
             "txq.filter_mode.b32 %r5, [s]; txq.addr_mode_0.b32 %r6, [s];",
             "sm_90, texmode_independent", ".global .texref t;\n.global .samplerref s;\n"));
  program.services.textures[7] = object(image);
  program.services.textures[7].sampler.normalized_coordinates = true;
  Sampler sampler;
  sampler.filter = FilterMode::linear;
  sampler.address[0] = AddressMode::wrap;
  sampler.normalized_coordinates = true;
  program.services.samplers[8] = sampler;
  program.bind("t", 7);
  program.bind("s", 8);
  EXPECT_EQ(run(program, {floats(1.0)})[0], (Quad{bits(1.5f), 1, 0, one}));
}

TEST_F(Texture, queries) {
  TestImage image(TextureShape::d3, texel_of(ChannelKind::unsigned_, 8, 4), std::vector<uint32_t>(24), 4, 3,
                  2);
  image.add(std::vector<uint32_t>(2), 2, 1, 1);
  TextureObject t = object(image);
  t.read = ReadMode::normalized_float;
  t.sampler.address[2] = AddressMode::clamp_to_border;
  EXPECT_EQ(run(kernel("txq.width.b32 %r4, [%rd3]; txq.height.b32 %r5, [%rd3]; txq.depth.b32 %r6, [%rd3];"
                       "txq.normalized_coords.b32 %r7, [%rd3];"),
                t, {whole(0)})[0],
            whole(4, 3, 2, 0));
  EXPECT_EQ(run(kernel("txq.channel_data_type.b32 %r4, [%rd3]; txq.channel_order.b32 %r5, [%rd3];"
                       "txq.array_size.b32 %r6, [%rd3]; txq.num_mipmap_levels.b32 %r7, [%rd3];"),
                t, {whole(0)})[0],
            (Quad{0x10d2, 0x10b5, 0, 2}));
  EXPECT_EQ(run(kernel("txq.level.width.b32 %r4, [%rd3], 1; txq.level.height.b32 %r5, [%rd3], %r0;"
                       "txq.num_samples.b32 %r6, [%rd3]; txq.addr_mode_2.b32 %r7, [%rd3];"),
                t, {whole(1)})[0],
            whole(2, 1, 1, 4));
}

TEST_F(Texture, types_of_references) {
  const TestImage image(TextureShape::d1, f32_texel, counted(4), 4);
  EXPECT_EQ(run(kernel("istypep.texref %p1, %rd3; selp.b32 %r4, 1, 0, %p1;"
                       "istypep.surfref %p1, %rd3; selp.b32 %r5, 1, 0, %p1;"
                       "istypep.samplerref %p1, %rd3; selp.b32 %r6, 1, 0, %p1;"),
                object(image), {whole(0)})[0],
            whole(1, 0, 0, 0));
}

TEST_F(Texture, a_handle_of_nothing_is_named) {
  TestProgram program(kernel("tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [%rd3, {%r0}];"));
  auto from = program.buffer(std::vector<Quad>(1));
  auto to = program.buffer<Quad>(1);
  const Fault fault = program.fault("k", {}, from, to, uint64_t{0xabcd});
  EXPECT_EQ(fault.kind, FaultKind::illegal_address);
  EXPECT_THAT(fault.detail, testing::HasSubstr("no texture of handle 0xabcd"));

  TestProgram unbound(
      kernel("tex.1d.v4.u32.s32 {%r4,%r5,%r6,%r7}, [t, {%r0}];", "sm_90", ".global .texref t;\n"));
  auto from2 = unbound.buffer(std::vector<Quad>(1));
  auto to2 = unbound.buffer<Quad>(1);
  EXPECT_THAT(unbound.fault("k", {}, from2, to2, uint64_t{0}).detail, testing::HasSubstr("'t'"));
}

}  // namespace
}  // namespace heddle::exec::interp
