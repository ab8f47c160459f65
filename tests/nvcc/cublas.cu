// A program with cuBLAS, built as on any machine: shared, and static.
// RUN: %nvcc %s -o %t -lcublas && env LD_LIBRARY_PATH=%toolkit/lib64 %t | FileCheck %s
// RUN: %nvcc %s -o %t.static -lcublas_static -lcublasLt_static -lculibos && %t.static | FileCheck %s
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void fill(float* to, int n, float first) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = first + i;
}

int main() {
  cublasHandle_t handle;
  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 1;
  float *x, *y;
  cudaMalloc(&x, 256 * sizeof(float));
  cudaMalloc(&y, 256 * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cublasSetStream(handle, stream);
  fill<<<1, 256, 0, stream>>>(x, 256, 1);
  fill<<<1, 256, 0, stream>>>(y, 256, 0);
  const float two = 2;
  cublasSaxpy(handle, 256, &two, x, 1, y, 1);  // y[i] = i + 2 (i + 1)
  float sum = 0;
  cublasSasum(handle, 256, y, 1, &sum);
  printf("sum %.0f\n", sum);  // 3 * 255 * 256 / 2 + 512
  // CHECK: sum 98432
  float product = 0;
  cublasSdot(handle, 3, x, 1, y, 1, &product);  // 1 2 3 . 2 5 8
  printf("dot %.0f\n", product);
  // CHECK: dot 36

  // 2 x 3 times 3 x 2, by columns: A = 1 3 5 / 2 4 6, B = 1 2 3 as its first column
  const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {1, 2, 3, 1, 0, 0};
  float *da, *db, *dc;
  cudaMalloc(&da, sizeof a);
  cudaMalloc(&db, sizeof b);
  cudaMalloc(&dc, 4 * sizeof(float));
  cublasSetMatrix(2, 3, sizeof(float), a, 2, da, 2);
  cublasSetMatrix(3, 2, sizeof(float), b, 3, db, 3);
  const float one = 1, zero = 0;
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, da, 2, db, 3, &zero, dc, 2);
  float c[4];
  cudaStreamSynchronize(stream);
  cublasGetMatrix(2, 2, sizeof(float), dc, 2, c, 2);
  printf("gemm %.0f %.0f %.0f %.0f\n", c[0], c[1], c[2], c[3]);
  // CHECK: gemm 22 28 1 2

  // The same in a graph, twice.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 3, &one, da, 2, db, 3, &one, dc, 2);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, stream);
  cudaGraphLaunch(exec, stream);
  cudaStreamSynchronize(stream);
  cublasGetMatrix(2, 2, sizeof(float), dc, 2, c, 2);
  printf("graph %.0f %.0f\n", c[0], c[3]);
  // CHECK: graph 66 6

  const cublasStatus_t bad = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 2, 3, &one, da, 2, db, 3, &zero, dc, 4);
  printf("%s: %s\n", cublasGetStatusName(bad), cublasGetStatusString(bad));
  // CHECK: CUBLAS_STATUS_INVALID_VALUE: an unsupported value
  // Behind the end of what was allocated: as a kernel's illegal address.
  cublasSscal(handle, 1 << 20, &two, x, 1);
  printf("%s\n", cudaGetErrorName(cudaStreamSynchronize(stream)));
  // CHECK: cudaErrorIllegalAddress
  cublasDestroy(handle);
}
