// A copy between devices runs behind what both have been given, and what they are given later runs behind it (CUDA
// Runtime API, cudaMemcpyPeer). What several devices would do together is refused.
// RUN: %nvcc -Wno-deprecated-declarations %s -o %t -lcuda
// RUN: env HEDDLE_DEVICES=h200,h200 %t && env HEDDLE_DEVICES=h200,h200 HEDDLE_EXECUTOR=interp %t
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdio>

__global__ void late(volatile int* out, int value) {
  const long long start = clock64();
  while (clock64() - start < 20'000'000) {
  }
  *out = value;
}
__global__ void nothing() {}

static int failures = 0;
static void expect(bool right, const char* what) {
  if (!right) std::printf("%s\n", what), ++failures;
}

static int *first, *second;
static int value_of(const int* p) {
  int value = -1;
  cudaMemcpy(&value, p, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

// `copy` on whichever device is current.
template <class F>
static void both_orders(const char* what, F copy) {
  for (int current = 0; current < 2; ++current) {
    cudaStream_t own;
    cudaSetDevice(0);
    cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    cudaMemset(first, 0, 4);
    cudaDeviceSynchronize();
    late<<<1, 1, 0, own>>>(first, 77);
    cudaSetDevice(current);
    expect(copy() == 0, what);
    // Behind the copy, though another stream's of the source.
    cudaSetDevice(0);
    cudaMemsetAsync(first, 0, 4, own);
    cudaSetDevice(1);
    expect(value_of(second) == 77, what);
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    cudaStreamDestroy(own);
  }
}

int main() {
  cudaSetDevice(1);
  expect(cudaMalloc(&second, 4) == cudaSuccess, "second device");
  cudaSetDevice(0);
  cudaMalloc(&first, 4);
  both_orders("cudaMemcpyPeer", [] { return static_cast<int>(cudaMemcpyPeer(second, 1, first, 0, 4)); });
  both_orders("cudaMemcpy3DPeer", [] {
    cudaMemcpy3DPeerParms p{};
    p.srcPtr = make_cudaPitchedPtr(first, 4, 4, 1);
    p.dstPtr = make_cudaPitchedPtr(second, 4, 4, 1);
    p.dstDevice = 1;
    p.extent = make_cudaExtent(4, 1, 1);
    return static_cast<int>(cudaMemcpy3DPeer(&p));
  });
  CUcontext contexts[2];
  for (int i = 0; i < 2; ++i) cuDevicePrimaryCtxRetain(&contexts[i], i);
  both_orders("cuMemcpyPeer", [&] {
    return static_cast<int>(cuMemcpyPeer(reinterpret_cast<CUdeviceptr>(second), contexts[1],
                                         reinterpret_cast<CUdeviceptr>(first), contexts[0], 4));
  });
  both_orders("cuMemcpy3DPeer", [&] {
    CUDA_MEMCPY3D_PEER p{};
    p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    p.srcDevice = reinterpret_cast<CUdeviceptr>(first);
    p.dstDevice = reinterpret_cast<CUdeviceptr>(second);
    p.srcContext = contexts[0];
    p.dstContext = contexts[1];
    p.WidthInBytes = 4;
    p.Height = p.Depth = 1;
    return static_cast<int>(cuMemcpy3DPeer(&p));
  });

  CUDA_LAUNCH_PARAMS together{};
  expect(cuLaunchCooperativeKernelMultiDevice(&together, 1, 0) == CUDA_ERROR_NOT_SUPPORTED, "driver: several devices");
#if CUDART_VERSION < 13000
  cudaLaunchParams launch{};
  launch.func = reinterpret_cast<void*>(nothing);
  launch.gridDim = launch.blockDim = 1;
  expect(cudaLaunchCooperativeKernelMultiDevice(&launch, 1) == cudaErrorNotSupported, "several devices");
  expect(cudaLaunchCooperativeKernelMultiDevice(&launch, 1, 4) == cudaErrorInvalidValue, "its flags");
#endif
  int can = -1;
  expect(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_COOPERATIVE_MULTI_DEVICE_LAUNCH, 0) == CUDA_SUCCESS && can == 0,
         "attribute");
  return failures != 0;
}
