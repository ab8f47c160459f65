// A device link complains of what no object has, as nvlink does.
// RUN: cp %s %t.calls.cu && cp %s %t.has.cu
// RUN: %nvcc -dc -DCALLS %t.calls.cu -o %t.calls.o && %nvcc -dc -DHAS %t.has.cu -o %t.has.o
// RUN: not %nvcc -dlink %t.calls.o -o %t.link.o 2>&1 | FileCheck %s
// RUN: not %nvcc %t.calls.o -o %t 2>&1 | FileCheck %s
// RUN: %nvcc -dlink %t.calls.o %t.has.o -o %t.link.o && %nvcc %t.calls.o %t.has.o -o %t && %t
// RUN: rm -f %t.a && ar cr %t.a %t.has.o && %nvcc %t.calls.o %t.a -o %t && %t
// With -cubin or -fatbin the result is an image to load: of every object, and of those members of archives that are needed.
// RUN: rm -rf %t.image && mkdir %t.image && cd %t.image && cp %s calls.cu && cp %s has.cu && echo '__device__ int table[1]; __device__ int mine(int x) { return x; }' > other.cu
// RUN: cd %t.image && %nvcc -arch=sm_80 -dc -DCALLS calls.cu && %nvcc -arch=sm_80 -dc -DHAS has.cu && %nvcc -arch=sm_80 -dc other.cu && ar cr libhas.a has.o other.o
// RUN: cd %t.image && %nvcc -arch=sm_80 -dlink -cubin calls.o -L. -lhas && %cuobjdump -lptx a_dlink.cubin | FileCheck --check-prefix=IMAGE %s
// RUN: cd %t.image && %nvcc -arch=sm_80 -dlink -fatbin calls.o has.o -o two.fatbin && %cuobjdump -lptx two.fatbin | FileCheck --check-prefix=IMAGE %s
// RUN: cd %t.image && not %nvcc -arch=sm_80 -dlink -cubin calls.o 2>&1 | FileCheck %s && not ls a.cubin
// RUN: cd %t.image && not %nvcc -arch=sm_60 -dlink -fatbin calls.o has.o 2>&1 | FileCheck --check-prefix=OLDER %s
// RUN: cd %t.image && clang++-19 -DLOADS -x c++ %s -isystem %cuda_include -L%lib64 -lcuda -Wl,-rpath,%lib64 -o loads && ./loads two.fatbin && ./loads a_dlink.cubin
// IMAGE-COUNT-2: PTX file
// IMAGE-NOT: PTX file
// OLDER: nvlink fatal   : 'calls.o' has no code for sm_60:
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
#ifdef LOADS
#include <cuda.h>
int main(int, char** words) {
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  CUdeviceptr out;
  int value = 0;
  if (cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoad(&module, words[1])) return 1;
  if (cuModuleGetFunction(&kernel, module, "_Z6kernelPi") || cuMemAlloc(&out, sizeof(int))) return 2;
  void* arguments[] = {&out};
  if (cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr)) return 3;
  return cuMemcpyDtoH(&value, out, sizeof value) || value != 21;
}
#endif
