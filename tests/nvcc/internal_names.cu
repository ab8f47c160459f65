// Kernels and variables of internal linkage in relocatable device code: every file has its own, for each architecture; one file compiled
// twice has two.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: cd %t && %nvcc -gencode arch=compute_60,code=sm_60 -gencode arch=compute_90,code=[compute_90,sm_90] -DPART=1 -dc part.cu -o 1.o
// RUN: cd %t && %nvcc -arch=sm_80 -DPART=2 -dc part.cu -o 2.o
// RUN: cd %t && %nvcc -arch=sm_80 -O2 -lineinfo -use_fast_math -rdc=true main.cu 1.o 2.o -o main && ./main | FileCheck %s
// CHECK: part 1: kernel 1, variable 1001
// CHECK: part 2: kernel 2, variable 1002
#--- part.cu
#include <cstdio>
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
static __device__ int variable = PART;
static __global__ void kernel(int* p) {
  *p = PART;
  variable += 1000;
}
namespace {
template <int n> __global__ void unnamed(int* p) { *p += n; }
}  // namespace
void JOIN(part, PART)() {
  int* p = nullptr;
  int of_kernel = 0, of_variable = 0;
  cudaMalloc(&p, sizeof(int));
  kernel<<<1, 1>>>(p);
  unnamed<0><<<1, 1>>>(p);
  cudaMemcpy(&of_kernel, p, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&of_variable, variable, sizeof(int));
  std::printf("part %d: kernel %d, variable %d\n", PART, of_kernel, of_variable);
  if (const cudaError_t error = cudaGetLastError()) std::printf("%s\n", cudaGetErrorString(error));
}
#--- main.cu
void part1();
void part2();
int main() {
  part1();
  part2();
}
