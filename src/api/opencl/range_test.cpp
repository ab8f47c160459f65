// What work-item functions tell, however many launches a range becomes (OpenCL C 3.0, 6.15.1).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "api/opencl/testing.h"

namespace heddle::opencl {
namespace {

class RangeTest : public testing::OpenClTest {
 protected:
  void SetUp() override {
    start({"h200"});
    const char* source = R"(
void tell_all(global ulong* out) {
  out += get_global_linear_id() * 16;
  for (uint d = 0; d < 2; ++d) {
    out[d * 7 + 0] = get_global_id(d);
    out[d * 7 + 1] = get_global_size(d);
    out[d * 7 + 2] = get_group_id(d);
    out[d * 7 + 3] = get_num_groups(d);
    out[d * 7 + 4] = get_local_id(d);
    out[d * 7 + 5] = get_local_size(d);
    out[d * 7 + 6] = get_enqueued_local_size(d);
  }
  out[14] = get_global_offset(0) + get_global_offset(1);
  out[15] = get_work_dim();
}
kernel void tell(global ulong* out) { tell_all(out); }
kernel __attribute__((reqd_work_group_size(4, 3, 1))) void tell_required(global ulong* out) { tell_all(out); })";
    cl_int error = 0;
    program_ = ::clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    ASSERT_EQ(::clBuildProgram(program_, 1, &device, "-cl-std=CL3.0", nullptr, nullptr), CL_SUCCESS);
    take_kernel("tell");
  }
  void take_kernel(const char* name) {
    if (kernel_ != nullptr) ::clReleaseKernel(kernel_);
    cl_int error = 0;
    kernel_ = ::clCreateKernel(program_, name, &error);
    ASSERT_EQ(error, CL_SUCCESS);
  }
  void TearDown() override {
    ::clReleaseKernel(kernel_);
    ::clReleaseProgram(program_);
    finish();
  }
  using Two = std::array<size_t, 2>;
  // Of the groups that are chosen for a range without any.
  void expect_chosen(Two global) {
    cl_mem memory = buffer(sizeof(cl_ulong));
    ASSERT_EQ(::clSetKernelArg(kernel_, 0, sizeof memory, &memory), CL_SUCCESS);
    Two local{};
    ASSERT_EQ(::clGetKernelSuggestedLocalWorkSizeKHR(queue, kernel_, 2, nullptr, global.data(), local.data()),
              CL_SUCCESS);
    ::clReleaseMemObject(memory);
    expect({0, 0}, global, local, false);
  }
  void expect(Two offset, Two global, Two local, bool given = true) {
    const size_t items = global[0] * global[1];
    cl_mem memory = buffer(items * 16 * sizeof(cl_ulong));
    ASSERT_EQ(::clSetKernelArg(kernel_, 0, sizeof memory, &memory), CL_SUCCESS);
    ASSERT_EQ(::clEnqueueNDRangeKernel(queue, kernel_, 2, offset.data(), global.data(),
                                       given ? local.data() : nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    const auto told = contents<cl_ulong>(memory, items * 16);
    ::clReleaseMemObject(memory);
    for (size_t y = 0; y < global[1]; ++y)
      for (size_t x = 0; x < global[0]; ++x) {
        const cl_ulong* item = &told[(y * global[0] + x) * 16];
        const Two at{x, y};
        for (size_t d = 0; d < 2; ++d) {
          const size_t group = at[d] / local[d], groups = (global[d] + local[d] - 1) / local[d];
          const size_t size = std::min(local[d], global[d] - group * local[d]);
          const std::array<cl_ulong, 7> wanted{offset[d] + at[d], global[d], group,   groups,
                                               at[d] % local[d],  size,      local[d]};
          for (size_t i = 0; i < wanted.size(); ++i)
            ASSERT_EQ(item[d * 7 + i], wanted[i])
                << "value " << i << " of " << x << ", " << y << ", dimension " << d;
        }
        ASSERT_EQ(item[14], offset[0] + offset[1]);
        ASSERT_EQ(item[15], 2u);
      }
  }
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
};

TEST_F(RangeTest, OfWholeGroupsIsOneLaunch) { expect({0, 0}, {12, 6}, {4, 3}); }
TEST_F(RangeTest, BeginsWhereItIsTold) {
  expect({5, 7}, {12, 6}, {4, 3});
  expect({0, 0}, {12, 6}, {4, 3});  // by other code again
  expect({size_t{5} << 33, 1}, {12, 6}, {4, 3});
}
TEST_F(RangeTest, OfGroupsThatDifferIsSeveralLaunches) {
  expect({0, 0}, {13, 7}, {4, 3});
  expect({3, size_t{1} << 32}, {13, 7}, {4, 3});
  expect({0, 0}, {3, 2}, {4, 3});
}
TEST_F(RangeTest, OfRequiredGroupsEndsWithSmallerOnes) {
  take_kernel("tell_required");
  expect({0, 0}, {12, 6}, {4, 3});
  expect({1, 2}, {13, 7}, {4, 3});
}
TEST_F(RangeTest, WithoutGroupsIsOfTheSuggestedOnes) {
  expect_chosen({64, 48});
  expect_chosen({130, 7});
  expect_chosen({2003, 18});  // no parts that are good for anything: smaller groups at both ends
  take_kernel("tell_required");
  expect_chosen({13, 7});
}

TEST_F(RangeTest, OfMoreThanCanBeCountedIsRefused) {
  cl_mem memory = buffer(sizeof(cl_ulong));
  ASSERT_EQ(::clSetKernelArg(kernel_, 0, sizeof memory, &memory), CL_SUCCESS);
  const auto enqueue = [&](size_t x, size_t y, const size_t* local) {
    const std::array<size_t, 2> global{x, y};
    return ::clEnqueueNDRangeKernel(queue, kernel_, 2, nullptr, global.data(), local, 0, nullptr, nullptr);
  };
  const std::array<size_t, 2> own{256, 1};
  for (const size_t* local : {static_cast<const size_t*>(nullptr), own.data()}) {
    EXPECT_EQ(enqueue(SIZE_MAX, 1, local), CL_INVALID_GLOBAL_WORK_SIZE);
    EXPECT_EQ(enqueue(SIZE_MAX, SIZE_MAX, local), CL_INVALID_GLOBAL_WORK_SIZE);
    EXPECT_EQ(enqueue(size_t{1} << 63, 1, local), CL_INVALID_GLOBAL_WORK_SIZE);
    EXPECT_EQ(enqueue(1, SIZE_MAX - 1, local), CL_INVALID_GLOBAL_WORK_SIZE);
  }
  ::clReleaseMemObject(memory);
}

}  // namespace
}  // namespace heddle::opencl
