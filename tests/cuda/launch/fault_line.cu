// A fault is told where it happens, also to who looks at no error code: one line, the program's own place in the text, the kernel as its
// author wrote it. On both executors.
// RUN: %nvcc -std=c++17 -lineinfo %s -o %t
// RUN: %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_EXECUTOR=interp %t 2>&1 | FileCheck %s
// RUN: env HEDDLE_QUIET=1 %t 2>&1 | FileCheck --check-prefix=QUIET %s
// RUN: env CUDA_LAUNCH_BLOCKING=1 HEDDLE_QUIET=1 %t 2>&1 | FileCheck --check-prefix=BLOCKING %s
// CHECK: heddle: {{.*}}fault_line.cu:[[#@LINE+18]]:{{.*}}: illegal address: write of 4 bytes{{.*}}; kernel 'void store<int>(int*, long)', block (2,0,0), thread (3,0,0)
// CHECK-NEXT: store: launch cudaSuccess, wait cudaErrorIllegalAddress
// CHECK-NEXT: heddle: {{.*}}fault_line.cu:[[#@LINE+21]]:{{.*}}: illegal address: {{.*}}; kernel 'deep::add(int*)', block (0,0,0), thread (0,0,0)
// CHECK-NEXT: add: launch cudaSuccess, wait cudaErrorIllegalAddress
// CHECK-NEXT: heddle: {{.*}}fault_line.cu:[[#@LINE+26]]:{{.*}}: illegal address: {{.*}}; kernel 'halves(__half*)', block (0,0,0), thread (0,0,0)
// CHECK-NEXT: halves: launch cudaSuccess, wait cudaErrorIllegalAddress
// CHECK-NOT: heddle
// QUIET-NOT: heddle
// QUIET: halves: launch cudaSuccess, wait cudaErrorIllegalAddress
// BLOCKING: store: launch cudaErrorIllegalAddress, wait cudaErrorIllegalAddress
// BLOCKING: add: launch cudaErrorIllegalAddress, wait cudaErrorIllegalAddress
#include <cstdio>
#include <cuda_fp16.h>

constexpr long far = 1L << 36;
template <class T>
__global__ void store(T* p, long at) {
  if (blockIdx.x == 2 && threadIdx.x == 3)
    p[at] = 1;
}
namespace deep {
__device__ int* place(int* p) { return p + far; }
__device__ void count(int* p) {
  atomicAdd(p, 1);
}
__global__ void add(int* p) {
  count(place(p));
}
}  // namespace deep
__global__ void halves(__half* p) {
  p[far] = __hadd(p[far], p[0]);
}

template <class Launch>
void run(const char* name, Launch launch) {
  void* p;
  cudaDeviceReset();
  cudaMalloc(&p, 64);
  launch(p);
  const cudaError_t launched = cudaGetLastError(), waited = cudaDeviceSynchronize();
  std::fprintf(stderr, "%s: launch %s, wait %s\n", name, cudaGetErrorName(launched), cudaGetErrorName(waited));
}

int main() {
  run("store", [](void* p) { store<<<4, 32>>>(static_cast<int*>(p), far); });
  run("add", [](void* p) { deep::add<<<1, 1>>>(static_cast<int*>(p)); });
  run("halves", [](void* p) { halves<<<1, 1>>>(static_cast<__half*>(p)); });
}
