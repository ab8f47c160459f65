// C = A B where A is one tile wide and B one tile high, so that shared memory's part can be seen step by step
// (CUDA C Best Practices Guide 4.0, 3.2.2.2, listings 3.7 to 3.9).
//
//     nvcc matrix_product_ab.cu -o matrix_product_ab && ./matrix_product_ab
#include "check.h"

constexpr int tile = 16;

// Listing 3.7: the threads of a half warp read the same element of A each time, and B's tile is read again for each row.
__global__ void simple(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += a[row * tile + i] * b[i * n + column];
  c[row * n + column] = sum;
}

// Listing 3.8: A's tile is read once, side by side, and broadcast from shared memory. A row of the tile is written and read by
// the same half warp; __syncwarp() says so to devices whose warps do not march in step (7.0 and later); below 3.0 there is none.
__global__ void coalesced(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[tile][tile];
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  a_tile[threadIdx.y][threadIdx.x] = a[row * tile + threadIdx.x];
#if __CUDA_ARCH__ >= 300
  __syncwarp();
#endif
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b[i * n + column];
  c[row * n + column] = sum;
}

// Listing 3.9: B's tile too is read once; now warps read what others wrote, which needs a barrier.
__global__ void both_shared(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[tile][tile], b_tile[tile][tile];
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  a_tile[threadIdx.y][threadIdx.x] = a[row * tile + threadIdx.x];
  b_tile[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + column];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
  c[row * n + column] = sum;
}

int main() {
  const int m = 96, n = 128;  // A has m rows, B n columns
  std::vector<float> a(m * tile), b(tile * n);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 11) - 5;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) * 0.5f;
  std::vector<float> expected(m * n);  // multiples of 1/2 below 2^23: exact in any order
  for (int row = 0; row < m; ++row)
    for (int i = 0; i < tile; ++i)
      for (int column = 0; column < n; ++column) expected[row * n + column] += a[row * tile + i] * b[i * n + column];

  const DeviceArray<float> device_a(a), device_b(b), device_c(m * n);
  const struct {
    const char* name;
    void (*kernel)(const float*, const float*, float*, int);
  } ways[] = {{"listing 3.7", simple}, {"listing 3.8", coalesced}, {"listing 3.9", both_shared}};
  for (const auto& way : ways) {
    device_c.spoil();
    way.kernel<<<dim3(n / tile, m / tile), dim3(tile, tile)>>>(device_a, device_b, device_c, n);
    CHECK(cudaGetLastError());
    expect(way.name, device_c.values(), expected);
  }
}
