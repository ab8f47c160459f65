// The kernels whose times the guides tell, in the guides' sizes. With a file's name it writes there which
// launch was which: id,kernel,params; launches of the same name belong together. Compilers of that time
// unrolled loops of known length alone.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

static FILE* list_;
static int id_ = 0;
#define CK(x)                                                                    \
  do {                                                                           \
    cudaError_t e_ = (x);                                                        \
    if (e_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)
#define RUN(K, PARAMS, G, B, S, ...)                 \
  do {                                               \
    fprintf(list_, "%d,%s,%s\n", id_++, #K, PARAMS); \
    K<<<G, B, S>>>(__VA_ARGS__);                     \
    CK(cudaGetLastError());                          \
    CK(cudaDeviceSynchronize());                     \
  } while (0)

// CUDA C Best Practices Guide 4.0, 3.2.1.3.
__global__ void offset_copy(float* to, const float* from, int offset) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
  to[i] = from[i];
}

// OpenCL Programming for the CUDA Architecture 2.3: W = M V, listings 2 to 7. Without -cl-mad-enable OpenCL
// compilers do not make one instruction of a product and a sum.
extern __shared__ float partial[];
__device__ float plus_product(float sum, float a, float b) { return __fadd_rn(sum, __fmul_rn(a, b)); }
__device__ float row_by_vector(const float* row, const float* v, unsigned width) {
  float sum = 0;
#pragma unroll 1
  for (unsigned x = 0; x < width; ++x) sum = plus_product(sum, row[x], v[x]);
  return sum;
}
__global__ void listing2(const float* m, unsigned width, unsigned height, const float* v, float* w) {
  unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < height) w[y] = row_by_vector(m + y * width, v, width);
}
__global__ void listing3(const float* m, unsigned width, unsigned height, const float* v, float* w) {
#pragma unroll 1
  for (unsigned y = blockIdx.x * blockDim.x + threadIdx.x; y < height; y += gridDim.x * blockDim.x)
    w[y] = row_by_vector(m + y * width, v, width);
}
__device__ void part_of_row(const float* row, const float* v, unsigned width) {
  float sum = 0;
#pragma unroll 1
  for (unsigned x = threadIdx.x; x < width; x += blockDim.x) sum = plus_product(sum, row[x], v[x]);
  partial[threadIdx.x] = sum;
}
__global__ void listing4(const float* m, unsigned width, unsigned height, const float* v, float* w) {
#pragma unroll 1
  for (unsigned y = blockIdx.x; y < height; y += gridDim.x) {
    part_of_row(m + y * width, v, width);
    __syncthreads();
    if (threadIdx.x == 0) {
      float sum = 0;
#pragma unroll 1
      for (unsigned t = 0; t < blockDim.x; ++t) sum += partial[t];
      w[y] = sum;
    }
    __syncthreads();
  }
}
__global__ void listing5(const float* m, unsigned width, unsigned height, const float* v, float* w) {
#pragma unroll 1
  for (unsigned y = blockIdx.x; y < height; y += gridDim.x) {
    part_of_row(m + y * width, v, width);
#pragma unroll 1
    for (unsigned step = 1; step < blockDim.x; step *= 2) {
      __syncthreads();
      unsigned at = 2 * step * threadIdx.x;
      if (at < blockDim.x) partial[at] += partial[at + step];
    }
    if (threadIdx.x == 0) w[y] = partial[0];
    __syncthreads();
  }
}
__global__ void listing6(const float* m, unsigned width, unsigned height, const float* v, float* w) {
#pragma unroll 1
  for (unsigned y = blockIdx.x; y < height; y += gridDim.x) {
    part_of_row(m + y * width, v, width);
#pragma unroll 1
    for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
      __syncthreads();
      if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    }
    if (threadIdx.x == 0) w[y] = partial[0];
    __syncthreads();
  }
}
__global__ void listing7(const float* m, unsigned width, unsigned height, const float* v, float* w) {
#pragma unroll 1
  for (unsigned y = blockIdx.x; y < height; y += gridDim.x) {
    part_of_row(m + y * width, v, width);
    __syncthreads();
    unsigned lane = threadIdx.x & 31;
    // All warps, as published: the upper half adds up what lies behind the sums.
    volatile float* p = partial + 2 * threadIdx.x - lane;
    p[0] += p[32];
    p[0] += p[16];
    p[0] += p[8];
    p[0] += p[4];
    p[0] += p[2];
    p[0] += p[1];
    float of_warp = p[0];
    __syncthreads();
    if (lane == 0) partial[threadIdx.x / 32] = of_warp;
    __syncthreads();
    unsigned left = blockDim.x / 64;
    if (threadIdx.x < left / 2) {
      p = partial + threadIdx.x;
      if (left >= 8) p[0] += p[4];
      if (left >= 4) p[0] += p[2];
      if (left >= 2) p[0] += p[1];
    }
    if (threadIdx.x == 0) w[y] = partial[0];
    __syncthreads();
  }
}

