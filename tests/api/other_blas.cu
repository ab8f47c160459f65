// A program may have functions of a BLAS's names that are not what Heddle's libraries need: theirs are OpenBLAS's all the same.
// RUN: %nvcc %s -o %t -lcublas -Xlinker --export-dynamic && env LD_LIBRARY_PATH=%toolkit/lib64 %t | FileCheck %s
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

// CHECK: product 400, dot 800, triangle 2

#define NOT_THIS(name) \
  extern "C" void name() { std::abort(); }
NOT_THIS(dgemm_)
NOT_THIS(dtrsm_)
NOT_THIS(cblas_ddot)
NOT_THIS(openblas_set_num_threads)

int main() {
  const int n = 200;
  const double one = 1, none = 0;
  std::vector<double> ones(n * n, 1), twos(n * n, 2);
  double *a, *b, *c, dot = 0, first = 0, second = 0;
  for (double** p : {&a, &b, &c}) cudaMalloc(p, sizeof(double) * n * n);
  cudaMemcpy(a, ones.data(), sizeof(double) * n * n, cudaMemcpyHostToDevice);
  cudaMemcpy(b, twos.data(), sizeof(double) * n * n, cudaMemcpyHostToDevice);
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a, n, b, n, &none, c, n);
  cublasDdot(handle, 2 * n, a, 1, b, 1, &dot);
  cublasDtrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, n, n, &one, a, n, b, n);
  cudaMemcpy(&first, c + n + 1, sizeof first, cudaMemcpyDeviceToHost);
  cudaMemcpy(&second, b, sizeof second, cudaMemcpyDeviceToHost);
  std::printf("product %g, dot %g, triangle %g\n", first, dot, second);
}
