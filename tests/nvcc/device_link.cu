// A device link complains of what no object has, as nvlink does.
// RUN: cp %s %t.calls.cu && cp %s %t.has.cu
// RUN: %nvcc -dc -DCALLS %t.calls.cu -o %t.calls.o && %nvcc -dc -DHAS %t.has.cu -o %t.has.o
// RUN: not %nvcc -dlink %t.calls.o -o %t.link.o 2>&1 | FileCheck %s
// RUN: not %nvcc %t.calls.o -o %t 2>&1 | FileCheck %s
// RUN: %nvcc -dlink %t.calls.o %t.has.o -o %t.link.o && %nvcc %t.calls.o %t.has.o -o %t && %t
// RUN: rm -f %t.a && ar cr %t.a %t.has.o && %nvcc %t.calls.o %t.a -o %t && %t
// CHECK-DAG: nvlink error   : Undefined reference to '_Z4worki' in '{{.*}}calls.o'
// CHECK-DAG: nvlink error   : Undefined reference to 'table' in '{{.*}}calls.o'
// CHECK-DAG: nvlink error   : Undefined reference to '_Z5childPi' in '{{.*}}calls.o'
#include <cstdio>
#ifdef CALLS
extern __device__ int work(int);
extern __device__ int table[4];
__global__ void child(int*);
__global__ void kernel(int* out) {
  *out = work(table[1]) + (int)sinf(0.0f);
  printf("");
  child<<<1, 1>>>(out);
}
int main() {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  kernel<<<1, 1>>>(out);
  return cudaDeviceSynchronize() != cudaSuccess || *out != 21;
}
#endif
#ifdef HAS
__device__ int table[4] = {1, 10};
__device__ int work(int x) { return 2 * x; }
__global__ void child(int* out) { *out += 1; }
#endif
