// Surface instructions (PTX ISA 9.7.11). Of an 8 x 4 surface of u8 x 4, byte b of row y is 32 y + b.
#include <bit>
#include <numeric>

#include "exec/interp/test_program.h"
#include "exec/interp/texture/test_image.h"

namespace heddle::exec::interp {
namespace {

constexpr uint64_t handle = 0x3000'0002;
using Quad = std::array<uint32_t, 4>;

std::vector<uint8_t> counted(std::size_t n) {
  std::vector<uint8_t> values(n);
  std::iota(values.begin(), values.end(), uint8_t{0});
  return values;
}

struct Outcome {
  bool ok = false;
  Fault fault;
  Quad out{};
};

// %r0 to %r3 are x, y, z and a value; %r4 to %r7 the output; %rd3 the surface.
Outcome run(const std::string& body, const TestImage& image, std::array<int32_t, 4> in,
            std::string_view globals = "", uint32_t lanes = 1) {
  TestProgram program(".version 8.1\n.target sm_90\n.address_size 64\n" + std::string(globals) + R"(
.visible .entry k(.param .u64 out, .param .u64 surf, .param .s32 a, .param .s32 b, .param .s32 c, .param .s32 d) {
  .reg .f32 %f<4>;
  .reg .b16 %h<4>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd2, [out];
  ld.param.u64 %rd3, [surf];
  ld.param.s32 %r0, [a];
  ld.param.s32 %r1, [b];
  ld.param.s32 %r2, [c];
  ld.param.s32 %r3, [d];
  mov.u32 %r8, %tid.x;
  mov.b32 %r4, -1; mov.b32 %r5, -1; mov.b32 %r6, -1; mov.b32 %r7, -1;
)" + body + R"(
  st.global.v4.b32 [%rd2], {%r4, %r5, %r6, %r7};
  ret;
})");
  program.services.surfaces[handle] = {image.array};
  if (!globals.empty()) program.bind("s", handle);
  auto out = program.buffer<Quad>(1);
  const auto result = program.run("k", {.block = {lanes}}, out, handle, in[0], in[1], in[2], in[3]);
  if (!result.ok()) return {false, result.error(), {}};
  return {true, {}, out[0]};
}

struct Surface : testing::Test {
  TestImage image{TextureShape::d2, texel_of(ChannelKind::unsigned_, 8, 4), counted(128), 8, 4};
};

TEST_F(Surface, loads_count_bytes_along_a_row) {
  EXPECT_EQ(run("suld.b.2d.b8.trap %r4, [%rd3, {%r0,%r1}];", image, {5, 1}).out[0], 37u);
  EXPECT_EQ(run("suld.b.2d.b16.trap %h0, [%rd3, {%r0,%r1}]; cvt.u32.u16 %r4, %h0;", image, {6, 1}).out[0],
            0x2726u);
  EXPECT_EQ(run("suld.b.2d.b32.trap %r4, [%rd3, {%r0,%r1}];", image, {4, 2}).out[0], 0x47464544u);
  EXPECT_EQ(run("suld.b.2d.b64.trap %rd4, [%rd3, {%r0,%r1}]; mov.b64 {%r4,%r5}, %rd4;", image, {8, 0}).out,
            (Quad{0x0b0a0908, 0x0f0e0d0c, 0xffffffff, 0xffffffff}));
  EXPECT_EQ(run("suld.b.2d.v4.b8.trap {%r4,%r5,%r6,%r7}, [%rd3, {%r0,%r1}];", image, {8, 3}).out,
            (Quad{104, 105, 106, 107}));
  EXPECT_EQ(run("suld.b.2d.v2.b32.trap {%r4,%r5}, [%rd3, {%r0,%r1}];", image, {24, 0}).out[1], 0x1f1e1d1cu);
}

TEST_F(Surface, outside_it_traps_clamps_or_is_zero) {
  const std::array<int32_t, 4> places[] = {{-4, 0}, {32, 0}, {0, -1}, {0, 4}};
  const uint32_t clamped[] = {0x03020100, 0x1f1e1d1c, 0x03020100, 0x63626160};
  for (std::size_t i = 0; i < 4; ++i) {
    const Outcome trapped = run("suld.b.2d.b32.trap %r4, [%rd3, {%r0,%r1}];", image, places[i]);
    EXPECT_FALSE(trapped.ok);
    EXPECT_EQ(trapped.fault.kind, FaultKind::illegal_address);
    EXPECT_THAT(trapped.fault.detail, testing::HasSubstr("outside the surface of 32 bytes, 4 rows"));
    EXPECT_EQ(run("suld.b.2d.b32.clamp %r4, [%rd3, {%r0,%r1}];", image, places[i]).out[0], clamped[i]);
    EXPECT_EQ(run("suld.b.2d.b32.zero %r4, [%rd3, {%r0,%r1}];", image, places[i]).out[0], 0u);
  }
  // The last bytes of a row that a wide access fits into.
  EXPECT_EQ(run("suld.b.2d.v2.b32.clamp {%r4,%r5}, [%rd3, {%r0,%r1}];", image, {40, 0}).out[0], 0x1b1a1918u);
}

TEST_F(Surface, an_unaligned_access_faults) {
  EXPECT_EQ(run("suld.b.2d.b32.clamp %r4, [%rd3, {%r0,%r1}];", image, {2, 0}).fault.kind,
            FaultKind::misaligned_address);
}

TEST_F(Surface, stores) {
  run("sust.b.2d.b32.trap [%rd3, {%r0,%r1}], %r3;", image, {4, 1, 0, 0x01020304});
  EXPECT_EQ(image.values<uint32_t>()[9], 0x01020304u);
  run("sust.b.2d.v2.b32.clamp [%rd3, {%r0,%r1}], {%r3, 9};", image, {99, 99, 0, 8});
  EXPECT_EQ(image.values<uint32_t>()[30], 8u);
  EXPECT_EQ(image.values<uint32_t>()[31], 9u);
  const auto before = image.values<uint32_t>();
  run("sust.b.2d.b32.zero [%rd3, {%r0,%r1}], %r3;", image, {32, 0, 0, 77});
  EXPECT_EQ(image.values<uint32_t>(), before);
  EXPECT_FALSE(run("sust.b.2d.b32.trap [%rd3, {%r0,%r1}], %r3;", image, {32, 0, 0, 77}).ok);
  EXPECT_EQ(image.values<uint32_t>(), before);
}

TEST_F(Surface, formatted_stores_count_elements_and_convert) {
  ASSERT_TRUE(run("sust.p.2d.v4.b32.trap [%rd3, {%r0,%r1}], {%r3, 2, 255, -1};", image, {3, 2, 0, 300}).ok);
  EXPECT_EQ(image.values<uint32_t>()[19], 0xffff02ffu);
  const TestImage halves(TextureShape::d1, texel_of(ChannelKind::floating, 16, 2), std::vector<uint16_t>(8),
                         4);
  ASSERT_TRUE(run("mov.f32 %f0, 0f40000000; mov.f32 %f1, 0fBF800000;"
                  "sust.p.1d.v2.b32.trap [%rd3, {%r0}], {%f0, %f1};",
                  halves, {1})
                  .ok);
  EXPECT_EQ(halves.values<uint16_t>()[2], 0x4000);
  EXPECT_EQ(halves.values<uint16_t>()[3], 0xbc00);
}

TEST(SurfaceGeometry, every_geometry) {
  const Texel word = texel_of(ChannelKind::unsigned_, 32);
  std::vector<uint32_t> values(24);
  std::iota(values.begin(), values.end(), 0u);
  const TestImage line(TextureShape::d1, word, values, 24), volume(TextureShape::d3, word, values, 4, 3, 2),
      lines(TextureShape::d1_layered, word, values, 4, 0, 6),
      planes(TextureShape::d2_layered, word, values, 4, 3, 2);
  EXPECT_EQ(run("suld.b.1d.b32.trap %r4, [%rd3, {%r0}];", line, {20}).out[0], 5u);
  EXPECT_EQ(run("suld.b.3d.b32.trap %r4, [%rd3, {%r0,%r1,%r2,%r3}];", volume, {8, 1, 1, 9}).out[0], 18u);
  EXPECT_EQ(run("suld.b.a1d.b32.trap %r4, [%rd3, {%r0,%r1}];", lines, {2, 4}).out[0], 9u);
  EXPECT_EQ(run("suld.b.a2d.b32.trap %r4, [%rd3, {%r0,%r1,%r2,%r3}];", planes, {1, 8, 2, 9}).out[0], 22u);
  EXPECT_EQ(run("suld.b.a2d.b32.zero %r4, [%rd3, {%r0,%r1,%r2,%r3}];", planes, {2, 8, 2, 9}).out[0], 0u);
}

TEST(SurfaceReduction, lanes_add_up) {
  const TestImage counts(TextureShape::d1, texel_of(ChannelKind::unsigned_, 32), std::vector<uint32_t>(4), 4);
  ASSERT_TRUE(run("sured.b.add.1d.u32.trap [%rd3, {%r0}], %r8;", counts, {8}, "", 64).ok);
  EXPECT_EQ(counts.values<uint32_t>()[2], 64u * 63 / 2);
}

TEST(SurfaceReduction, signs_and_widths) {
  const Texel word = texel_of(ChannelKind::signed_, 32);
  const TestImage image(TextureShape::d1, word, std::vector<int32_t>{5, 5, 12, 5}, 4);
  run("sured.b.min.1d.s32.trap [%rd3, {%r0}], %r3;", image, {0, 0, 0, -7});
  run("sured.b.max.1d.u32.trap [%rd3, {%r0}], %r3;", image, {4, 0, 0, -7});
  run("sured.b.and.1d.b32.trap [%rd3, {%r0}], %r3;", image, {8, 0, 0, 10});
  run("sured.p.max.1d.b32.trap [%rd3, {%r0}], %r3;", image, {3, 0, 0, -7});  // signed, as the surface is
  EXPECT_EQ(image.values<int32_t>(), (std::vector<int32_t>{-7, -7, 8, 5}));
  run("sured.b.add.1d.u32.zero [%rd3, {%r0}], %r3;", image, {16, 0, 0, 1});
  run("sured.b.add.1d.u32.clamp [%rd3, {%r0}], %r3;", image, {16, 0, 0, 1});
  EXPECT_EQ(image.values<int32_t>()[3], 6);
  const TestImage wide(TextureShape::d1, texel_of(ChannelKind::unsigned_, 32, 2),
                       std::vector<uint64_t>{~0u, 0}, 2);
  run("cvt.u64.u32 %rd4, %r3; sured.b.add.1d.u64.trap [%rd3, {%r0}], %rd4;", wide, {0, 0, 0, 1});
  EXPECT_EQ(wide.values<uint64_t>()[0], uint64_t{1} << 32);
  EXPECT_EQ(run("sured.p.add.1d.b32.trap [%rd3, {%r0}], %r3;", wide, {0, 0, 0, 1}).fault.kind,
            FaultKind::illegal_instruction);
}

TEST_F(Surface, queries_and_variables) {
  EXPECT_EQ(run("suq.width.b32 %r4, [s]; suq.height.b32 %r5, [s]; suq.channel_data_type.b32 %r6, [s];"
                "suq.memory_layout.b32 %r7, [s];",
                image, {}, ".global .surfref s;\n")
                .out,
            (Quad{8, 4, 0x10da, 0}));
  EXPECT_EQ(run("suld.b.2d.b8.trap %r4, [s, {%r0,%r1}];", image, {5, 1}, ".global .surfref s;\n").out[0],
            37u);
}

TEST_F(Surface, a_handle_of_nothing_is_named) {
  const Outcome missing = run("mov.b64 %rd5, 0x99; suld.b.2d.b8.trap %r4, [%rd5, {%r0,%r1}];", image, {});
  EXPECT_EQ(missing.fault.kind, FaultKind::illegal_address);
  EXPECT_THAT(missing.fault.detail, testing::HasSubstr("no surface of handle 0x99"));
}

}  // namespace
}  // namespace heddle::exec::interp
