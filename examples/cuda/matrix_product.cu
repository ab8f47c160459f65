// C = A B for square matrices: each thread reads a row and a column from global memory, or the threads of a block
// share tiles of both in shared memory (tutorial of 2015, VI.4). matrix_product_ab.cu takes the steps one by one.
//
//     nvcc matrix_product.cu -o matrix_product && ./matrix_product
#include "check.h"

constexpr int tile = 16;

__global__ void plain(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

__global__ void tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[tile][tile], tile_b[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += tile) {
    tile_a[threadIdx.y][threadIdx.x] = a[row * n + k + threadIdx.x];
    tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + column];
    __syncthreads();  // the whole tile is there
    for (int i = 0; i < tile; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
    __syncthreads();  // nobody reads it any more
  }
  c[row * n + column] = sum;
}

int main() {
  const int n = 160;
  std::vector<float> a(n * n), b(n * n);
  std::vector<double> expected(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = static_cast<float>(i % 17) - 8;
    b[i] = static_cast<float>(i % 13) / 4;
  }
  for (int row = 0; row < n; ++row)
    for (int k = 0; k < n; ++k)
      for (int column = 0; column < n; ++column)
        expected[row * n + column] += static_cast<double>(a[row * n + k]) * b[k * n + column];

  const DeviceArray<float> device_a(a), device_b(b), device_c(n * n);
  const dim3 blocks(n / tile, n / tile), threads(tile, tile);
  const struct {
    const char* name;
    void (*kernel)(const float*, const float*, float*, int);
  } ways[] = {{"plain", plain}, {"tiled", tiled}};
  for (const auto& way : ways) {
    device_c.spoil();
    way.kernel<<<blocks, threads>>>(device_a, device_b, device_c, n);
    CHECK(cudaGetLastError());
    expect(way.name, device_c.values(), expected, 1e-3);
  }
}
