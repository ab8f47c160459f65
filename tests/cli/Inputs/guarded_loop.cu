// A barrier in a loop under a guard: threads behind the data end at once; those before leave it together, or not.
#include <cstdio>

__global__ void rounds(int* out, int size, const int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) {
    int all = 0;
    for (int round = 0; round < counts[i]; ++round) {
      all += out[i];
      __syncthreads();
    }
    out[i] = all;
  }
}

int main(int count, char**) {
  int host[128], *counts = nullptr, *out = nullptr;
  for (int i = 0; i < 128; ++i) host[i] = count > 1 && i % 32 == 5 ? 2 : 4;
  cudaMalloc(&counts, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemset(out, 0, sizeof host);
  cudaMemcpy(counts, host, sizeof host, cudaMemcpyHostToDevice);
  rounds<<<2, 64>>>(out, 100, counts);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
