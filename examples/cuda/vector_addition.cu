// The sum of two vectors, an element a thread, and its check on the host.
//
//     nvcc vector_addition.cu -o vector_addition && ./vector_addition
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                         \
  do {                                                                                      \
    const cudaError_t status = (call);                                                      \
    if (status != cudaSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));  \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

__global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];  // the last block may be longer than what is left
}

int main() {
  const int n = 100'003;
  const std::size_t bytes = n * sizeof(float);
  std::vector<float> a(n), b(n), sum(n);
  for (int i = 0; i < n; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 0.5f * static_cast<float>(n - i);
  }

  cudaDeviceProp device;
  CHECK(cudaGetDeviceProperties(&device, 0));
  float *device_a, *device_b, *device_sum;
  CHECK(cudaMalloc(&device_a, bytes));
  CHECK(cudaMalloc(&device_b, bytes));
  CHECK(cudaMalloc(&device_sum, bytes));
  CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));
  const int threads = 256, blocks = (n + threads - 1) / threads;
  add<<<blocks, threads>>>(device_a, device_b, device_sum, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(sum.data(), device_sum, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(device_a));
  CHECK(cudaFree(device_b));
  CHECK(cudaFree(device_sum));

  for (int i = 0; i < n; ++i) {
    if (sum[i] != a[i] + b[i]) {
      std::printf("wrong: element %d is %g, not %g\n", i, sum[i], a[i] + b[i]);
      return 1;
    }
  }
  std::printf("right: %d sums on %s (compute capability %d.%d)\n", n, device.name, device.major, device.minor);
}
