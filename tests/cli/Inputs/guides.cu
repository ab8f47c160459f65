// Accesses of one warp, as the guides draw them for devices of capability 1.x.
#include <cstdio>

__global__ void read(const float* in, float* out, int stride, int offset) {
  out[threadIdx.x] = in[threadIdx.x * stride + offset];
}
// A column of a tile of 16 words in a row, or of one that is padded.
__global__ void column(float* out, int row) {
  __shared__ float tile[16 * 17];
  volatile float* words = tile;
  words[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x % 16 * row];
}

int main() {
  float *in, *out;
  if (cudaMalloc(reinterpret_cast<void**>(&in), 4096) != cudaSuccess) return 1;
  if (cudaMalloc(reinterpret_cast<void**>(&out), 4096) != cudaSuccess) return 1;
  for (int offset : {0, 1, 8, 16}) read<<<1, 32>>>(in, out, 1, offset);
  read<<<1, 32>>>(in, out, 2, 0);
  read<<<1, 32>>>(in, out, 0, 0);
  column<<<1, 32>>>(out, 16);
  column<<<1, 32>>>(out, 17);
  std::puts(cudaGetErrorString(cudaThreadSynchronize()));
  return 0;
}
