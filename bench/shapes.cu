// Kernels of shapes that the benchmark's rows do not have, for bench/ablation --programs: `shapes NAME` runs one, checks it, and ends with 0.
//   column    arrays stored by columns, blocks of 16 x 16 whose x goes along the rows
//   blur      the same, four neighbours
//   turned    a row of shared memory that is read backwards
//   narrow    blocks of 8 x 8
//   tiles     a product of matrices by tiles of 8 x 8
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void column(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) y[i * n + j] = a * x[i * n + j] + y[i * n + j];
}

__global__ void blur(float* y, const float* x, float, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
    y[i * n + j] = .25f * (x[(i - 1) * n + j] + x[(i + 1) * n + j] + x[i * n + j - 1] + x[i * n + j + 1]);
}

__global__ void turned(float* y, const float* x, float, int) {
  __shared__ float row[256];
  const int t = threadIdx.x, i = blockIdx.x * 256 + t;
  float sum = x[i];
  for (int k = 0; k < 16; ++k) {
    row[t] = sum;
    __syncthreads();
    sum = .5f * (sum + row[255 - t]);
    __syncthreads();
  }
  y[i] = sum;
}

__global__ void narrow(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n) y[j * n + i] += a * x[j * n + i];
}

__global__ void tiles(float* y, const float* x, float, int n) {
  __shared__ float tile[8][8];
  const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.x * 8 + tx, j = blockIdx.y * 8 + ty;
  float sum = 0;
  for (int k = 0; k < 64; k += 8) {
    tile[ty][tx] = x[j * n + k + tx];
    __syncthreads();
    for (int q = 0; q < 8; ++q) sum += tile[ty][q] * tile[q][tx];
    __syncthreads();
  }
  y[j * n + i] = sum;
}

struct Shape {
  const char* name;
  void (*kernel)(float*, const float*, float, int);
  dim3 block;
  bool row;  // one dimension
  int runs;
};
const Shape shapes[] = {{"column", column, {16, 16}, false, 60},
                        {"blur", blur, {16, 16}, false, 60},
                        {"turned", turned, {256}, true, 40},
                        {"narrow", narrow, {8, 8}, false, 60},
                        {"tiles", tiles, {8, 8}, false, 30}};

int main(int argc, char** argv) {
  constexpr int n = 1024;
  for (const Shape& shape : shapes) {
    if (argc != 2 || std::strcmp(argv[1], shape.name) != 0) continue;
    std::vector<float> x(n * n), y(n * n, 1.f), z(n * n);
    for (int i = 0; i < n * n; ++i) x[i] = static_cast<float>(i % 7);
    float *dx, *dy;
    cudaMalloc(&dx, 4 * n * n);
    cudaMalloc(&dy, 4 * n * n);
    cudaMemcpy(dx, x.data(), 4 * n * n, cudaMemcpyHostToDevice);
    cudaMemcpy(dy, y.data(), 4 * n * n, cudaMemcpyHostToDevice);
    const dim3 grid = shape.row ? dim3(n * n / 256) : dim3(n / shape.block.x, n / shape.block.y);
    for (int run = 0; run < shape.runs; ++run) shape.kernel<<<grid, shape.block>>>(dy, dx, 2, n);
    if (cudaMemcpy(z.data(), dy, 4 * n * n, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    const auto expected = [&](int j, int i) -> float {
      const auto at = [&](int r, int c) { return x[r * n + c]; };
      if (shape.kernel == column || shape.kernel == narrow) return 1 + 2.f * at(j, i) * shape.runs;
      if (shape.kernel == blur)
        return i == 0 || j == 0 || i == n - 1 || j == n - 1
                   ? 1
                   : .25f * (at(j - 1, i) + at(j + 1, i) + at(j, i - 1) + at(j, i + 1));
      if (shape.kernel == turned) {
        const int place = j * n + i, begin = place / 256 * 256;
        return .5f * (x[place] + x[begin + 255 - place % 256]);
      }
      float sum = 0;
      for (int k = 0; k < 64; ++k) sum += at(j, k) * at(j / 8 * 8 + k % 8, k / 8 * 8 + i % 8);
      return sum;
    };
    for (int j = 0; j < n; j += 5)
      for (int i = 0; i < n; ++i)
        if (std::fabs(z[j * n + i] - expected(j, i)) > 1e-3f * std::fabs(expected(j, i))) {
          std::printf("%s: %g at %d, %d; it should be %g\n", shape.name, z[j * n + i], j, i, expected(j, i));
          return 1;
        }
    return 0;
  }
  std::fprintf(stderr, "usage: shapes column|blur|turned|narrow|tiles\n");
  return 2;
}
