// The few functions of OpenCL 1.2 that the contender calls, found in the machine's loader when it has one, so
// that neither headers nor a library are needed to build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace heddle::bench::cl {

struct Object;  // every handle of OpenCL
using Handle = Object*;

constexpr uint64_t device_type_all = 0xffffffff, memory_read_write = 1, memory_copy_host = 1u << 5;
constexpr uint32_t platform_name = 0x0902, platform_version = 0x0901, device_name = 0x102b,
                   build_log = 0x1183;

struct Api {
  int32_t (*clGetPlatformIDs)(uint32_t, Handle*, uint32_t*);
  int32_t (*clGetPlatformInfo)(Handle, uint32_t, std::size_t, void*, std::size_t*);
  int32_t (*clGetDeviceIDs)(Handle, uint64_t, uint32_t, Handle*, uint32_t*);
  int32_t (*clGetDeviceInfo)(Handle, uint32_t, std::size_t, void*, std::size_t*);
  Handle (*clCreateContext)(const intptr_t*, uint32_t, const Handle*,
                            void (*)(const char*, const void*, std::size_t, void*), void*, int32_t*);
  Handle (*clCreateCommandQueue)(Handle, Handle, uint64_t, int32_t*);
  Handle (*clCreateProgramWithSource)(Handle, uint32_t, const char**, const std::size_t*, int32_t*);
  int32_t (*clBuildProgram)(Handle, uint32_t, const Handle*, const char*, void (*)(Handle, void*), void*);
  int32_t (*clGetProgramBuildInfo)(Handle, Handle, uint32_t, std::size_t, void*, std::size_t*);
  Handle (*clCreateKernel)(Handle, const char*, int32_t*);
  int32_t (*clSetKernelArg)(Handle, uint32_t, std::size_t, const void*);
  int32_t (*clEnqueueNDRangeKernel)(Handle, Handle, uint32_t, const std::size_t*, const std::size_t*,
                                    const std::size_t*, uint32_t, const Handle*, Handle*);
  Handle (*clCreateBuffer)(Handle, uint64_t, std::size_t, void*, int32_t*);
  int32_t (*clReleaseMemObject)(Handle);
  int32_t (*clEnqueueReadBuffer)(Handle, Handle, uint32_t, std::size_t, std::size_t, void*, uint32_t,
                                 const Handle*, Handle*);
  int32_t (*clEnqueueWriteBuffer)(Handle, Handle, uint32_t, std::size_t, std::size_t, const void*, uint32_t,
                                  const Handle*, Handle*);
  int32_t (*clEnqueueCopyBuffer)(Handle, Handle, Handle, std::size_t, std::size_t, std::size_t, uint32_t,
                                 const Handle*, Handle*);
  int32_t (*clEnqueueFillBuffer)(Handle, Handle, const void*, std::size_t, std::size_t, std::size_t, uint32_t,
                                 const Handle*, Handle*);
  int32_t (*clFinish)(Handle);
};

// What is missing; empty: nothing.
std::string load(Api& api);

}  // namespace heddle::bench::cl
