// A sum of squares over all devices of the machine: each gets its piece of the input, its own stream and its own result; then the
// pieces travel from device to device (CUDA C Best Practices Guide 4.0, 8.2 and 8.3).
//
//     nvcc multi_gpu.cu -o multi_gpu && HEDDLE_DEVICES=h200,h200,gtx980 ./multi_gpu
#include <memory>

#include "check.h"

__global__ void add_squares(const int* values, int n, unsigned long long* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, static_cast<unsigned long long>(values[i]) * values[i]);
}

struct Part {
  explicit Part(const std::vector<int>& input) : values(input), sum(1) {
    CHECK(cudaMemset(sum, 0, sum.bytes()));
    CHECK(cudaStreamCreate(&stream));
  }
  DeviceArray<int> values;
  DeviceArray<unsigned long long> sum;
  cudaStream_t stream = nullptr;
};

int main() {
  int devices = 0;
  CHECK(cudaGetDeviceCount(&devices));
  const int n = 30'000, threads = 256;
  std::vector<int> all(n);
  unsigned long long expected = 0;
  for (int i = 0; i < n; ++i) {
    all[i] = i % 1000 - 500;
    expected += static_cast<unsigned long long>(all[i] * all[i]);
  }

  // Calls go to the device that the thread has chosen last; kernels of different devices run at the same time.
  std::vector<std::unique_ptr<Part>> parts;
  for (int device = 0; device < devices; ++device) {
    CHECK(cudaSetDevice(device));
    const int first = n / devices * device, end = device + 1 == devices ? n : first + n / devices;
    parts.push_back(std::make_unique<Part>(std::vector<int>(all.begin() + first, all.begin() + end)));
    add_squares<<<(end - first + threads - 1) / threads, threads, 0, parts.back()->stream>>>(parts.back()->values, end - first,
                                                                                           parts.back()->sum);
    CHECK(cudaGetLastError());
  }
  std::vector<unsigned long long> sum(1);
  for (int device = 0; device < devices; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamSynchronize(parts[device]->stream));
    sum[0] += parts[device]->sum.values()[0];
  }
  expect("the sum over all devices", sum, std::vector<unsigned long long>{expected});

  // The same numbers, handed from each device to the next; peers that see each other's memory need no detour over the host.
  for (int device = 0; device + 1 < devices; ++device) {
    int direct = 0;
    CHECK(cudaDeviceCanAccessPeer(&direct, device + 1, device));
    CHECK(cudaSetDevice(device + 1));
    if (direct) CHECK(cudaDeviceEnablePeerAccess(device, 0));
    const std::size_t bytes = n / devices * sizeof(int);  // the first parts are of one length
    CHECK(cudaMemcpyPeer(parts[device + 1]->values, device + 1, parts[device]->values, device, bytes));
  }
  std::vector<int> handed = parts.back()->values.values();
  handed.resize(n / devices);
  expect("what was handed on", handed, std::vector<int>(all.begin(), all.begin() + n / devices));

  for (int device = 0; device < devices; ++device) {
    CHECK(cudaSetDevice(device));
    CHECK(cudaStreamDestroy(parts[device]->stream));
    parts[device].reset();
  }
  std::printf("%d device%s\n", devices, devices == 1 ? "" : "s");
}
