// Devices of compute capability 1.x have no stack: what a kernel calls becomes part of it, whatever the source says.
// RUN: %nvcc -ptx -arch=sm_13 %s -o - | FileCheck %s
// CHECK-NOT: .func
// CHECK: .visible .entry kernel(
// CHECK-NOT: {{call|\.func}}
// A function that calls itself cannot, and is refused.
// RUN: not %nvcc -c -arch=sm_13 -DRECURSION %s -o %t.o 2>&1 | FileCheck %s --check-prefix=RECURSION
// RECURSION: needs sm_20 or later, this module is for sm_13
__device__ __noinline__ int doubled(int x) { return x + x; }
__device__ int external(int x) { return doubled(x) + 1; }
#ifdef RECURSION
__device__ __noinline__ int again(int x) { return x < 2 ? x : again(x - 1) * again(x - 2); }
#else
__device__ int again(int x) { return x; }
#endif
extern "C" __global__ void kernel(int* x) { *x = external(*x) + again(*x); }
