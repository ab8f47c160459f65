// cuda_occupancy.h alone and the runtime say the same of every kernel here.
// RUN: %nvcc -arch=compute_20 %s -o %t && %t
// RUN: env HEDDLE_DEVICE=gtx980 %t
// RUN: env HEDDLE_DEVICE=gtx480 %t
// RUN: env HEDDLE_DEVICE=v100 %t
#include <cuda_occupancy.h>

#include <cstdio>

__global__ void plain(int* p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(256, 2) much(float* p) {
  __shared__ float tile[2048];
  float a[16];
  for (int i = 0; i < 16; ++i) a[i] = p[i * 256 + threadIdx.x];
  tile[threadIdx.x] = a[3];
  __syncthreads();
  for (int i = 0; i < 16; ++i) p[i * 256 + threadIdx.x] = a[15 - i] * tile[255 - threadIdx.x];
}

template <typename Kernel>
int differences(Kernel kernel, const cudaDeviceProp& device) {
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return 1;
  const cudaOccDeviceProp properties(device);
  cudaOccFuncAttributes function(attributes);
  const cudaOccDeviceState state;
  int wrong = 0;
  for (int threads = 1; threads <= 1024; threads += threads < 64 ? 9 : 96)
    for (size_t dynamic : {size_t{0}, size_t{1000}, size_t{12000}, size_t{40000}}) {
      int blocks = -1;
      if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic) != cudaSuccess) blocks = 0;
      (void)cudaGetLastError();
      cudaOccResult result;
      if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &function, &state, threads, dynamic) !=
          CUDA_OCC_SUCCESS)
        return 1000;
      if (result.activeBlocksPerMultiprocessor == blocks) continue;
      std::printf("%d threads, %zu bytes: %d, the runtime says %d\n", threads, dynamic,
                  result.activeBlocksPerMultiprocessor, blocks);
      ++wrong;
    }
  int grid = 0, block = 0, of_runtime = 0, block_of_runtime = 0;
  cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &properties, &function, &state);
  cudaOccupancyMaxPotentialBlockSize(&of_runtime, &block_of_runtime, kernel);
  if (grid != of_runtime || block != block_of_runtime) {
    std::printf("best %d x %d, the runtime says %d x %d\n", grid, block, of_runtime, block_of_runtime);
    ++wrong;
  }
  return wrong;
}

int main() {
  cudaDeviceProp device{};
  if (cudaGetDeviceProperties(&device, 0) != cudaSuccess) return 1;
  const int wrong = differences(plain, device) + differences(much, device);
  cudaOccDeviceProp unknown(device);
  unknown.computeMajor = 77;
  cudaFuncAttributes attributes{};
  cudaFuncGetAttributes(&attributes, plain);
  const cudaOccFuncAttributes function(attributes);
  const cudaOccDeviceState state;
  cudaOccResult result;
  const bool refused =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, &unknown, &function, &state, 32, 0) == CUDA_OCC_ERROR_UNKNOWN_DEVICE &&
      cudaOccMaxActiveBlocksPerMultiprocessor(nullptr, &unknown, &function, &state, 32, 0) == CUDA_OCC_ERROR_INVALID_ARGUMENT;
  return wrong != 0 || !refused;
}
