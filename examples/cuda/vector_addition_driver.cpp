// The sum of two vectors by the driver API: the program loads the kernel from a file, PTX or a fat binary,
// and launches it in today's way and as in the days of CUDA 2 and 3 (CUDA C Best Practices Guide 4.0, 1.4.2,
// listing 1.2).
//
//     nvcc -ptx vector_addition_kernel.cu
//     nvcc vector_addition_driver.cpp -o vector_addition_driver -lcuda && ./vector_addition_driver
//     vector_addition_kernel.ptx
#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                   \
  do {                                                                \
    const CUresult status = (call);                                   \
    if (status != CUDA_SUCCESS) {                                     \
      const char* words = "an error without words";                   \
      cuGetErrorString(status, &words);                               \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, words); \
      std::exit(1);                                                   \
    }                                                                 \
  } while (0)

constexpr unsigned threads = 512, blocks = 3;
constexpr int n = threads * blocks - 100;

struct Vectors {
  CUdeviceptr a, b, sum;
};

// Every argument by its address.
void launch(CUfunction kernel, Vectors vectors) {
  int count = n;
  void* arguments[] = {&vectors.a, &vectors.b, &vectors.sum, &count};
  CHECK(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments, nullptr));
}

// The arguments one after the other, each at a multiple of its alignment; shape and size set before the
// launch.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
void launch_old(CUfunction kernel, Vectors vectors) {
  int offset = 0;
  const auto pass = [&](auto value) {
    const int alignment = alignof(decltype(value));
    offset = (offset + alignment - 1) / alignment * alignment;
    CHECK(cuParamSetv(kernel, offset, &value, sizeof value));
    offset += sizeof value;
  };
  pass(vectors.a);
  pass(vectors.b);
  pass(vectors.sum);
  pass(n);
  CHECK(cuParamSetSize(kernel, offset));
  CHECK(cuFuncSetBlockShape(kernel, threads, 1, 1));
  CHECK(cuLaunchGrid(kernel, blocks, 1));
}
#pragma GCC diagnostic pop

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE with the kernel, PTX or a fat binary\n", argv[0]);
    return 2;
  }
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));  // cuCtxCreate has other parameters since CUDA 13
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoad(&module, argv[1]));
  CHECK(cuModuleGetFunction(&kernel, module, "vector_add"));

  std::vector<float> a(n), b(n), sum(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.25f * static_cast<float>(n - i);
  }
  const std::size_t bytes = n * sizeof(float);
  Vectors vectors;
  CHECK(cuMemAlloc(&vectors.a, bytes));
  CHECK(cuMemAlloc(&vectors.b, bytes));
  CHECK(cuMemAlloc(&vectors.sum, bytes));
  CHECK(cuMemcpyHtoD(vectors.a, a.data(), bytes));
  CHECK(cuMemcpyHtoD(vectors.b, b.data(), bytes));

  const struct {
    const char* name;
    void (*launch)(CUfunction, Vectors);
  } ways[] = {{"cuLaunchKernel", launch}, {"cuLaunchGrid", launch_old}};
  for (const auto& way : ways) {
    CHECK(cuMemsetD8(vectors.sum, 0xff, bytes));
    way.launch(kernel, vectors);
    CHECK(cuMemcpyDtoH(sum.data(), vectors.sum, bytes));
    for (int i = 0; i < n; ++i) {
      if (sum[i] == a[i] + b[i]) continue;
      std::printf("%s is wrong: value %d is %g, not %g\n", way.name, i, sum[i], a[i] + b[i]);
      return 1;
    }
    std::printf("%s is right\n", way.name);
  }
  CHECK(cuMemFree(vectors.a));
  CHECK(cuMemFree(vectors.b));
  CHECK(cuMemFree(vectors.sum));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
