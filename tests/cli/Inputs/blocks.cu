// A copy of a million numbers in blocks of as many threads as the argument says.
#include <cstdio>
#include <cstdlib>

__global__ void copy(float* to, const float* from) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}

int main(int argc, char** argv) {
  const int threads = argc > 1 ? atoi(argv[1]) : 0, n = 1 << 20;
  float* p = nullptr;
  if (threads <= 0 || cudaMalloc(&p, 2 * n * sizeof(float)) != cudaSuccess) return 1;
  copy<<<n / threads, threads>>>(p, p + n);
  printf("ran with %d\n", threads);
  return cudaDeviceSynchronize() != cudaSuccess;
}
