// What old devices cannot is refused: host memory in kernels before 1.2, memory that is managed before 3.0, and before unified
// addresses (2.0) page-locked memory of another device's context, unless it is portable.
// RUN: %nvcc %s -o %t
// RUN: env HEDDLE_DEVICE=8800gtx %t | FileCheck %s --check-prefix=G80
// RUN: env HEDDLE_DEVICES=gtx285,gtx285 %t | FileCheck %s --check-prefix=GT200
// RUN: env HEDDLE_DEVICES=gtx480,gtx480 %t | FileCheck %s --check-prefix=FERMI
// RUN: env HEDDLE_DEVICES=k40,k40 %t | FileCheck %s --check-prefix=KEPLER
#include <cstdio>
#include <cstdlib>

static const char* name(cudaError_t error) { return cudaGetErrorName(error); }

static void host(const char* what, void* memory) {
  void* seen = nullptr;
  std::printf("%s: %s", what, name(cudaHostGetDevicePointer(&seen, memory, 0)));
  int devices = 0;
  cudaGetDeviceCount(&devices);
  if (devices > 1) {
    cudaSetDevice(1);
    cudaFree(nullptr);
    std::printf(", on another device: %s", name(cudaHostGetDevicePointer(&seen, memory, 0)));
    cudaSetDevice(0);
  }
  std::printf("\n");
}

int main() {
  void *plain = nullptr, *mapped = nullptr, *portable = nullptr, *managed = nullptr;
  std::printf("%s", name(cudaHostAlloc(&plain, 4096, cudaHostAllocDefault)));
  std::printf(" %s", name(cudaHostAlloc(&mapped, 4096, cudaHostAllocMapped)));
  std::printf(" %s\n", name(cudaHostAlloc(&portable, 4096, cudaHostAllocMapped | cudaHostAllocPortable)));
  host("plain", plain);
  host("mapped", mapped);
  host("portable", portable);
  void* own = std::aligned_alloc(4096, 4096);
  cudaHostRegister(own, 4096, cudaHostRegisterMapped);
  host("registered", own);
  cudaHostUnregister(own);
  std::printf("managed: %s\n", name(cudaMallocManaged(&managed, 4096)));
}
// The failure is deferred: the memory may be another device's as well (cudaHostAlloc).
// G80: cudaSuccess cudaSuccess cudaSuccess
// G80-NEXT: plain: cudaErrorInvalidValue
// G80-NEXT: mapped: cudaErrorInvalidValue
// G80-NEXT: portable: cudaErrorInvalidValue
// G80-NEXT: registered: cudaErrorInvalidValue
// G80-NEXT: managed: cudaErrorNotSupported
// GT200: cudaSuccess cudaSuccess cudaSuccess
// GT200-NEXT: plain: cudaErrorInvalidValue, on another device: cudaErrorInvalidValue
// GT200-NEXT: mapped: cudaSuccess, on another device: cudaErrorInvalidValue
// GT200-NEXT: portable: cudaSuccess, on another device: cudaSuccess
// GT200-NEXT: registered: cudaSuccess, on another device: cudaErrorInvalidValue
// GT200-NEXT: managed: cudaErrorNotSupported
// FERMI: cudaSuccess cudaSuccess cudaSuccess
// FERMI-NEXT: plain: cudaSuccess, on another device: cudaSuccess
// FERMI-NEXT: mapped: cudaSuccess, on another device: cudaSuccess
// FERMI-NEXT: portable: cudaSuccess, on another device: cudaSuccess
// FERMI-NEXT: registered: cudaSuccess, on another device: cudaSuccess
// FERMI-NEXT: managed: cudaErrorNotSupported
// KEPLER: plain: cudaSuccess, on another device: cudaSuccess
// KEPLER: managed: cudaSuccess
