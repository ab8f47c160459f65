// A kernel fills and copies memory for its children.
#include <cstdio>

__global__ void sum(const int* in, int* out) { atomicAdd(out, in[threadIdx.x]); }

__global__ void parent(int* memory, int filled) {
  cudaMemsetAsync(memory, 1, filled * sizeof(int), 0);
  cudaMemcpyAsync(memory + 8, memory, 8 * sizeof(int), cudaMemcpyDeviceToDevice, 0);
  sum<<<1, 8>>>(memory + 8, memory + 16);
}

int main(int count, char**) {
  int* memory;
  cudaMalloc(&memory, 32 * sizeof(int));
  cudaMemset(memory + 16, 0, sizeof(int));
  parent<<<1, 1>>>(memory, count > 1 ? 6 : 8);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(memory);
}
