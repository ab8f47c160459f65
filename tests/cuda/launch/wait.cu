// cudaDeviceSynchronize in device code, of the first generation: the children have run, and what they wrote is there.
// RUN: %nvcc -rdc=true %s -o %t && %t && env HEDDLE_EXECUTOR=interp %t
#include <cstdio>

__global__ void sum(const int* in, int n, int* out) {
  if (n == 1) {
    *out = *in;
    return;
  }
  int* parts;
  cudaMalloc(&parts, 2 * sizeof(int));
  sum<<<1, 1>>>(in, n / 2, parts);
  sum<<<1, 1>>>(in + n / 2, n - n / 2, parts + 1);
  const cudaError_t waited = cudaDeviceSynchronize();
  *out = waited == cudaSuccess ? parts[0] + parts[1] : -1000000;
  cudaFree(parts);
}

__global__ void add(int* to, int value) { atomicAdd(to, value); }
// Every thread waits for its own, behind barriers too.
__global__ void all(int* to, int* seen) {
  __shared__ int after;
  add<<<1, 1>>>(to, 1);
  cudaDeviceSynchronize();
  seen[threadIdx.x] = *(volatile int*)to;
  __syncthreads();
  if (threadIdx.x == 0) {
    add<<<2, 8>>>(to, 100);
    cudaDeviceSynchronize();
    after = *(volatile int*)to;
  }
  __syncthreads();
  seen[blockDim.x + threadIdx.x] = after;
}
__global__ void too_deep(int depth, int* error) {
  too_deep<<<depth < 3, 1>>>(depth + 1, error);
  if (depth < 3) error[depth] = cudaDeviceSynchronize();
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 1000 * sizeof(int));
  cudaMallocManaged(&out, 1000 * sizeof(int));
  int wanted = 0;
  for (int i = 0; i < 100; ++i) wanted += in[i] = i * i;
  cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 10);
  sum<<<1, 1>>>(in, 100, out);
  if (cudaDeviceSynchronize() != cudaSuccess || *out != wanted) return printf("sum %d, not %d\n", *out, wanted), 1;

  *in = 0;
  all<<<1, 64>>>(in, out);
  if (cudaDeviceSynchronize() != cudaSuccess || *in != 64 + 1600) return printf("all %d\n", *in), 2;
  for (int i = 0; i < 64; ++i)
    if (out[i] < 1 || out[i] > 64 || out[64 + i] != 1664) return printf("%d: %d %d\n", i, out[i], out[64 + i]), 3;

  cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 2);
  too_deep<<<1, 1>>>(0, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 4;
  return out[0] != cudaSuccess || out[1] != cudaSuccess || out[2] != cudaErrorSyncDepthExceeded ? 5 : 0;
}
