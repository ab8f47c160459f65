#include <cuda_profiler_api.h>

#include <cstdio>
#include <cstdlib>

// Each thread of a warp reads a word; 64 threads, two warps a block.
__global__ void strided(const float* from, float* to, int stride) {
  to[threadIdx.x] = from[threadIdx.x * stride];
}

// A column of a tile: 32 words of one bank.
__global__ void column(float* to) {
  __shared__ float tile[32][32];
  volatile float* words = tile[0];
  words[threadIdx.x] = 1;
  __syncthreads();
  to[threadIdx.x] = words[threadIdx.x * 32 % 1024];
}

template <class T>
__global__ void parted(T* to) {
  if (threadIdx.x % 2 == 0)
    to[threadIdx.x] = 1;
  else
    atomicAdd(to, T(2));
}

int main(int argc, char** argv) {
  float* memory;
  if (cudaMalloc(&memory, 1 << 20) != cudaSuccess) return 90;
  cudaMemset(memory, 0, 1 << 20);
  strided<<<4, 64>>>(memory, memory + 65536, 1);
  if (argc > 3) cudaProfilerStart();
  strided<<<4, 64>>>(memory, memory + 65536, 8);
  if (argc > 3) cudaProfilerStop();
  column<<<1, 32>>>(memory);
  parted<<<1, 32>>>(reinterpret_cast<int*>(memory));
  if (argc == 3) strided<<<1, 32>>>(memory, nullptr, 1);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  return argc > 1 ? std::atoi(argv[1]) : 0;
}
