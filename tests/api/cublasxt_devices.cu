// cuBLASXt divides a product of host matrices among the devices that were chosen, tile by tile.
// RUN: %nvcc %s -o %t -lcublas
// RUN: env HEDDLE_DEVICES=h200,h200 LD_LIBRARY_PATH=%toolkit/lib64 %toolkit/bin/nvprof --print-gpu-trace %t 2>&1 | FileCheck %s
#include <cublasXt.h>

#include <cstdio>
#include <vector>

// CHECK-DAG: status 0, device 1 before and after, right 1
// CHECK-DAG: (0) {{.*}}gemm
// CHECK-DAG: (1) {{.*}}gemm

int main() {
  const size_t n = 96;
  std::vector<double> a(n * n), b(n * n), c(n * n);
  for (size_t i = 0; i < n * n; ++i) {
    a[i] = static_cast<double>(i % 7);
    b[i] = static_cast<double>(i % 5);
  }
  cublasXtHandle_t handle;
  int devices[] = {0, 1}, before = -1, after = -1;
  cudaSetDevice(1);
  cudaGetDevice(&before);
  int status = cublasXtCreate(&handle);
  status += cublasXtDeviceSelect(handle, 2, devices);
  status += cublasXtSetBlockDim(handle, 32);
  const double alpha = 1, beta = 0;
  status += cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &alpha, a.data(), n, b.data(), n, &beta, c.data(), n);
  cudaGetDevice(&after);
  bool right = true;
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (size_t p = 0; p < n; ++p) sum += a[i + p * n] * b[p + j * n];
      right = right && c[i + j * n] == sum;
    }
  std::printf("status %d, device %d before and after, right %d\n", status, before == after ? after : -1, right);
  cublasXtDestroy(handle);
}
