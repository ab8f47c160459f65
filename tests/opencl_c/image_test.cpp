// 6.15.15: images and samplers, on handles as runtime::create_image() gives them.
#include <cmath>

#include "harness.h"
#include "runtime/texture.h"

namespace heddle::opencl_c {
namespace {

using exec::TextureShape;

struct TestImage {
  std::array<uint64_t, 3> size{1, 1, 1};
  TextureShape shape = TextureShape::d2;
  exec::PixelFormat format{0x10b5, 0x10de};  // RGBA, FLOAT
  unsigned bytes = 16;                       // of a texel
  Bytes content = {};
};

// Adds the image's handle to the program's arguments; gives its memory.
runtime::AllocationRef add_image(Program& program, const TestImage& image) {
  runtime::Context& context = *program.system().context;
  const uint64_t rows = image.shape == TextureShape::d1_layered ? 1 : image.size[1];
  const uint64_t slices = image.shape == TextureShape::d1_layered ? image.size[1] : image.size[2];
  const uint64_t row = image.size[0] * image.bytes, slice = row * rows;
  runtime::AllocationRef memory = *context.allocate(runtime::MemoryKind::array, slice * slices);
  std::memcpy(reinterpret_cast<void*>(memory->address), image.content.data(), image.content.size());
  exec::TexelArray array;
  array.shape = image.shape;
  array.pixel = image.format;
  for (unsigned left = image.bytes * 8, i = 0; left != 0; ++i) {
    array.texel.bits[i] = static_cast<uint8_t>(std::min(32U, left));
    left -= array.texel.bits[i];
  }
  array.mip[0] = {reinterpret_cast<std::byte*>(memory->address), image.size[0], rows, slices, row, slice};
  const auto handle = runtime::create_image(context, array, memory);
  EXPECT_TRUE(handle.ok()) << said(handle);
  program.handles.push_back(handle ? *handle : 0);
  return memory;
}

TEST(Images, AreReadAndWrittenInEveryShape) {
  struct Case {
    const char *type, *coordinates, *sizes;
    TextureShape shape;
    std::array<uint64_t, 3> size;
  };
  const Case cases[] = {
      {"image1d_t", "(int)i", "get_image_width(a)", TextureShape::d1, {24, 1, 1}},
      {"image1d_buffer_t", "(int)i", "get_image_width(a)", TextureShape::linear_buffer, {24, 1, 1}},
      {"image1d_array_t",
       "(int2)(i % 6, i / 6)",
       "get_image_width(a) + 100 * (int)get_image_array_size(a)",
       TextureShape::d1_layered,
       {6, 4, 1}},
      {"image2d_t",
       "(int2)(i % 6, i / 6)",
       "get_image_dim(a).x + 100 * get_image_dim(a).y",
       TextureShape::d2,
       {6, 4, 1}},
      {"image2d_array_t",
       "(int4)(i % 3, i / 3 % 2, i / 6, 0)",
       "get_image_width(a) + 100 * get_image_height(a) + 1000 * (int)get_image_array_size(a)",
       TextureShape::d2_layered,
       {3, 2, 4}},
      {"image3d_t",
       "(int4)(i % 3, i / 3 % 2, i / 6, 0)",
       "get_image_dim(a).x + 100 * get_image_dim(a).y + 1000 * get_image_depth(a)",
       TextureShape::d3,
       {3, 2, 4}},
  };
  for (const Case& c : cases) {
    const std::string source =
        std::string("kernel void k(global float4* o, global int* n, read_only ") + c.type +
        " a, write_only " + c.type + " b) { int i = get_global_id(0); float4 x = read_imagef(a, " +
        c.coordinates + ");\n" + "o[i] = x; write_imagef(b, " + c.coordinates +
        ", x * 2.0f); n[0] = " + c.sizes +
        "; n[1] = get_image_channel_data_type(a); n[2] = get_image_channel_order(b); }";
    std::vector<float> texels(24 * 4);
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i) + 0.5f;
    on_both(source, "-cl-std=CL2.0", [&](Program& program) {
      TestImage image{c.size, c.shape};
      image.content = bytes_of(texels);
      add_image(program, image);
      image.content.clear();
      const auto written = add_image(program, image);
      std::vector<Bytes> buffers{Bytes(24 * 16), Bytes(12)};
      ASSERT_TRUE(program.run("k", buffers, {.global = {24, 1, 1}, .local = {24, 1, 1}})) << c.type;
      EXPECT_EQ(values_of<float>(buffers[0]), texels) << c.type;
      const auto* out = reinterpret_cast<const float*>(written->address);
      for (std::size_t i = 0; i < texels.size(); ++i) ASSERT_EQ(out[i], 2 * texels[i]) << c.type << " " << i;
      const bool plane = c.size[2] == 1;
      const auto want = static_cast<int32_t>(c.size[0] + (c.size[1] > 1 ? 100 * c.size[1] : 0) +
                                             (plane ? 0 : 1000 * c.size[2]));
      EXPECT_EQ(values_of<int32_t>(buffers[1]), (std::vector<int32_t>{want, 0x10de, 0x10b5})) << c.type;
    });
  }
}

TEST(Images, HaveTheFormatsOfOpenCl) {
  struct Case {
    uint16_t order, type;
    unsigned bytes;
    std::vector<uint8_t> texel;
    std::array<float, 4> read;
  };
  const Case cases[] = {
      {0x10b5, 0x10d2, 4, {0, 51, 102, 255}, {0, 0.2f, 0.4f, 1}},  // RGBA, UNORM_INT8
      {0x10b6, 0x10d2, 4, {0, 51, 102, 255}, {0.4f, 0.2f, 0, 1}},  // BGRA
      {0x10b7, 0x10d2, 4, {0, 51, 102, 255}, {0.2f, 0.4f, 1, 0}},  // ARGB
      {0x10b5, 0x10d0, 4, {127, 129, 128, 0}, {1, -1, -1, 0}},     // SNORM_INT8
      {0x10b0, 0x10d3, 2, {255, 255}, {1, 0, 0, 1}},               // R, UNORM_INT16
      {0x10b1, 0x10d2, 1, {51}, {0, 0, 0, 0.2f}},                  // A
      {0x10b8, 0x10d2, 1, {51}, {0.2f, 0.2f, 0.2f, 0.2f}},         // INTENSITY
      {0x10b9, 0x10d2, 1, {51}, {0.2f, 0.2f, 0.2f, 1}},            // LUMINANCE
      {0x10b2, 0x10dd, 4, {0, 0x3c, 0, 0xc0}, {1, -2, 0, 1}},      // RG, HALF_FLOAT
      {0x10b4, 0x10d4, 2, {0x1f, 0xf8}, {1, 0, 1, 1}},             // RGB, UNORM_SHORT_565
      {0x10b4, 0x10d6, 4, {0xff, 3, 0, 0}, {0, 0, 1, 1}},          // RGB, UNORM_INT_101010
  };
  const std::string source =
      "kernel void k(global float4* o, read_only image2d_t a, write_only image2d_t b) {\n"
      "float4 x = read_imagef(a, (int2)(0)); o[0] = x; write_imagef(b, (int2)(0), x); write_imagef(b, "
      "(int2)(5, -1), x); }";
  // Devices of 1.x convert what they write by instructions of their own.
  struct Where {
    const char *device, *capability;
  };
  for (const Where where :
       {Where{"h200", "90"}, Where{"gtx480", "20"}, Where{"gtx285", "13"}, Where{"8800gtx", "10"}})
    for (const bool reference : {true, false})
      for (const Case& c : cases) {
        SCOPED_TRACE(where.device);
        Program program(source, "", reference, where.device, where.capability);
        ASSERT_TRUE(program.ok());
        TestImage image{{1, 1, 1}, TextureShape::d2, {c.order, c.type}, c.bytes, bytes_of(c.texel)};
        add_image(program, image);
        image.content.clear();
        const auto written = add_image(program, image);
        std::vector<Bytes> buffers{Bytes(16)};
        ASSERT_TRUE(program.run("k", buffers, {}));
        const auto o = values_of<float>(buffers[0]);
        for (std::size_t i = 0; i < 4; ++i)
          EXPECT_FLOAT_EQ(o[i], c.read[i]) << std::hex << c.order << " " << c.type << " " << i;
        const auto* out = reinterpret_cast<const uint8_t*>(written->address);
        std::vector<uint8_t> want = c.texel;
        if (c.type == 0x10d0) want[2] = 129;  // -1 has two codes
        EXPECT_EQ(std::vector<uint8_t>(out, out + c.bytes), want) << std::hex << c.order << " " << c.type;
      }
}

TEST(Images, IntegersAreClampedWhenWritten) {
  const std::string source =
      "kernel void k(global int4* o, read_only image2d_t a, write_only image2d_t b) {\n"
      "o[0] = read_imagei(a, (int2)(0)); write_imagei(b, (int2)(0), (int4)(-1000, 1000, 5, -5)); }";
  const auto test = [&](Program& program) {
    add_image(
        program,
        {{1, 1, 1}, TextureShape::d2, {0x10b5, 0x10d7}, 4, bytes_of(std::vector<int8_t>{-1, 127, -128, 0})});
    const auto written = add_image(program, {{1, 1, 1}, TextureShape::d2, {0x10b5, 0x10d7}, 4});
    std::vector<Bytes> buffers{Bytes(16)};
    ASSERT_TRUE(program.run("k", buffers, {}));
    EXPECT_EQ(values_of<int32_t>(buffers[0]), (std::vector<int32_t>{-1, 127, -128, 0}));
    const auto* out = reinterpret_cast<const int8_t*>(written->address);
    EXPECT_EQ(std::vector<int8_t>(out, out + 4), (std::vector<int8_t>{-128, 127, 5, -5}));
  };
  on_both(source, "", test);
  for (const bool reference : {true, false}) {
    Program early(source, "", reference, "gtx285", "13");
    ASSERT_TRUE(early.ok());
    test(early);
  }
}

TEST(Samplers, FilterAndAddress) {
  const std::string source =
      "constant sampler_t linear_repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | "
      "CLK_FILTER_LINEAR;\n"
      "kernel void k(global float* o, read_only image2d_t a, sampler_t given) { int n = 0;\n"
      "const sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;\n"
      "const sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;\n"
      "o[n++] = read_imagef(a, edge, (float2)(-3.0f, 0.5f)).x; o[n++] = read_imagef(a, edge, (int2)(9, "
      "0)).x;\n"
      "o[n++] = read_imagef(a, border, (float2)(1.0f, 0.5f)).x; o[n++] = read_imagef(a, border, "
      "(float2)(0.0f, 0.5f)).x;\n"
      "o[n++] = read_imagef(a, linear_repeat, (float2)(1.0f, 0.5f)).x; o[n++] = read_imagef(a, given, "
      "(float2)(0.9f, 0.5f)).x; }";
  on_both(source, "", [&](Program& program) {
    add_image(
        program,
        {{4, 1, 1}, TextureShape::d2, {0x10b0, 0x10de}, 4, bytes_of(std::vector<float>{10, 20, 30, 40})});
    exec::Sampler sampler;
    sampler.normalized_coordinates = true;
    program.handles.push_back(*runtime::create_sampler(*program.system().context, sampler));
    std::vector<Bytes> buffers{Bytes(24)};
    ASSERT_TRUE(program.run("k", buffers, {}));
    EXPECT_EQ(values_of<float>(buffers[0]), (std::vector<float>{10, 40, 15, 5, 25, 40}));
  });
}

TEST(Images, MayBeReadAndWrittenAtOnce) {
  const std::string source =
      "kernel void k(global int* none, read_write image1d_t a) { int i = get_global_id(0);\n"
      "uint4 x = read_imageui(a, i); write_imageui(a, i, x + 1u); "
      "atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
      "x = read_imageui(a, i); write_imageui(a, i, x * 2u); }";
  on_both(source, "-cl-std=CL2.0", [&](Program& program) {
    std::vector<uint32_t> texels(64);
    for (uint32_t i = 0; i < 64; ++i) texels[i] = i;
    const auto memory =
        add_image(program, {{64, 1, 1}, TextureShape::d1, {0x10b0, 0x10dc}, 4, bytes_of(texels)});
    std::vector<Bytes> buffers{Bytes(4)};
    ASSERT_TRUE(program.run("k", buffers, {.global = {64, 1, 1}, .local = {64, 1, 1}}));
    for (uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(reinterpret_cast<const uint32_t*>(memory->address)[i], 2 * (i + 1));
  });
}

}  // namespace
}  // namespace heddle::opencl_c
