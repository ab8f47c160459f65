// Programs after those that the guides list, on the devices that they were written for: what they compute is right there.
// RUN: %nvcc -arch=sm_10 %s -o %t.10 && env HEDDLE_DEVICE=8800gtx %t.10 | FileCheck %s --check-prefixes=CHECK,UNMAPPED
// RUN: %nvcc -arch=sm_13 %s -o %t.13 && env HEDDLE_DEVICE=gtx285 %t.13 | FileCheck %s --check-prefixes=CHECK,MAPPED
// RUN: %nvcc -arch=sm_20 %s -o %t.20 && env HEDDLE_DEVICE=gtx480 %t.20 | FileCheck %s --check-prefixes=CHECK,MAPPED
// CHECK: vecAdd (tutorial, first programs): right
// CHECK-NEXT: saxpy (tutorial): right
// CHECK-NEXT: stencil in shared memory (tutorial): right
// CHECK-NEXT: reversal, one block (tutorial): right
// CHECK-NEXT: reversal, several blocks, in shared memory (tutorial): right
// CHECK-NEXT: matrix product (tutorial): right
// CHECK-NEXT: offset copy (Best Practices 3.2.1.3): right
// CHECK-NEXT: strided copy (Best Practices 3.2.1.4): right
// CHECK-NEXT: C = A B, plain (Best Practices 3.2.2.2): right
// CHECK-NEXT: C = A B, A in shared memory (Best Practices 3.2.2.2): right
// CHECK-NEXT: C = A B, both in shared memory (Best Practices 3.2.2.2): right
// CHECK-NEXT: C = A A', plain (Best Practices 3.2.2.3): right
// CHECK-NEXT: C = A A', a padded tile (Best Practices 3.2.2.3): right
// CHECK-NEXT: shifted copy (Best Practices 3.2.4.1): right
// CHECK-NEXT: shifted copy through a texture (Best Practices 3.2.4.1): right
// CHECK-NEXT: copies and kernels in streams (Best Practices 3.1.2): right
// MAPPED-NEXT: zero copy (Best Practices 3.1.3): right
// UNMAPPED-NEXT: zero copy (Best Practices 3.1.3): not on this device
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                     \
  do {                                                                                  \
    if (const cudaError_t error = (call); error != cudaSuccess) {                       \
      std::printf("line %d: %s\n", __LINE__, cudaGetErrorString(error));                \
      std::exit(1);                                                                     \
    }                                                                                   \
  } while (0)

