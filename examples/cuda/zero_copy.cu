// A kernel that works on the host's own memory: page-locked, mapped into the device's addresses, copied by nobody
// (CUDA C Best Practices Guide 4.0, 3.1.3, listing 3.4).
//
//     nvcc zero_copy.cu -o zero_copy && ./zero_copy
#include "check.h"

__global__ void halve(float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= 0.5f;
}

int main() {
  const int n = 10'000, threads = 256;
  CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));  // before the context is there
  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  if (!device.canMapHostMemory) {  // compute capability 1.0 and 1.1 without the feature
    std::printf("%s cannot map memory of the host\n", device.name);
    return 0;
  }
  std::vector<float> expected(n);

  // Memory that is made page-locked and mapped.
  float *host, *mapped;
  CHECK(cudaHostAlloc(&host, n * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(&mapped, host, 0));
  for (int i = 0; i < n; ++i) {
    host[i] = static_cast<float>(i);
    expected[i] = 0.5f * static_cast<float>(i);
  }
  halve<<<(n + threads - 1) / threads, threads>>>(mapped, n);
  CHECK(cudaDeviceSynchronize());  // there is no copy that would wait for the kernel
  expect("allocated", std::vector<float>(host, host + n), expected);
  CHECK(cudaFreeHost(host));

  // Memory that the program has already.
  std::vector<float> own(n);
  for (int i = 0; i < n; ++i) own[i] = static_cast<float>(i);
  CHECK(cudaHostRegister(own.data(), n * sizeof(float), cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(&mapped, own.data(), 0));
  halve<<<(n + threads - 1) / threads, threads>>>(mapped, n);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(own.data()));
  expect("registered", own, expected);
}
