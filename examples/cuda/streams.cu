// Copies and kernels that overlap: one after the other, staged over several streams, and beside the host's own work
// (CUDA C Best Practices Guide 4.0, 3.1.2, listings 3.1, 3.3a and 3.3b; events as in 2.1.2, listing 2.1).
//
//     nvcc streams.cu -o streams && ./streams
#include "check.h"

__global__ void root(float* values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = sqrtf(values[i]) + 1;
}

int main() {
  const int threads = 128, stages = 4, n = threads * stages * 50, per_stage = n / stages;
  const std::size_t bytes = n * sizeof(float);
  float* host;
  CHECK(cudaMallocHost(&host, bytes));  // asynchronous copies want page-locked memory
  std::vector<float> expected(n);
  const auto fill = [&] {
    for (int i = 0; i < n; ++i) {
      host[i] = static_cast<float>(i % 100) * static_cast<float>(i % 100);  // a square: its root is exact
      expected[i] = static_cast<float>(i % 100) + 1;
    }
  };
  const auto results = [&] { return std::vector<float>(host, host + n); };
  const DeviceArray<float> device(n);
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  float sequential_ms = -1, staged_ms = -1;

  // Listing 3.3a: everything is copied, then everything is computed.
  fill();
  CHECK(cudaEventRecord(start));
  CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
  root<<<n / threads, threads>>>(device);
  CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  CHECK(cudaEventElapsedTime(&sequential_ms, start, stop));
  expect("sequential", results(), expected);

  // Listing 3.3b: while one piece is computed, the next is copied. A stream keeps the order of its own.
  cudaStream_t streams[stages];
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  fill();
  CHECK(cudaEventRecord(start));
  for (int i = 0; i < stages; ++i)
    CHECK(cudaMemcpyAsync(device + i * per_stage, host + i * per_stage, bytes / stages, cudaMemcpyHostToDevice, streams[i]));
  for (int i = 0; i < stages; ++i) root<<<per_stage / threads, threads, 0, streams[i]>>>(device + i * per_stage);
  for (int i = 0; i < stages; ++i)
    CHECK(cudaMemcpyAsync(host + i * per_stage, device + i * per_stage, bytes / stages, cudaMemcpyDeviceToHost, streams[i]));
  CHECK(cudaEventRecord(stop));  // in the default stream, which waits for all others
  CHECK(cudaEventSynchronize(stop));
  CHECK(cudaEventElapsedTime(&staged_ms, start, stop));
  expect("staged", results(), expected);
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));

  // Listing 3.1: the calls return at once, so the host computes at the same time.
  fill();
  CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, nullptr));
  root<<<n / threads, threads>>>(device);
  std::vector<float> on_host(n);
  for (int i = 0; i < n; ++i) on_host[i] = static_cast<float>(i % 100) + 1;
  const std::vector<float> on_device = device.values();  // waits for the kernel
  expect("beside the host", on_device, on_host);

  if (!(sequential_ms >= 0 && staged_ms >= 0)) {
    std::printf("the events are wrong: %g ms, %g ms\n", sequential_ms, staged_ms);
    return 1;
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaFreeHost(host));
}
