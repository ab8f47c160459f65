// A program that is over before the better code of its kernel is there.
#include <cstdio>
#include <cstdlib>

__global__ void wind(float* a, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i];
  for (int k = 0; k < rounds; ++k) {
    x = x * 1.0001f + sinf(x + static_cast<float>(i)) * 0.5f;
    if (x > 3.0f) x -= 2.5f;
  }
  a[i] = x;
}

int main(int, char** words) {
  constexpr int n = 1 << 15;
  float* d = nullptr;
  cudaMalloc(&d, n * sizeof(float));
  cudaMemset(d, 0, n * sizeof(float));
  wind<<<n / 256, 256>>>(d, std::atoi(words[1]));
  float first = 0;
  const cudaError_t error = cudaMemcpy(&first, d, sizeof first, cudaMemcpyDeviceToHost);
  std::printf("%s %.3f\n", cudaGetErrorString(error), static_cast<double>(first));
  return error == cudaSuccess ? 0 : 1;
}
