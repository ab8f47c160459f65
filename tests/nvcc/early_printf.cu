// Kernels print from 2.0 on (CUDA C Programming Guide, "Formatted Output").
// RUN: not %nvcc -arch=sm_13 %s -o %t.13 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: {{.*}}; use -arch=sm_20 or later
// RUN: not %nvcc -arch=sm_13 -DWITHOUT_VALUES %s -o %t.13 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: Unresolved extern function 'vprintf'
// RUN: %nvcc -arch=sm_20 %s -o %t && env HEDDLE_DEVICE=gtx480 %t | FileCheck %s
// CHECK: thread 0
// CHECK-NEXT: thread 1
#include <cstdio>

#ifdef WITHOUT_VALUES
__global__ void tell() { printf("a thread\n"); }
#else
__global__ void tell() { printf("thread %d\n", threadIdx.x); }
#endif

int main() {
  tell<<<1, 2>>>();
  return cudaDeviceSynchronize();
}
