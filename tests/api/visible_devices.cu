// CUDA_VISIBLE_DEVICES chooses among the devices, for both APIs.
// RUN: %nvcc %s -o %t -lcuda
// RUN: env HEDDLE_DEVICES=h200,k40,gtx480 %t | FileCheck --check-prefix=ALL %s
// RUN: env HEDDLE_DEVICES=h200,k40,gtx480 CUDA_VISIBLE_DEVICES=2,0 %t | FileCheck --check-prefix=TWO %s
// RUN: env HEDDLE_DEVICES=h200,k40,gtx480 %t uuid | FileCheck --check-prefix=UUID %s
// RUN: env CUDA_VISIBLE_DEVICES= %t 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: env CUDA_VISIBLE_DEVICES=-1 %t 2>&1 | FileCheck --check-prefix=NONE %s
// RUN: env HEDDLE_DEVICES=h200,k40 CUDA_VISIBLE_DEVICES=1,01 %t 2>&1 | FileCheck --check-prefix=TWICE %s
// RUN: env HEDDLE_DEVICES=h200,k40 CUDA_VISIBLE_DEVICES=1x,MIG-1 %t 2>&1 | FileCheck --check-prefix=SECOND %s
#include <unistd.h>
#include <cuda.h>
#include <cstdio>
#include <cstdlib>

// Once more, where only the device is seen that has the uuid, or rather one that begins so.
int again_with(const cudaUUID_t& uuid, char** words) {
  char text[16];
  const auto byte = [&](int i) { return static_cast<unsigned char>(uuid.bytes[i]); };
  std::snprintf(text, sizeof text, "GPU-%02x%02x%02x%02x", byte(0), byte(1), byte(2), byte(3));
  setenv("CUDA_VISIBLE_DEVICES", text, 1);
  return execl(words[0], words[0], static_cast<char*>(nullptr));
}

int main(int count_of_words, char** words) {
  int count = -1, driver = -1;
  cudaError_t status = cudaGetDeviceCount(&count);
  cudaDeviceProp properties;
  if (count_of_words > 1) return cudaGetDeviceProperties(&properties, 1) || again_with(properties.uuid, words);
  if (cuInit(0) == CUDA_SUCCESS) cuDeviceGetCount(&driver);
  std::printf("%s %d %d\n", cudaGetErrorName(status), count, driver);
  for (int i = 0; status == cudaSuccess && i < count; ++i) {
    cudaGetDeviceProperties(&properties, i);
    std::printf("%d %d.%d\n", i, properties.major, properties.minor);
  }
  return 0;
}
// ALL: cudaSuccess 3 3
// ALL-NEXT: 0 9.0
// ALL-NEXT: 1 3.5
// ALL-NEXT: 2 2.0
// TWO: cudaSuccess 2 2
// TWO-NEXT: 0 2.0
// TWO-NEXT: 1 9.0
// UUID: cudaSuccess 1 1
// UUID-NEXT: 0 3.5
// NONE-DAG: CUDA_VISIBLE_DEVICES: '{{(-1)?}}' leaves no device of 1
// NONE-DAG: cudaErrorNoDevice {{-?[0-9]}} -1
// TWICE-DAG: CUDA_VISIBLE_DEVICES: '1,01' names device 1 twice
// TWICE-DAG: cudaErrorInvalidDevice {{-?[0-9]}} -1
// SECOND: cudaSuccess 1 1
// SECOND-NEXT: 0 3.5
