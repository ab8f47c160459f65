// C = A A^T, A one tile wide: reading A's rows as columns strides through memory, a transposed tile in shared memory cures it,
// and a padding column cures the bank conflicts of the cure (CUDA C Best Practices Guide 4.0, 3.2.2.3, listings 3.10 and 3.11).
//
//     nvcc matrix_product_aat.cu -o matrix_product_aat && ./matrix_product_aat
#include "check.h"

constexpr int tile = 16;

// Listing 3.10: in the second factor, threads side by side read elements that lie `tile` apart.
__global__ void simple(const float* a, float* c, int m) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += a[row * tile + i] * a[column * tile + i];
  c[row * m + column] = sum;
}

// Listing 3.11, without padding: the reads are coalesced, the writes to the transposed tile hit one bank. `padding` of 1 puts
// the elements of a column into banks one after another.
template <int padding>
__global__ void transposed(const float* a, float* c, int m) {
  __shared__ float a_tile[tile][tile], transposed_tile[tile][tile + padding];
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  a_tile[threadIdx.y][threadIdx.x] = a[row * tile + threadIdx.x];
  transposed_tile[threadIdx.x][threadIdx.y] = a[(blockIdx.x * blockDim.x + threadIdx.y) * tile + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += a_tile[threadIdx.y][i] * transposed_tile[i][threadIdx.x];
  c[row * m + column] = sum;
}

int main() {
  const int m = 112;
  std::vector<float> a(m * tile), expected(m * m);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 19) - 9;
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < m; ++column)
      for (int i = 0; i < tile; ++i) expected[row * m + column] += a[row * tile + i] * a[column * tile + i];

  const DeviceArray<float> device_a(a), device_c(m * m);
  const struct {
    const char* name;
    void (*kernel)(const float*, float*, int);
  } ways[] = {{"listing 3.10", simple}, {"listing 3.11", transposed<0>}, {"listing 3.11 without bank conflicts", transposed<1>}};
  for (const auto& way : ways) {
    device_c.spoil();
    way.kernel<<<dim3(m / tile, m / tile), dim3(tile, tile)>>>(device_a, device_c, m);
    CHECK(cudaGetLastError());
    expect(way.name, device_c.values(), expected);
  }
}
