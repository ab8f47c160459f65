// "Memory of one context cannot be accessed from another" (CUDA C Best Practices Guide 8.2): so it is where each
// context has addresses of its own. From 2.0 on contexts of one device have one memory, as on an H200.
// RUN: %nvcc -w -arch=sm_13 %s -lcuda -o %t
// RUN: env HEDDLE_DEVICE=gtx285 %t 2>/dev/null | FileCheck %s --check-prefix=OWN
// RUN: env HEDDLE_DEVICE=gtx285 HEDDLE_EXECUTOR=interp %t 2>/dev/null | FileCheck %s --check-prefix=OWN
// RUN: %nvcc -w -arch=sm_20 %s -lcuda -o %t
// RUN: env HEDDLE_DEVICE=gtx480 %t | FileCheck %s --check-prefix=ONE
// RUN: env HEDDLE_DEVICE=gtx480 HEDDLE_EXECUTOR=interp %t | FileCheck %s --check-prefix=ONE
// OWN: fill: cudaErrorInvalidValue
// OWN-NEXT: to the device: cudaErrorInvalidValue
// OWN-NEXT: to the host: cudaErrorInvalidValue
// OWN-NEXT: kernel: cudaErrorIllegalAddress
// OWN-NEXT: theirs: cudaSuccess 5 5 5 5
// ONE: fill: cudaSuccess
// ONE-NEXT: to the device: cudaSuccess
// ONE-NEXT: to the host: cudaSuccess
// ONE-NEXT: kernel: cudaSuccess
// ONE-NEXT: theirs: cudaSuccess 9 9 9 9
#include <cstdio>
#include <cuda.h>

__global__ void write(int* p) { p[threadIdx.x] = 9; }

int main() {
  cudaFree(nullptr);
  CUcontext mine, theirs;
  CUdevice device;
  CUdeviceptr memory;
  int host[4] = {5, 5, 5, 5};
  cuCtxGetCurrent(&mine);
  cuDeviceGet(&device, 0);
  cuCtxCreate(&theirs, 0, device);
  cuMemAlloc(&memory, sizeof host);
  cuMemcpyHtoD(memory, host, sizeof host);
  cuCtxSetCurrent(mine);
  void* const pointer = reinterpret_cast<void*>(memory);
  int seen[4];
  std::printf("fill: %s\n", cudaGetErrorName(cudaMemset(pointer, 0, sizeof host)));
  std::printf("to the device: %s\n", cudaGetErrorName(cudaMemcpy(pointer, seen, sizeof seen, cudaMemcpyHostToDevice)));
  std::printf("to the host: %s\n", cudaGetErrorName(cudaMemcpy(seen, pointer, sizeof seen, cudaMemcpyDeviceToHost)));
  write<<<1, 4>>>(static_cast<int*>(pointer));
  std::printf("kernel: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cuCtxSetCurrent(theirs);
  const cudaError_t copied = cudaMemcpy(seen, pointer, sizeof seen, cudaMemcpyDeviceToHost);
  std::printf("theirs: %s %d %d %d %d\n", cudaGetErrorName(copied), seen[0], seen[1], seen[2], seen[3]);
}
