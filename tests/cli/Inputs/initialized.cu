// initialized CONFIGURATION...: a log of its own for each configuration, of the launch between start and stop.
#include <cudaProfiler.h>
#include <cuda_profiler_api.h>

#include <cstdio>
#include <string>

__global__ void copy(float* to, const float* from) { to[threadIdx.x] = from[2 * threadIdx.x]; }

int main(int argc, char** argv) {
  float* memory;
  cudaMalloc(reinterpret_cast<void**>(&memory), 4096);
  cudaDeviceSynchronize();
  for (int i = 1; i < argc; ++i) {
    const std::string log = std::string(argv[i]) + ".log";
    std::printf("%d\n", cuProfilerInitialize(argv[i], log.c_str(), i % 2 == 0 ? CU_OUT_CSV : CU_OUT_KEY_VALUE_PAIR));
    copy<<<1, 32>>>(memory + 128, memory);
    cuProfilerStart();
    copy<<<1 + i, 32>>>(memory + 128, memory);
    cudaProfilerStop();
    copy<<<1, 32>>>(memory + 128, memory);
  }
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
