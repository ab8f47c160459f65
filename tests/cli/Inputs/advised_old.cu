// As advised.cu, of devices of capability 1.x (CUDA C Best Practices Guide 4.0): arguments are in shared memory, and global memory is not cached.
#include <cstdio>

constexpr int blocks = 512, threads = 128;
struct Many {
  float values[40];
};
__constant__ Many many;
texture<float, 1> shifted;

#define X (blockIdx.x * threads + threadIdx.x)

// 3.2.2.4
__global__ void constant_arguments_bad(float* to, Many values) { to[X] = values.values[0] + values.values[39]; }
__global__ void constant_arguments_good(float* to) { to[X] = many.values[0] + many.values[39]; }
// 3.2.4.1, listings 3.12 and 3.13
__global__ void texture_bad(float* to, const float* from, int shift) { to[X] = from[X + shift]; }
__global__ void texture_good(float* to, const float*, int shift) { to[X] = tex1Dfetch(shifted, X + shift); }

int main() {
  float *from, *to;
  if (cudaMalloc(reinterpret_cast<void**>(&from), 1 << 20) != cudaSuccess) return 1;
  if (cudaMalloc(reinterpret_cast<void**>(&to), 1 << 20) != cudaSuccess) return 1;
  cudaMemset(from, 0, 1 << 20);
  cudaBindTexture(nullptr, shifted, from, 1 << 20);
  constant_arguments_bad<<<blocks, threads>>>(to, Many{});
  constant_arguments_good<<<blocks, threads>>>(to);
  texture_bad<<<blocks, threads>>>(to, from, 1);
  texture_good<<<blocks, threads>>>(to, from, 1);
  std::puts(cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
