#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int cudaOwnFunction();

__device__ int offset = 40;
__global__ void add(int* values) { values[threadIdx.x] += threadIdx.x + offset; }

int main(int argc, char** argv) {
  cudaDeviceProp device;
  int count = 0, values[32] = {}, *memory = nullptr;
  if (cudaGetDeviceCount(&count) != cudaSuccess || cudaGetDeviceProperties(&device, 0) != cudaSuccess) return 90;
  if (cudaMalloc(&memory, sizeof values) != cudaSuccess || cudaMemset(memory, 0, sizeof values) != cudaSuccess) return 91;
  add<<<1, 32>>>(memory);
  if (cudaMemcpy(values, memory, sizeof values, cudaMemcpyDeviceToHost) != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 92;
  }
  std::printf("%d of %d on %s, %d devices, own %d, arguments %s\n", values[31], argc, device.name, count, cudaOwnFunction(),
              argc > 1 ? argv[1] : "none");
  return argc > 2 ? std::atoi(argv[2]) : 0;
}
