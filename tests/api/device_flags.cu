// Flags of a device that has its context: drivers take them from 12.0 on (an H200's does), before they refused (CUDA C Best Practices Guide 3.1.3).
// RUN: %nvcc %s -o %t
// RUN: %t | FileCheck %s --check-prefix=NEW
// RUN: env HEDDLE_DRIVER_VERSION=11.4 %t | FileCheck %s --check-prefix=OLD
// NEW: before cudaSuccess, after cudaSuccess
// OLD: before cudaSuccess, after cudaErrorSetOnActiveProcess
#include <cstdio>

int main() {
  const cudaError_t before = cudaSetDeviceFlags(cudaDeviceMapHost);
  cudaFree(nullptr);
  std::printf("before %s, after %s\n", cudaGetErrorName(before),
              cudaGetErrorName(cudaSetDeviceFlags(cudaDeviceScheduleYield)));
  return 0;
}
