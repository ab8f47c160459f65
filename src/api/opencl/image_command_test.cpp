// Images and samplers: creation, copies, and kernels that read and write them.
#include <array>
#include <cstring>
#include <numeric>

#include "api/opencl/testing.h"

namespace heddle::opencl::testing {
namespace {

class ImageCommands : public OpenClTest {
 protected:
  cl_mem image(const cl_image_format& format, cl_image_desc desc, cl_mem_flags flags = 0,
               void* host = nullptr, cl_int expected = CL_SUCCESS) {
    cl_int error = 0;
    cl_mem made = ::clCreateImage(context, flags, &format, &desc, host, &error);
    EXPECT_EQ(error, expected);
    return made;
  }
  static cl_image_desc desc(cl_mem_object_type type, size_t width, size_t height = 0, size_t depth = 0,
                            size_t layers = 0) {
    cl_image_desc result{};
    result.image_type = type;
    result.image_width = width;
    result.image_height = height;
    result.image_depth = depth;
    result.image_array_size = layers;
    return result;
  }
  cl_kernel kernel(const char* source, const char* name) {
    cl_int error = 0;
    cl_program made = ::clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    const cl_int built = ::clBuildProgram(made, 0, nullptr, "", nullptr, nullptr);
    if (built != CL_SUCCESS) {
      std::string log(10000, '\0');
      ::clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
      ADD_FAILURE() << log.c_str();
    }
    cl_kernel result = ::clCreateKernel(made, name, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    ::clReleaseProgram(made);
    return result;
  }
};

constexpr cl_image_format rgba8{CL_RGBA, CL_UNORM_INT8}, r32{CL_R, CL_SIGNED_INT32};

TEST_F(ImageCommands, AreCreatedAsTheDeviceAllows) {
  start();
  ::clReleaseMemObject(image(rgba8, desc(CL_MEM_OBJECT_IMAGE2D, 16, 16)));
  image(rgba8, desc(CL_MEM_OBJECT_IMAGE2D, 0, 16), 0, nullptr, CL_INVALID_IMAGE_SIZE);
  image(rgba8, desc(CL_MEM_OBJECT_IMAGE2D, 1U << 20, 16), 0, nullptr, CL_INVALID_IMAGE_SIZE);
  image(rgba8, desc(CL_MEM_OBJECT_BUFFER, 16, 16), 0, nullptr, CL_INVALID_IMAGE_DESCRIPTOR);
  image({CL_DEPTH_STENCIL, CL_UNORM_INT24}, desc(CL_MEM_OBJECT_IMAGE2D, 16, 16), 0, nullptr,
        CL_IMAGE_FORMAT_NOT_SUPPORTED);
  image(rgba8, desc(CL_MEM_OBJECT_IMAGE2D, 16, 16), CL_MEM_COPY_HOST_PTR, nullptr, CL_INVALID_HOST_PTR);
  cl_image_desc pitched = desc(CL_MEM_OBJECT_IMAGE2D, 16, 16);
  pitched.image_row_pitch = 66;
  std::vector<std::byte> host(4096);
  image(rgba8, pitched, CL_MEM_COPY_HOST_PTR, host.data(), CL_INVALID_IMAGE_DESCRIPTOR);
  finish();
  start({"gtx285"});
  ::clReleaseMemObject(image(rgba8, desc(CL_MEM_OBJECT_IMAGE2D, 16, 16)));
  ::clReleaseMemObject(image(rgba8, desc(CL_MEM_OBJECT_IMAGE3D, 16, 16, 4)));
  image(rgba8, desc(CL_MEM_OBJECT_IMAGE1D, 16), 0, nullptr, CL_INVALID_OPERATION);
  image({CL_sRGBA, CL_UNORM_INT8}, desc(CL_MEM_OBJECT_IMAGE2D, 16, 16), 0, nullptr, CL_INVALID_OPERATION);
}

TEST_F(ImageCommands, EveryMinimumFormatIsThere) {
  start();
  cl_uint count = 0;
  ASSERT_EQ(
      ::clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
      CL_SUCCESS);
  std::vector<cl_image_format> formats(count);
  ASSERT_EQ(::clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, count,
                                         formats.data(), nullptr),
            CL_SUCCESS);
  const auto has = [&](cl_channel_order order, cl_channel_type type) {
    for (const cl_image_format& format : formats)
      if (format.image_channel_order == order && format.image_channel_data_type == type) return true;
    return false;
  };
  // OpenCL 1.2, table 5.8, and 3.0's.
  for (const cl_channel_type type :
       {CL_UNORM_INT8, CL_UNORM_INT16, CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32, CL_UNSIGNED_INT8,
        CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT, CL_FLOAT})
    for (const cl_channel_order order : {CL_RGBA, CL_RG, CL_R})
      EXPECT_TRUE(has(order, type)) << order << " " << type;
  EXPECT_TRUE(has(CL_BGRA, CL_UNORM_INT8));
}

TEST_F(ImageCommands, RegionsAreCopiedAndFilled) {
  start();
  std::vector<cl_int> values(4 * 3 * 2);
  std::iota(values.begin(), values.end(), 0);
  cl_mem volume = image(r32, desc(CL_MEM_OBJECT_IMAGE3D, 4, 3, 2), CL_MEM_COPY_HOST_PTR, values.data());
  cl_mem layers = image(r32, desc(CL_MEM_OBJECT_IMAGE1D_ARRAY, 4, 0, 0, 3));
  const size_t zero[3] = {}, from[3] = {1, 1, 1}, two[3] = {2, 2, 1}, all[3] = {4, 3, 1};
  const cl_int color[4] = {-7, 1, 2, 3};
  ASSERT_EQ(::clEnqueueFillImage(queue, layers, color, zero, all, 0, nullptr, nullptr), CL_SUCCESS);
  const size_t down[3] = {0, 1, 0};
  ASSERT_EQ(::clEnqueueCopyImage(queue, volume, layers, from, down, two, 0, nullptr, nullptr), CL_SUCCESS);
  std::array<cl_int, 12> read{};
  ASSERT_EQ(::clEnqueueReadImage(queue, layers, CL_TRUE, zero, all, 0, 0, read.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  EXPECT_EQ(read, (std::array<cl_int, 12>{-7, -7, -7, -7, 17, 18, -7, -7, 21, 22, -7, -7}));
  size_t row = 0, slice = 0;
  cl_int error = 0;
  const auto* mapped = static_cast<cl_int*>(::clEnqueueMapImage(
      queue, volume, CL_TRUE, CL_MAP_READ, from, two, &row, &slice, 0, nullptr, nullptr, &error));
  ASSERT_EQ(error, CL_SUCCESS);
  EXPECT_EQ(row, 16U);
  EXPECT_EQ(slice, 48U);
  EXPECT_EQ(mapped[5], 22);
  EXPECT_EQ(::clEnqueueReadImage(queue, volume, CL_TRUE, from, all, 0, 0, read.data(), 0, nullptr, nullptr),
            CL_INVALID_VALUE);
  cl_mem linear = buffer(64);
  ASSERT_EQ(::clEnqueueCopyImageToBuffer(queue, volume, linear, from, two, 8, 0, nullptr, nullptr),
            CL_SUCCESS);
  const auto flat = contents<cl_int>(linear, 6);
  EXPECT_EQ((std::vector<cl_int>(flat.begin() + 2, flat.end())), (std::vector<cl_int>{17, 18, 21, 22}));
  for (cl_mem memory : {volume, layers, linear}) ::clReleaseMemObject(memory);
}

TEST_F(ImageCommands, AColourBecomesATexel) {
  start();
  struct Case {
    cl_image_format format;
    std::array<uint8_t, 8> bytes;
  };
  const float color[4] = {1.0F, 0.5F, -0.25F, 0.25F};
  const size_t zero[3] = {}, one[3] = {1, 1, 1};
  for (const Case& c :
       {Case{{CL_RGBA, CL_UNORM_INT8}, {255, 128, 0, 64}}, Case{{CL_BGRA, CL_UNORM_INT8}, {0, 128, 255, 64}},
        Case{{CL_RG, CL_SNORM_INT8}, {127, 64}}, Case{{CL_A, CL_UNORM_INT8}, {64}},
        Case{{CL_sRGBA, CL_UNORM_INT8}, {255, 188, 0, 64}},
        Case{{CL_RGBA, CL_HALF_FLOAT}, {0, 0x3c, 0, 0x38, 0, 0xb4, 0, 0x34}}}) {
    cl_mem memory = image(c.format, desc(CL_MEM_OBJECT_IMAGE2D, 1, 1), CL_MEM_READ_ONLY);
    ASSERT_EQ(::clEnqueueFillImage(queue, memory, color, zero, one, 0, nullptr, nullptr), CL_SUCCESS);
    std::array<uint8_t, 8> read{};
    ASSERT_EQ(::clEnqueueReadImage(queue, memory, CL_TRUE, zero, one, 0, 0, read.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(read, c.bytes) << c.format.image_channel_order << " " << c.format.image_channel_data_type;
    ::clReleaseMemObject(memory);
  }
}

TEST_F(ImageCommands, AKernelReadsThroughASamplerAndWrites) {
  start();
  cl_kernel invert = kernel(
      "__kernel void invert(read_only image2d_t in, write_only image2d_t out, sampler_t s) {\n"
      "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
      "  float4 c = read_imagef(in, s, at + (int2)(1, 0));\n"
      "  write_imagef(out, at, (float4)(1.0f - c.xyz, c.w));\n}\n",
      "invert");
  std::array<uint8_t, 2 * 2 * 4> texels{10, 20,  30,  40,  50,  60,  70,  80,
                                        90, 100, 110, 120, 130, 140, 150, 160};
  cl_mem in =
      image(rgba8, desc(CL_MEM_OBJECT_IMAGE2D, 2, 2), CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, texels.data());
  cl_mem out = image({CL_BGRA, CL_UNORM_INT8}, desc(CL_MEM_OBJECT_IMAGE2D, 2, 2), CL_MEM_WRITE_ONLY);
  cl_sampler sampler =
      ::clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, nullptr);
  cl_mem line = image(rgba8, desc(CL_MEM_OBJECT_IMAGE1D, 4));
  EXPECT_EQ(::clSetKernelArg(invert, 0, sizeof line, &line), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(::clSetKernelArg(invert, 1, sizeof in, &in), CL_INVALID_ARG_VALUE);
  EXPECT_EQ(::clSetKernelArg(invert, 2, sizeof in, &in), CL_INVALID_SAMPLER);
  ASSERT_EQ(::clSetKernelArg(invert, 0, sizeof in, &in), CL_SUCCESS);
  ASSERT_EQ(::clSetKernelArg(invert, 1, sizeof out, &out), CL_SUCCESS);
  ASSERT_EQ(::clSetKernelArg(invert, 2, sizeof sampler, &sampler), CL_SUCCESS);
  const size_t size[2] = {2, 2}, zero[3] = {}, all[3] = {2, 2, 1};
  ASSERT_EQ(::clEnqueueNDRangeKernel(queue, invert, 2, nullptr, size, nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
  std::array<uint8_t, 16> read{};
  ASSERT_EQ(::clEnqueueReadImage(queue, out, CL_TRUE, zero, all, 0, 0, read.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  // The right neighbour, or the edge; blue first.
  EXPECT_EQ(read, (std::array<uint8_t, 16>{185, 195, 205, 80, 185, 195, 205, 80, 105, 115, 125, 160, 105, 115,
                                           125, 160}));
  for (cl_mem memory : {in, out, line}) ::clReleaseMemObject(memory);
  ::clReleaseSampler(sampler);
  ::clReleaseKernel(invert);
}

}  // namespace
}  // namespace heddle::opencl::testing
