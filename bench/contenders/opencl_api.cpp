#include "opencl_api.h"

#include <dlfcn.h>

namespace heddle::bench::cl {

std::string load(Api& api) {
  void* library = nullptr;
  for (const char* name : {"libOpenCL.so.1", "libOpenCL.so"})
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return "no OpenCL loader (libOpenCL.so.1)";
  std::string missing;
  const auto find = [&]<class F>(F*& function, const char* name) {
    function = reinterpret_cast<F*>(dlsym(library, name));
    if (function == nullptr && missing.empty()) missing = std::string("the OpenCL loader has no ") + name;
  };
#define BENCH_FIND(name) find(api.name, #name)
  BENCH_FIND(clGetPlatformIDs);
  BENCH_FIND(clGetPlatformInfo);
  BENCH_FIND(clGetDeviceIDs);
  BENCH_FIND(clGetDeviceInfo);
  BENCH_FIND(clCreateContext);
  BENCH_FIND(clCreateCommandQueue);
  BENCH_FIND(clCreateProgramWithSource);
  BENCH_FIND(clBuildProgram);
  BENCH_FIND(clGetProgramBuildInfo);
  BENCH_FIND(clCreateKernel);
  BENCH_FIND(clSetKernelArg);
  BENCH_FIND(clEnqueueNDRangeKernel);
  BENCH_FIND(clCreateBuffer);
  BENCH_FIND(clReleaseMemObject);
  BENCH_FIND(clEnqueueReadBuffer);
  BENCH_FIND(clEnqueueWriteBuffer);
  BENCH_FIND(clEnqueueCopyBuffer);
  BENCH_FIND(clEnqueueFillBuffer);
  BENCH_FIND(clFinish);
#undef BENCH_FIND
  return missing;
}

}  // namespace heddle::bench::cl