// CUDA C Best Practices Guide 4.0, 3.2.2.2 and 3.2.2.3: C = A B and C = A A^T, A 16 wide.
constexpr int tile = 16;
__global__ void ab_plain(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += a[row * tile + i] * b[i * n + column];
  c[row * n + column] = sum;
}
__global__ void ab_one_tile(const float* a, const float* b, float* c, int n) {
  __shared__ float at[tile][tile];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  at[threadIdx.y][threadIdx.x] = a[row * tile + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < tile; ++i) sum += at[threadIdx.y][i] * b[i * n + column];
  c[row * n + column] = sum;
}
__global__ void ab_two_tiles(const float* a, const float* b, float* c, int n) {
  __shared__ float at[tile][tile], bt[tile][tile];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  at[threadIdx.y][threadIdx.x] = a[row * tile + threadIdx.x];
  bt[threadIdx.y][threadIdx.x] = b[threadIdx.y * n + column];
  __syncthreads();
  for (int i = 0; i < tile; ++i) sum += at[threadIdx.y][i] * bt[i][threadIdx.x];
  c[row * n + column] = sum;
}
__global__ void aat_plain(const float* a, float* c, int m) {
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  for (int i = 0; i < tile; ++i) sum += a[row * tile + i] * a[column * tile + i];
  c[row * m + column] = sum;
}
template <int WIDTH>
__device__ void aat(const float* a, float* c, int m) {
  __shared__ float at[tile][tile], tt[tile][WIDTH];
  int row = blockIdx.y * tile + threadIdx.y, column = blockIdx.x * tile + threadIdx.x;
  float sum = 0;
  at[threadIdx.y][threadIdx.x] = a[row * tile + threadIdx.x];
  tt[threadIdx.x][threadIdx.y] = a[(blockIdx.x * tile + threadIdx.y) * tile + threadIdx.x];
  __syncthreads();
  for (int i = 0; i < tile; ++i) sum += at[threadIdx.y][i] * tt[i][threadIdx.x];
  c[row * m + column] = sum;
}
__global__ void aat_tiles(const float* a, float* c, int m) { aat<tile>(a, c, m); }
__global__ void aat_padded(const float* a, float* c, int m) { aat<tile + 1>(a, c, m); }

