// What the OpenCL examples share: calls that fail end the program, a program from source on the first device,
// results held to the host's.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

inline void check(cl_int error, const char* call, const char* file, int line) {
  if (error == CL_SUCCESS) return;
  std::fprintf(stderr, "%s:%d: %s: error %d\n", file, line, call, error);
  std::exit(1);
}

// The first device of the first platform with a context, a queue and a program.
class OpenCl {
 public:
  explicit OpenCl(const char* source, const char* options = "") {
    cl_platform_id platform;
    CHECK(clGetPlatformIDs(1, &platform, nullptr));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    cl_int error;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    CHECK(error);
    queue = clCreateCommandQueue(context, device, 0, &error);
    CHECK(error);
    program = clCreateProgramWithSource(context, 1, &source, nullptr, &error);
    CHECK(error);
    if (clBuildProgram(program, 1, &device, options, nullptr, nullptr) != CL_SUCCESS) {
      std::string log(1 << 16, '\0');
      CHECK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr));
      std::fprintf(stderr, "%s\n", log.c_str());
      std::exit(1);
    }
  }
  OpenCl(const OpenCl&) = delete;
  OpenCl& operator=(const OpenCl&) = delete;
  ~OpenCl() {
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }
  cl_kernel kernel(const char* name) const {
    cl_int error;
    cl_kernel made = clCreateKernel(program, name, &error);
    check(error, name, __FILE__, __LINE__);
    return made;
  }

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_program program = nullptr;
};

// Ends the program at the first value that differs.
inline void expect(const char* what, const std::vector<float>& found, const std::vector<float>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (found[i] == expected[i]) continue;
    std::printf("%s is wrong: value %zu is %g, not %g\n", what, i, found[i], expected[i]);
    std::exit(1);
  }
  std::printf("%s is right\n", what);
}
