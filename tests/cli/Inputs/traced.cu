// Copies, a fill and three launches, the last of which nobody waits for. What is for capability 1.x alone is in the tests of that.
#include <cstdio>
#include <vector>

__global__ void strided(const float* from, float* to, int stride) { to[threadIdx.x] = from[threadIdx.x * stride]; }

int main() {
  std::vector<float> host(65536);
  float* device;
  if (cudaMalloc(reinterpret_cast<void**>(&device), 1 << 20) != cudaSuccess) return 1;
  cudaMemcpy(device, host.data(), 1 << 18, cudaMemcpyHostToDevice);
  strided<<<4, 64>>>(device, device + 65536, 1);
  strided<<<4, 64, 1024>>>(device, device + 65536, 8);
  cudaMemcpy(host.data(), device, 1 << 18, cudaMemcpyDeviceToHost);
  cudaMemset(device, 0, 1 << 20);
  strided<<<2, 32>>>(device, device + 65536, 2);
  std::puts("done");
  return 0;
}
