// The headers that only GCC has are there for both sides of a .cu file, as with GCC for its host compiler: omp.h
// (whether or not -fopenmp is given), openacc.h, quadmath.h.
// RUN: %nvcc %s -o %t -lgomp -lquadmath && env OMP_NUM_THREADS=3 %t | FileCheck %s
// RUN: %nvcc -Xcompiler -fopenmp %s -o %t -lquadmath && env OMP_NUM_THREADS=3 %t | FileCheck %s
#include <omp.h>
#include <openacc.h>
#include <quadmath.h>

__global__ void store(int* place, int value) { *place = value; }

int main() {
  int* place;
  cudaMallocManaged(&place, sizeof(int));
  store<<<1, 1>>>(place, omp_get_max_threads());
  cudaDeviceSynchronize();
  printf("%d threads\n", *place);
  // CHECK: 3 threads
  const __float128 root = sqrtq(2);
  printf("%s\n", fabsq(root * root - 2) < 1e-33Q && root != (double)root ? "113 bits" : "fewer bits");
  // CHECK: 113 bits
}