constexpr int side = 64, tile = 16, radius = 3, words = 4096;

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float near[256 + 2 * radius];
  const int at = blockIdx.x * blockDim.x + threadIdx.x, own = threadIdx.x + radius;
  const auto value = [&](int i) { return i < 0 || i >= n ? 0.0f : in[i]; };
  near[own] = value(at);
  if (threadIdx.x < radius) {
    near[own - radius] = value(at - radius);
    near[own + blockDim.x] = value(at + static_cast<int>(blockDim.x));
  }
  __syncthreads();
  float sum = 0;
  for (int i = -radius; i <= radius; ++i) sum += near[own + i];
  out[at] = sum;
}
__global__ void reverse(const float* in, float* out) { out[blockDim.x - 1 - threadIdx.x] = in[threadIdx.x]; }
__global__ void reverse_blocks(const float* in, float* out) {
  __shared__ float part[256];
  part[blockDim.x - 1 - threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[(gridDim.x - 1 - blockIdx.x) * blockDim.x + threadIdx.x] = part[threadIdx.x];
}
__global__ void product(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
__global__ void offset_copy(float* out, const float* in, int offset) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
  out[i] = in[i];
}
__global__ void strided_copy(float* out, const float* in, int stride) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
  out[i] = in[i];
}
// A has one column of tiles, B one row: C = A B.
__global__ void plain_tiles(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += a[row * tile + i] * b[i * n + column];
  c[row * n + column] = sum;
}
// Rows of the tile belong to half-warps, so nobody waits.
__global__ void tile_of_a(const float* a, const float* b, float* c, int n) {
  __shared__ volatile float part[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  part[threadIdx.y][threadIdx.x] = a[row * tile + threadIdx.x];
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += part[threadIdx.y][i] * b[i * n + column];
  c[row * n + column] = sum;
}
__global__ void tiles_of_both(const float* a, const float* b, float* c, int n) {
  __shared__ float of_a[tile][tile], of_b[tile][tile];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  of_a[threadIdx.y][threadIdx.x] = a[row * tile + threadIdx.x];
  of_b[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + column];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += of_a[threadIdx.y][i] * of_b[i][threadIdx.x];
  c[row * n + column] = sum;
}
__global__ void transposed(const float* a, float* c, int n) {
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += a[row * tile + i] * a[column * tile + i];
  c[row * n + column] = sum;
}
__global__ void transposed_tile(const float* a, float* c, int n) {
  __shared__ float of_a[tile][tile], turned[tile][tile + 1];
  const int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  of_a[threadIdx.y][threadIdx.x] = a[row * tile + threadIdx.x];
  turned[threadIdx.x][threadIdx.y] = a[(blockIdx.x * tile + threadIdx.y) * tile + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += of_a[threadIdx.y][i] * turned[i][threadIdx.x];
  c[row * n + column] = sum;
}
texture<float, 1, cudaReadModeElementType> row_of_words;
__global__ void shifted(float* out, const float* in, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i + shift];
}
__global__ void shifted_texture(float* out, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1Dfetch(row_of_words, i + shift);
}
__global__ void increment(float* data) { data[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

static float *a, *b, *c;  // on the device
static std::vector<float> x(4 * words), y(4 * words), z(4 * words);

template <class F>
void judge(const char* what, int count, F&& expected) {
  CHECK(cudaMemcpy(z.data(), c, z.size() * sizeof(float), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < count; ++i) wrong += z[i] != static_cast<float>(expected(i));
  std::printf(wrong == 0 ? "%s: right\n" : "%s: %d wrong\n", what, wrong);
}

int main() {
  for (int i = 0; i < 4 * words; ++i) x[i] = static_cast<float>(i % 7), y[i] = static_cast<float>(i % 5);
  const std::size_t bytes = x.size() * sizeof(float);
  for (float** pointer : {&a, &b, &c}) CHECK(cudaMalloc(reinterpret_cast<void**>(pointer), bytes));
  CHECK(cudaMemcpy(a, x.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(b, y.data(), bytes, cudaMemcpyHostToDevice));
  const auto clear = [&] { CHECK(cudaMemset(c, 0, bytes)); };

  add<<<words / 256, 256>>>(a, b, c, words);
  judge("vecAdd (tutorial, first programs)", words, [](int i) { return x[i] + y[i]; });
  CHECK(cudaMemcpy(c, b, bytes, cudaMemcpyDeviceToDevice));
  saxpy<<<words / 256, 256>>>(words, 2, a, c);
  judge("saxpy (tutorial)", words, [](int i) { return 2 * x[i] + y[i]; });
  stencil<<<words / 256, 256>>>(a, c, words);
  judge("stencil in shared memory (tutorial)", words, [](int i) {
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) sum += i + k < 0 || i + k >= words ? 0 : x[i + k];
    return sum;
  });
  reverse<<<1, 256>>>(a, c);
  judge("reversal, one block (tutorial)", 256, [](int i) { return x[255 - i]; });
  reverse_blocks<<<words / 256, 256>>>(a, c);
  judge("reversal, several blocks, in shared memory (tutorial)", words, [](int i) { return x[words - 1 - i]; });
  product<<<dim3(side / tile, side / tile), dim3(tile, tile)>>>(a, b, c, side);
  judge("matrix product (tutorial)", side * side, [](int i) {
    float sum = 0;
    for (int k = 0; k < side; ++k) sum += x[i / side * side + k] * y[k * side + i % side];
    return sum;
  });

  clear();
  offset_copy<<<words / 256, 256>>>(c, a, 17);
  judge("offset copy (Best Practices 3.2.1.3)", words + 17, [](int i) { return i < 17 ? 0 : x[i]; });
  clear();
  strided_copy<<<words / 256, 256>>>(c, a, 3);
  judge("strided copy (Best Practices 3.2.1.4)", 3 * words, [](int i) { return i % 3 != 0 ? 0 : x[i]; });

  const dim3 grid(side / tile, side / tile), block(tile, tile);
  const auto of_tiles = [](int i) {
    float sum = 0;
    for (int k = 0; k < tile; ++k) sum += x[i / side * tile + k] * y[k * side + i % side];
    return sum;
  };
  const auto of_transposed = [](int i) {
    float sum = 0;
    for (int k = 0; k < tile; ++k) sum += x[i / side * tile + k] * x[i % side * tile + k];
    return sum;
  };
  plain_tiles<<<grid, block>>>(a, b, c, side);
  judge("C = A B, plain (Best Practices 3.2.2.2)", side * side, of_tiles);
  clear();
  tile_of_a<<<grid, block>>>(a, b, c, side);
  judge("C = A B, A in shared memory (Best Practices 3.2.2.2)", side * side, of_tiles);
  clear();
  tiles_of_both<<<grid, block>>>(a, b, c, side);
  judge("C = A B, both in shared memory (Best Practices 3.2.2.2)", side * side, of_tiles);
  transposed<<<grid, block>>>(a, c, side);
  judge("C = A A', plain (Best Practices 3.2.2.3)", side * side, of_transposed);
  clear();
  transposed_tile<<<grid, block>>>(a, c, side);
  judge("C = A A', a padded tile (Best Practices 3.2.2.3)", side * side, of_transposed);

  shifted<<<words / 256, 256>>>(c, a, 5);
  judge("shifted copy (Best Practices 3.2.4.1)", words, [](int i) { return x[i + 5]; });
  clear();
  CHECK(cudaBindTexture(nullptr, row_of_words, a, bytes));
  shifted_texture<<<words / 256, 256>>>(c, 5);
  judge("shifted copy through a texture (Best Practices 3.2.4.1)", words, [](int i) { return x[i + 5]; });

  constexpr int streams = 4, part = words / streams;
  cudaStream_t stream[streams];
  for (int i = 0; i < streams; ++i) {
    CHECK(cudaStreamCreate(&stream[i]));
    CHECK(cudaMemcpyAsync(c + i * part, x.data() + i * part, part * sizeof(float), cudaMemcpyHostToDevice, stream[i]));
    increment<<<part / 256, 256, 0, stream[i]>>>(c + i * part);
  }
  CHECK(cudaThreadSynchronize());
  judge("copies and kernels in streams (Best Practices 3.1.2)", words, [](int i) { return x[i] + 1; });

  const char* zero_copy = "zero copy (Best Practices 3.1.3)";
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  if (!properties.canMapHostMemory) return std::printf("%s: not on this device\n", zero_copy) < 0;
  float *host, *mapped;
  CHECK(cudaHostAlloc(reinterpret_cast<void**>(&host), words * sizeof(float), cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&mapped), host, 0));
  for (int i = 0; i < words; ++i) host[i] = x[i];
  increment<<<words / 256, 256>>>(mapped);
  CHECK(cudaThreadSynchronize());
  int wrong = 0;
  for (int i = 0; i < words; ++i) wrong += host[i] != x[i] + 1;
  return std::printf(wrong == 0 ? "%s: right\n" : "%s: %d wrong\n", zero_copy, wrong) < 0;
}