// Sums of a block each, step by step as "Optimizing Parallel Reduction in CUDA" (2007) describes them.
extern __shared__ int sums[];
__global__ void reduce1(const int* in, int* out) {
  unsigned t = threadIdx.x;
  sums[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
#pragma unroll 1
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned divisor = 2 * s;
    asm("" : "+r"(divisor));  // compilers of that time did not prove it to be a power of two
    if (t % divisor == 0) sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}
__global__ void reduce2(const int* in, int* out) {
  unsigned t = threadIdx.x;
  sums[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
#pragma unroll 1
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    unsigned at = 2 * s * t;
    if (at < blockDim.x) sums[at] += sums[at + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}
__device__ void halve_down_to(unsigned last) {
  unsigned t = threadIdx.x;
  __syncthreads();
#pragma unroll 1
  for (unsigned s = blockDim.x / 2; s > last; s /= 2) {
    if (t < s) sums[t] += sums[t + s];
    __syncthreads();
  }
}
__device__ void within_warp() {
  if (threadIdx.x < 32) {
    volatile int* p = sums + threadIdx.x;
    p[0] += p[32];
    p[0] += p[16];
    p[0] += p[8];
    p[0] += p[4];
    p[0] += p[2];
    p[0] += p[1];
  }
}
__global__ void reduce3(const int* in, int* out) {
  sums[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  halve_down_to(0);
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
__global__ void reduce4(const int* in, int* out) {
  unsigned i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  sums[threadIdx.x] = in[i] + in[i + blockDim.x];
  halve_down_to(0);
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
__global__ void reduce5(const int* in, int* out) {
  unsigned i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  sums[threadIdx.x] = in[i] + in[i + blockDim.x];
  halve_down_to(32);
  within_warp();
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
__device__ void of_128() {
  __syncthreads();
  if (threadIdx.x < 64) sums[threadIdx.x] += sums[threadIdx.x + 64];
  __syncthreads();
  within_warp();
}
__global__ void reduce6(const int* in, int* out) {
  unsigned i = blockIdx.x * 256 + threadIdx.x;
  sums[threadIdx.x] = in[i] + in[i + 128];
  of_128();
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}
__global__ void reduce7(const int* in, int* out, unsigned n) {
  int sum = 0;
#pragma unroll 1
  for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += 256 * gridDim.x) sum += in[i] + in[i + 128];
  sums[threadIdx.x] = sum;
  of_128();
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

int main(int argc, char** argv) {
  list_ = argc > 1 ? fopen(argv[1], "w") : stdout;
  if (list_ == nullptr) return perror(argv[1]), 1;
  constexpr unsigned width = 1100, height = 100000, n = 2048;
  float *a, *b, *c;
  CK(cudaMalloc(&a, size_t{width} * height * 4));
  CK(cudaMalloc(&b, size_t{n} * n * 8 + 4096));
  CK(cudaMalloc(&c, size_t{n} * n * 8 + 4096));
  int *ia = (int*)a, *ib = (int*)b;
  for (int offset : {0, 1, 8, 16}) {
    char text[32];
    snprintf(text, sizeof text, "offset %d", offset);
    RUN(offset_copy, text, 8192, 256, 0, c, b, offset);
  }
  const char* size = "1100 x 100000";
  RUN(listing2, size, 196, 512, 0, a, width, height, b, c);
  RUN(listing3, size, 60, 512, 0, a, width, height, b, c);
  RUN(listing4, size, 60, 512, 2048, a, width, height, b, c);
  RUN(listing5, size, 60, 512, 2048, a, width, height, b, c);
  RUN(listing6, size, 60, 512, 2048, a, width, height, b, c);
  RUN(listing7, size, 60, 512, 4096, a, width, height, b, c);
  const dim3 grid(n / tile, n / tile), block(tile, tile);
  RUN(ab_plain, "2048 x 2048", grid, block, 0, a, b, c, n);
  RUN(ab_one_tile, "2048 x 2048", grid, block, 0, a, b, c, n);
  RUN(ab_two_tiles, "2048 x 2048", grid, block, 0, a, b, c, n);
  RUN(aat_plain, "2048 x 2048", grid, block, 0, a, c, n);
  RUN(aat_tiles, "2048 x 2048", grid, block, 0, a, c, n);
  RUN(aat_padded, "2048 x 2048", grid, block, 0, a, c, n);
  // Sums of sums, until one is left.
  const unsigned all = 1 << 22;
  for (unsigned left = all / 128;; left = left < 128 ? 1 : left / 128) {
    RUN(reduce1, "2^22", left, 128, 512, ia, ib);
    RUN(reduce2, "2^22", left, 128, 512, ia, ib);
    RUN(reduce3, "2^22", left, 128, 512, ia, ib);
    if (left == 1) break;
  }
  for (unsigned left = all / 256;; left = left < 256 ? 1 : left / 256) {
    RUN(reduce4, "2^22", left, 128, 512, ia, ib);
    RUN(reduce5, "2^22", left, 128, 512, ia, ib);
    RUN(reduce6, "2^22", left, 128, 512, ia, ib);
    if (left == 1) break;
  }
  RUN(reduce7, "2^22", 64, 128, 512, ia, ib, all);
  RUN(reduce7, "2^22", 1, 128, 512, ia, ib, 256);
  return 0;
}
