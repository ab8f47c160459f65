// Clusters: asked for by the kernel or by the launch, their ranks, their barrier, one another's shared memory.
// RUN: %nvcc -arch=sm_90 -ptx %s -o - | FileCheck %s
// RUN: %nvcc -arch=sm_90 %s -o %t && %t 2>&1 | count 0
// RUN: env HEDDLE_EXECUTOR=interp %t
// CHECK: .entry _Z8compiledPi(
// CHECK: .explicitcluster
// CHECK: .reqnctapercluster 4, 1, 1
// CHECK: .entry _Z7limitedPi(
// CHECK: .maxnreg 40
// RUN: %nvcc -arch=sm_80 -ptx %s -o - | FileCheck --check-prefix=BEFORE %s
// BEFORE-NOT: cluster
#include <cooperative_groups.h>
#include <cstdio>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// Each block takes a number from the next one's shared memory.
__device__ void exchange(int* out) {
  __shared__ int mine[32];
  cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  const unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();
  mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  cluster.sync();
  const int* next = cluster.map_shared_rank(mine, (rank + 1) % blocks);
  out[blockIdx.x * 32 + threadIdx.x] = next[threadIdx.x] + 1000000 * blocks;
  cluster.sync();
}
#else
__device__ void exchange(int*) {}
#endif

__global__ void __cluster_dims__(4, 1, 1) compiled(int* out) { exchange(out); }
__global__ void plain(int* out) { exchange(out); }
__global__ void __maxnreg__(40) limited(int* out) { *out = 5; }

int check(const char* what, const int* out, int cluster) {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return printf("%s: %s\n", what, cudaGetErrorString(error)), 1;
  for (int i = 0; i < 8 * 32; ++i) {
    const int block = i / 32, next = block / cluster * cluster + (block + 1) % cluster;
    if (out[i] != next * 100 + i % 32 + 1000000 * cluster) return printf("%s: %d: %d\n", what, i, out[i]), 1;
  }
  return 0;
}

int main() {
  int* out;
  cudaMallocManaged(&out, 8 * 32 * sizeof(int));
  compiled<<<8, 32>>>(out);
  int wrong = check("__cluster_dims__", out, 4);
  cudaLaunchConfig_t config{};
  config.gridDim = 8;
  config.blockDim = 32;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  wrong += cudaLaunchKernelEx(&config, plain, out) != cudaSuccess;
  wrong += check("launch attribute", out, 2);
  // The kernel is compiled for another cluster; blocks that make no whole clusters.
  wrong += cudaLaunchKernelEx(&config, compiled, out) == cudaSuccess;
  cudaGetLastError();
  compiled<<<6, 32>>>(out);
  wrong += cudaGetLastError() == cudaSuccess;
  cudaFuncAttributes attributes;
  wrong += cudaFuncGetAttributes(&attributes, compiled) != cudaSuccess || attributes.requiredClusterWidth != 4;
  limited<<<1, 1>>>(out);
  wrong += cudaDeviceSynchronize() != cudaSuccess || *out != 5;
  return wrong;
}
