// The host's code of one unit launches a kernel and reads a variable of another.
// RUN: %nvcc -arch=sm_80 -rdc=true %s %S/Inputs/kernel_unit.cu -o %t && %t
// RUN: %nvcc -arch=sm_80 -rdc=true -ptx %s -o - | FileCheck %s
// CHECK-NOT: elsewhere
#include <cstdio>

__global__ void elsewhere(int* out);
extern __device__ int counter_elsewhere;
__global__ void here(int* out) { *out += 1; }

int main() {
  int *out, seven = 7;
  cudaMallocManaged(&out, sizeof *out);
  cudaMemcpyToSymbol(counter_elsewhere, &seven, sizeof seven);
  elsewhere<<<1, 1>>>(out);
  here<<<1, 1>>>(out);
  if (cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess || *out != 8) {
    std::printf("%s, %d\n", cudaGetErrorString(error), *out);
    return 1;
  }
}
