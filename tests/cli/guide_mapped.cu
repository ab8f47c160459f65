// How memory of the host is reached, as the virtual clock tells it (CUDA C Best Practices Guide 3.1).
// RUN: %nvcc -arch=sm_30 %s -o %t
//
// 3.1.3: on an integrated device mapped memory is always a gain: no copies. On others a kernel that reads and writes once gains what copies cannot overlap; one that reads
// often loses where the memory is not cached.
// RUN: env HEDDLE_CLOCK=device HEDDLE_DEVICE=jetson-tk1 %t | FileCheck %s --check-prefix=INTEGRATED
// INTEGRATED: integrated 1: once: mapped gains; often: mapped gains
// RUN: %nvcc -arch=sm_13 %s -o %t.13
// RUN: env HEDDLE_CLOCK=device HEDDLE_DEVICE=gtx285 %t.13 | FileCheck %s --check-prefix=DISCRETE
// DISCRETE: integrated 0: once: mapped gains; often: copies gain
//
// A flag for memory that the processor's caches are not asked about: copies to the device are faster over buses of that time.
// DISCRETE: write-combined: faster to the device, the same to the host
#include <cstdio>

__global__ void work(float* data, int times) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < times; ++i) sum += *(volatile float*)(data + at);
  data[at] = sum + 1;
}

static cudaEvent_t begin, end;
template <class F>
float time_of(F&& work) {
  cudaEventRecord(begin);
  work();
  cudaEventRecord(end);
  cudaEventSynchronize(end);
  float ms = 0;
  cudaEventElapsedTime(&ms, begin, end);
  return ms;
}

int main() {
  constexpr int count = 1 << 20, bytes = count * sizeof(float);
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 1;
  cudaSetDeviceFlags(cudaDeviceMapHost);
  cudaEventCreate(&begin), cudaEventCreate(&end);
  float *host, *mapped, *combined, *device;
  if (cudaHostAlloc(reinterpret_cast<void**>(&host), bytes, cudaHostAllocMapped) != cudaSuccess) return 1;
  if (cudaHostGetDevicePointer(reinterpret_cast<void**>(&mapped), host, 0) != cudaSuccess) return 1;
  if (cudaHostAlloc(reinterpret_cast<void**>(&combined), bytes, cudaHostAllocWriteCombined) != cudaSuccess) return 1;
  if (cudaMalloc(reinterpret_cast<void**>(&device), bytes) != cudaSuccess) return 1;
  std::printf("integrated %d:", properties.integrated);
  for (const int times : {1, 64}) {
    const float by_map = time_of([&] { work<<<count / 256, 256>>>(mapped, times); });
    const float by_copy = time_of([&] {
      cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice);
      work<<<count / 256, 256>>>(device, times);
      cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost);
    });
    std::printf(" %s: %s gain%s", times == 1 ? "once" : "often", by_map < by_copy ? "mapped" : "copies",
                by_map < by_copy ? "s" : "");
    std::printf(times == 1 ? ";" : "\n");
    std::fprintf(stderr, "%d times: mapped %.3f ms, copies %.3f ms\n", times, by_map, by_copy);
  }
  const auto to_device = [&](float* from) {
    return time_of([&] { cudaMemcpyAsync(device, from, bytes, cudaMemcpyHostToDevice); });
  };
  const auto to_host = [&](float* to) {
    return time_of([&] { cudaMemcpyAsync(to, device, bytes, cudaMemcpyDeviceToHost); });
  };
  std::fprintf(stderr, "to the device: pinned %.3f, write-combined %.3f ms\n", to_device(host), to_device(combined));
  std::printf("write-combined: %s to the device, %s to the host\n",
              to_device(combined) < 0.95f * to_device(host) ? "faster" : "not faster",
              to_host(combined) == to_host(host) ? "the same" : "another time");
  return 0;
}
