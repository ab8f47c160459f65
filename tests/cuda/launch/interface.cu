// PTX as other compilers make it, by the driver API.
// RUN: %nvcc %s -o %t -lcuda -Xlinker -rpath=%lib64 && %t %S/Inputs/interface.ptx
// RUN: env HEDDLE_EXECUTOR=interp %t %S/Inputs/interface.ptx
#include <cstdio>
#include <cuda.h>

#define GOOD(call) if (const CUresult error = (call)) return printf("%s: %d\n", #call, error), 1

int main(int, char** argument) {
  CUcontext context;
  CUmodule module;
  CUfunction parent;
  CUdeviceptr out;
  GOOD(cuInit(0));
  GOOD(cuCtxCreate(&context, 0, 0));
  GOOD(cuModuleLoad(&module, argument[1]));
  GOOD(cuModuleGetFunction(&parent, module, "parent"));
  GOOD(cuMemAlloc(&out, 64));
  GOOD(cuMemsetD8(out, 0, 64));
  void* arguments[] = {&out};
  GOOD(cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0));
  GOOD(cuCtxSynchronize());
  struct {
    long long sum;
    int errors[4];
  } got;
  GOOD(cuMemcpyDtoH(&got, out, sizeof got));
  const bool right = got.sum == 64 * 13 + 7 * 1000 && got.errors[0] == 0 && got.errors[1] == 0 &&
                     got.errors[2] == CUDA_ERROR_INVALID_VALUE && got.errors[3] == CUDA_ERROR_INVALID_VALUE;
  if (!right) printf("%lld %d %d %d %d\n", got.sum, got.errors[0], got.errors[1], got.errors[2], got.errors[3]);
  return !right;
}
