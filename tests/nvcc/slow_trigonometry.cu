// OpenCL Programming Guide 3.4.1: the slow way of sin, for large arguments, uses local memory. 28 bytes in single precision and 40 in double are what
// toolkits of the devices' time print; -use_fast_math has no slow way. For 9.0 nvcc 13.0 says 0 for one call, 32 for two, 40 for doubles.
// RUN: %nvcc -arch=sm_13 -cubin -Xptxas -v %s -o %t.13 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: %nvcc -arch=sm_20 -cubin -Xptxas -v %s -o %t.20 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: Function properties for twice
// OLD-NEXT: {{^}}    40 bytes stack frame,
// OLD: Function properties for both
// OLD-NEXT: {{^}}    28 bytes stack frame,
// OLD: Function properties for once
// OLD-NEXT: {{^}}    28 bytes stack frame,
// RUN: %nvcc -arch=sm_90 -cubin -Xptxas -v %s -o %t.90 2>&1 | FileCheck %s --check-prefix=NEW
// NEW: Function properties for twice
// NEW-NEXT: {{^}}    40 bytes stack frame,
// NEW: Function properties for both
// NEW-NEXT: {{^}}    32 bytes stack frame,
// NEW: Function properties for once
// NEW-NEXT: {{^}}    0 bytes stack frame,
// RUN: %nvcc -arch=sm_20 -use_fast_math -cubin -Xptxas -v %s -o %t.fast 2>&1 | FileCheck %s --check-prefix=FAST
// FAST: Function properties for once
// FAST-NEXT: {{^}}    0 bytes stack frame,
//
// Programs are told the same.
// RUN: %nvcc -arch=sm_13 %s -o %t && env HEDDLE_DEVICE=gtx285 %t | FileCheck %s --check-prefix=TOLD
// TOLD: {{^}}local 28 28 40{{$}}
#include <cstdio>

extern "C" __global__ void once(float* a) { a[threadIdx.x] = sinf(a[threadIdx.x]); }
extern "C" __global__ void both(float* a) { a[threadIdx.x] = sinf(a[threadIdx.x]) + cosf(a[threadIdx.x + 1]); }
extern "C" __global__ void twice(double* a) { a[threadIdx.x] = sin(a[threadIdx.x]); }

int main() {
  cudaFuncAttributes one, two, of_doubles;
  cudaFuncGetAttributes(&one, once);
  cudaFuncGetAttributes(&two, both);
  cudaFuncGetAttributes(&of_doubles, twice);
  std::printf("local %zu %zu %zu\n", one.localSizeBytes, two.localSizeBytes, of_doubles.localSizeBytes);
}
