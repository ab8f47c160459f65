// Static variables that no host code of the file refers to: the host finds them by name and writes them, so nothing
// is known of what they hold. One that nothing changes by its type is folded.
// RUN: rm -rf %t && mkdir %t
// RUN: %nvcc -arch=sm_80 -ptx %s -o %t/device.ptx && FileCheck --check-prefix=PTX %s < %t/device.ptx
// RUN: %nvcc -arch=sm_80 -DHOST -x cu %s -o %t/host -lcuda -lnvrtc && cd %t && ./host %s | FileCheck %s
#ifndef HOST
static __constant__ int factors[4];
static __device__ int offset = 5, last;
static __device__ const int two = 2;
static __device__ int other_offset = 7;
namespace inner {
static __device__ int of_namespace = 11;
}

extern "C" __global__ void scale(int* out) {
  const int i = threadIdx.x;
  out[i] = two * factors[i] + offset + other_offset + inner::of_namespace;
  last = i;
}
// PTX-DAG: .const .align 4 .b8 factors[16]
// PTX-DAG: .global .align 4 .u32 offset = 5
// PTX-DAG: .global .align 4 .u32 last
// PTX-DAG: .global .align 4 .u32 other_offset = 7
// PTX-NOT: two
#else
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

void run(const char* how, const char* image) {
  CUmodule module;
  CUfunction scale;
  CUdeviceptr factors, offset, last;
  CUresult status = cuModuleLoadData(&module, image);
  if (status == CUDA_SUCCESS) status = cuModuleGetFunction(&scale, module, "scale");
  if (status == CUDA_SUCCESS) status = cuModuleGetGlobal(&factors, nullptr, module, "factors");
  if (status == CUDA_SUCCESS) status = cuModuleGetGlobal(&offset, nullptr, module, "offset");
  if (status == CUDA_SUCCESS) status = cuModuleGetGlobal(&last, nullptr, module, "last");
  if (status != CUDA_SUCCESS) {
    std::printf("%s: error %d\n", how, status);
    return;
  }
  const int numbers[] = {10, 20, 30, 40}, hundred = 100;
  cuMemcpyHtoD(factors, numbers, sizeof numbers);
  cuMemcpyHtoD(offset, &hundred, sizeof hundred);
  CUdeviceptr out;
  cuMemAlloc(&out, sizeof numbers);
  void* arguments[] = {&out};
  cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr);
  int results[4] = {}, end = 0;
  cuMemcpyDtoH(results, out, sizeof results);
  cuMemcpyDtoH(&end, last, sizeof end);
  std::printf("%s: %d %d %d %d, %s\n", how, results[0], results[1], results[2], results[3],
              end >= 0 && end < 4 ? "one of four" : "none");
}

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int main(int, char** arguments) {
  CUdevice device;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&context, 0, device);
  run("nvcc", text_of("device.ptx").c_str());
  // CHECK: nvcc: 138 158 178 198, one of four
  const std::string source = text_of(arguments[1]);
  nvrtcProgram program;
  nvrtcCreateProgram(&program, source.c_str(), "source.cu", 0, nullptr, nullptr);
  nvrtcCompileProgram(program, 0, nullptr);
  size_t size = 0;
  nvrtcGetPTXSize(program, &size);
  std::string ptx(size, 0);
  nvrtcGetPTX(program, ptx.data());
  run("nvrtc", ptx.c_str());
  // CHECK: nvrtc: 138 158 178 198, one of four
}
#endif
