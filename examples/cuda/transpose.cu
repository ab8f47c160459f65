// The transpose of a matrix: either reads or writes stride through memory, unless a tile in shared memory is turned, which wants a padding
// column against bank conflicts (the same means as CUDA C Best Practices Guide 4.0, 3.2.2.3, for a plain transpose).
//
//     nvcc transpose.cu -o transpose && ./transpose
#include "check.h"

constexpr int tile = 32, rows = 8;  // a block has 32 x 8 threads, so a thread moves four elements

__global__ void copy(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * tile + threadIdx.x, top = blockIdx.y * tile + threadIdx.y;
  for (int y = top; y < top + tile; y += rows)
    if (x < width && y < height) out[y * width + x] = in[y * width + x];
}

// Threads side by side write `height` elements apart.
__global__ void strided_writes(float* out, const float* in, int width, int height) {
  const int x = blockIdx.x * tile + threadIdx.x, top = blockIdx.y * tile + threadIdx.y;
  for (int y = top; y < top + tile; y += rows)
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// And the other way round: they read `width` elements apart.
__global__ void strided_reads(float* out, const float* in, int width, int height) {
  const int y = blockIdx.y * tile + threadIdx.x, left = blockIdx.x * tile + threadIdx.y;
  for (int x = left; x < left + tile; x += rows)
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

template <int padding>
__global__ void turned_tile(float* out, const float* in, int width, int height) {
  __shared__ float turned[tile][tile + padding];
  for (int i = threadIdx.y; i < tile; i += rows) {
    const int x = blockIdx.x * tile + threadIdx.x, y = blockIdx.y * tile + i;
    if (x < width && y < height) turned[i][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < tile; i += rows) {
    const int x = blockIdx.y * tile + threadIdx.x, y = blockIdx.x * tile + i;  // of the result
    if (x < height && y < width) out[y * height + x] = turned[threadIdx.x][i];
  }
}

int main() {
  const int width = 200, height = 150;  // no multiples of the tile
  std::vector<float> in(width * height), turned(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) turned[x * height + y] = in[y * width + x];

  const DeviceArray<float> from(in), to(in.size());
  const struct {
    const char* name;
    void (*kernel)(float*, const float*, int, int);
    const std::vector<float>& expected;
  } ways[] = {{"copy", copy, in},
              {"strided writes", strided_writes, turned},
              {"strided reads", strided_reads, turned},
              {"tile in shared memory", turned_tile<0>, turned},
              {"tile without bank conflicts", turned_tile<1>, turned}};
  for (const auto& way : ways) {
    to.spoil();
    way.kernel<<<dim3((width + tile - 1) / tile, (height + tile - 1) / tile), dim3(tile, rows)>>>(to, from, width, height);
    CHECK(cudaGetLastError());
    expect(way.name, to.values(), way.expected);
  }
}
