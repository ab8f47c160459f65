// A platform of chosen devices for tests, and short words for what they do again and again.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

#include "api/opencl/headers.h"
#include "api/opencl/platform.h"

namespace heddle::opencl::testing {

class OpenClTest : public ::testing::Test {
 protected:
  // The devices by name; a context and a queue on the first.
  void start(std::initializer_list<std::string_view> names = {"gtx480"}, const std::string& inject = {},
             cl_command_queue_properties properties = CL_QUEUE_PROFILING_ENABLE) {
    finish();
    runtime::SystemOptions options;
    for (const std::string_view name : names) options.devices.push_back(*arch::find_device(name));
    options.inject = inject;
    options.print = [this](std::string_view text) {
      const std::lock_guard lock(printing);
      printed += text;
    };
    Platform::replace(std::move(options));
    ASSERT_EQ(::clGetPlatformIDs(1, &platform, nullptr), CL_SUCCESS);
    devices.resize(names.size());
    ASSERT_EQ(::clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, static_cast<cl_uint>(names.size()),
                               devices.data(), nullptr),
              CL_SUCCESS);
    device = devices.front();
    cl_int error = 0;
    context = ::clCreateContext(nullptr, static_cast<cl_uint>(names.size()), devices.data(), nullptr, nullptr,
                                &error);
    ASSERT_EQ(error, CL_SUCCESS);
    queue = ::clCreateCommandQueue(context, device, properties, &error);
    ASSERT_EQ(error, CL_SUCCESS);
  }
  void finish() {
    if (queue != nullptr) ::clReleaseCommandQueue(queue);
    if (context != nullptr) ::clReleaseContext(context);
    queue = nullptr;
    context = nullptr;
  }
  void TearDown() override { finish(); }

  cl_mem buffer(size_t bytes, cl_mem_flags flags = 0, void* host = nullptr) {
    cl_int error = 0;
    cl_mem memory = ::clCreateBuffer(context, flags, bytes, host, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    return memory;
  }
  cl_program program(const std::string& ptx) {
    const size_t length = ptx.size();
    const auto* bytes = reinterpret_cast<const unsigned char*>(ptx.data());
    cl_int error = 0;
    cl_program made = ::clCreateProgramWithBinary(context, 1, &device, &length, &bytes, nullptr, &error);
    EXPECT_EQ(error, CL_SUCCESS);
    EXPECT_EQ(::clBuildProgram(made, 0, nullptr, nullptr, nullptr, nullptr), CL_SUCCESS);
    return made;
  }
  template <class T>
  std::vector<T> contents(cl_mem memory, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(::clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(T), values.data(), 0, nullptr,
                                    nullptr),
              CL_SUCCESS);
    return values;
  }
  template <class T>
  T device_info(cl_device_info name) {
    T value{};
    EXPECT_EQ(::clGetDeviceInfo(device, name, sizeof value, &value, nullptr), CL_SUCCESS);
    return value;
  }
  std::string device_text(cl_device_info name) {
    size_t bytes = 0;
    EXPECT_EQ(::clGetDeviceInfo(device, name, 0, nullptr, &bytes), CL_SUCCESS);
    std::string value(bytes, '?');
    EXPECT_EQ(::clGetDeviceInfo(device, name, bytes, value.data(), nullptr), CL_SUCCESS);
    value.resize(bytes - 1);
    return value;
  }

  cl_platform_id platform = nullptr;
  std::vector<cl_device_id> devices;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  std::mutex printing;
  std::string printed;
};

}  // namespace heddle::opencl::testing
