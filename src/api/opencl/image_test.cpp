// Images from the API down to kernels in OpenCL C: every format that is offered, and buffers as images.
#include <algorithm>
#include <array>

#include "api/opencl/testing.h"

namespace heddle::opencl::testing {
namespace {

class Images : public OpenClTest {
 protected:
  cl_kernel kernel(const char* source) {
    cl_int error = 0;
    program_ = ::clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    EXPECT_EQ(::clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    cl_kernel made = ::clCreateKernel(program_, "k", &error);
    EXPECT_EQ(error, CL_SUCCESS);
    return made;
  }
  cl_mem image(cl_mem_flags flags, const cl_image_format& format, size_t width, size_t height) {
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    cl_int error = 0;
    cl_mem made = ::clCreateImage(context, flags, &format, &desc, nullptr, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    return made;
  }
  cl_program program_ = nullptr;
};

// What a fill writes, a kernel reads and writes again; the bytes are the same.
TEST_F(Images, OfEveryFormatGoThroughAKernel) {
  start();
  cl_uint count = 0;
  ASSERT_EQ(
      ::clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, &count),
      CL_SUCCESS);
  std::vector<cl_image_format> formats(count);
  ASSERT_EQ(::clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, count,
                                         formats.data(), nullptr),
            CL_SUCCESS);
  const auto offered = [&](cl_channel_order order, cl_channel_type type) {
    return std::any_of(formats.begin(), formats.end(), [&](const cl_image_format& f) {
      return f.image_channel_order == order && f.image_channel_data_type == type;
    });
  };
  // OpenCL API 3.0, table "Minimum list of required image formats".
  EXPECT_TRUE(offered(CL_RGBA, CL_UNORM_INT8));
  EXPECT_TRUE(offered(CL_BGRA, CL_UNORM_INT8));
  EXPECT_TRUE(offered(CL_RGBA, CL_HALF_FLOAT));
  cl_kernel real = kernel(
      "kernel void k(read_only image2d_t a, write_only image2d_t b) { int2 c = (int2)(get_global_id(0), "
      "get_global_id(1));\n"
      "write_imagef(b, c, read_imagef(a, c)); }");
  cl_kernel whole = kernel(
      "kernel void k(read_only image2d_t a, write_only image2d_t b) { int2 c = (int2)(get_global_id(0), "
      "get_global_id(1));\n"
      "write_imagei(b, c, read_imagei(a, c)); }");
  cl_kernel natural = kernel(
      "kernel void k(read_only image2d_t a, write_only image2d_t b) { int2 c = (int2)(get_global_id(0), "
      "get_global_id(1));\n"
      "write_imageui(b, c, read_imageui(a, c)); }");
  for (const cl_image_format& format : formats) {
    const cl_channel_type type = format.image_channel_data_type;
    const bool is_signed = type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32;
    const bool is_unsigned = type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32;
    cl_mem from = image(CL_MEM_READ_ONLY, format, 5, 3), to = image(CL_MEM_WRITE_ONLY, format, 5, 3);
    const std::array<float, 4> color{0.25f, 0.5f, 1, 0.75f};
    const std::array<cl_int, 4> numbers{1, 20, 99, 127};
    const void* fill = is_signed || is_unsigned ? static_cast<const void*>(numbers.data()) : color.data();
    const std::array<size_t, 3> origin{0, 0, 0}, region{5, 3, 1};
    ASSERT_EQ(::clEnqueueFillImage(queue, from, fill, origin.data(), region.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    cl_kernel run = is_signed ? whole : is_unsigned ? natural : real;
    ASSERT_EQ(::clSetKernelArg(run, 0, sizeof from, &from), CL_SUCCESS);
    ASSERT_EQ(::clSetKernelArg(run, 1, sizeof to, &to), CL_SUCCESS);
    ASSERT_EQ(::clEnqueueNDRangeKernel(queue, run, 2, nullptr, region.data(), nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    std::vector<std::byte> before(5 * 3 * 16), after(5 * 3 * 16);
    ASSERT_EQ(::clEnqueueReadImage(queue, from, CL_TRUE, origin.data(), region.data(), 0, 0, before.data(), 0,
                                   nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(::clEnqueueReadImage(queue, to, CL_TRUE, origin.data(), region.data(), 0, 0, after.data(), 0,
                                   nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(before, after) << std::hex << format.image_channel_order << " " << type;
    EXPECT_NE(before, std::vector<std::byte>(before.size()))
        << std::hex << format.image_channel_order << " " << type;
    ::clReleaseMemObject(from);
    ::clReleaseMemObject(to);
  }
  for (cl_kernel made : {real, whole, natural}) ::clReleaseKernel(made);
}

TEST_F(Images, SamplersOfTheApiFilter) {
  start();
  cl_kernel filter = kernel(
      "kernel void k(read_only image2d_t a, sampler_t s, global float* o) { o[0] = read_imagef(a, s, "
      "(float2)(0.5f, 0.5f)).x; }");
  cl_mem from = image(CL_MEM_READ_ONLY, {CL_R, CL_FLOAT}, 2, 1), out = buffer(4);
  const float texels[2] = {10, 30};
  const std::array<size_t, 3> origin{0, 0, 0}, region{2, 1, 1};
  ASSERT_EQ(::clEnqueueWriteImage(queue, from, CL_TRUE, origin.data(), region.data(), 0, 0, texels, 0,
                                  nullptr, nullptr),
            CL_SUCCESS);
  for (const bool linear : {false, true}) {
    cl_int error = 0;
    cl_sampler sampler = ::clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP_TO_EDGE,
                                           linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
    ASSERT_EQ(error, CL_SUCCESS);
    ASSERT_EQ(::clSetKernelArg(filter, 0, sizeof from, &from), CL_SUCCESS);
    ASSERT_EQ(::clSetKernelArg(filter, 1, sizeof sampler, &sampler), CL_SUCCESS);
    ASSERT_EQ(::clSetKernelArg(filter, 2, sizeof out, &out), CL_SUCCESS);
    const size_t one = 1;
    ASSERT_EQ(::clEnqueueNDRangeKernel(queue, filter, 1, nullptr, &one, nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    EXPECT_EQ(contents<float>(out, 1)[0], linear ? 20.0f : 30.0f);
    ::clReleaseSampler(sampler);
  }
}

}  // namespace
}  // namespace heddle::opencl::testing
