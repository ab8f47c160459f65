// Prints the device; "wrong" writes one element behind the allocation.
#include <cstdio>
#include <cstring>

__global__ void fill(int* out, int count) {
  const int i = threadIdx.x;
  if (i < count) out[i] = i;
}

int main(int argc, char** argv) {
  const bool wrong = argc > 1 && std::strcmp(argv[1], "wrong") == 0;
  cudaDeviceProp properties;
  int* out = nullptr;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess || cudaMalloc(&out, 64 * sizeof(int)) != cudaSuccess) return 1;
  fill<<<1, 128>>>(out, wrong ? 65 : 64);
  std::printf("%s: %s\n", properties.name, cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
