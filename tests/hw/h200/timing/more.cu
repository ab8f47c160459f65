// More kernels of everyday kinds, to judge predictions by: none of them sets a constant, and their times were
// measured after the predictions had been written down. Each launch is told on a line: id,kernel,shape.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CK(x)                                                                    \
  do {                                                                           \
    cudaError_t e_ = (x);                                                        \
    if (e_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)
static int id_ = 0;
#define RUN(K, G, B, S, ...)                                                            \
  do {                                                                                  \
    dim3 g_ G, b_ B;                                                                    \
    K<<<g_, b_, S>>>(__VA_ARGS__);                                                      \
    CK(cudaGetLastError());                                                             \
    CK(cudaDeviceSynchronize());                                                        \
    printf("%d,%s,%ux%ux%u,%ux%ux%u\n", id_++, #K, g_.x, g_.y, g_.z, b_.x, b_.y, b_.z); \
  } while (0)

// A scan of 2 words a thread, up and down a tree in shared memory; the block's sum goes to `sums`.
__global__ void scan_tree(const int* in, int* out, int* sums) {
  extern __shared__ int s[];
  int t = threadIdx.x, n = 2 * blockDim.x, first = blockIdx.x * n;
  s[2 * t] = in[first + 2 * t];
  s[2 * t + 1] = in[first + 2 * t + 1];
  int step = 1;
  for (int d = n >> 1; d > 0; d >>= 1, step *= 2) {
    __syncthreads();
    if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
  }
  if (t == 0) sums[blockIdx.x] = s[n - 1], s[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    step >>= 1;
    __syncthreads();
    if (t < d) {
      int left = step * (2 * t + 1) - 1, right = step * (2 * t + 2) - 1, v = s[left];
      s[left] = s[right];
      s[right] += v;
    }
  }
  __syncthreads();
  out[first + 2 * t] = s[2 * t];
  out[first + 2 * t + 1] = s[2 * t + 1];
}
// A filter of 17 taps along rows, then along columns, with what lies beside in shared memory.
constexpr int radius = 8;
__constant__ float taps[2 * radius + 1];
__global__ void filter_rows(const float* in, float* out, int w) {
  extern __shared__ float line[];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  for (int i = threadIdx.x; i < blockDim.x + 2 * radius; i += blockDim.x) {
    int from = int(blockIdx.x * blockDim.x) + i - radius;
    line[i] = from >= 0 && from < w ? in[y * w + from] : 0;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = -radius; k <= radius; ++k) sum += taps[k + radius] * line[threadIdx.x + radius + k];
  out[y * w + x] = sum;
}
__global__ void filter_columns(const float* in, float* out, int w, int h) {
  extern __shared__ float tile[];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y0 = blockIdx.y * blockDim.y;
  for (int i = threadIdx.y; i < blockDim.y + 2 * radius; i += blockDim.y) {
    int from = y0 + i - radius;
    tile[i * blockDim.x + threadIdx.x] = from >= 0 && from < h ? in[from * w + x] : 0;
  }
  __syncthreads();
  float sum = 0;
#pragma unroll
  for (int k = -radius; k <= radius; ++k)
    sum += taps[k + radius] * tile[(threadIdx.y + radius + k) * blockDim.x + threadIdx.x];
  out[(y0 + threadIdx.y) * w + x] = sum;
}
// A small matrix a block, taken apart in place; a thread a row.
__global__ void lower_upper(float* matrices, int n) {
  extern __shared__ float m[];
  float* mine = matrices + blockIdx.x * n * n;
  int r = threadIdx.x;
  for (int i = r; i < n * n; i += n) m[i] = mine[i];
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    if (r > k) {
      float factor = m[r * n + k] / m[k * n + k];
      m[r * n + k] = factor;
      for (int c = k + 1; c < n; ++c) m[r * n + c] -= factor * m[k * n + c];
    }
    __syncthreads();
  }
  for (int i = r; i < n * n; i += n) mine[i] = m[i];
}
// A Fourier transform of 2 points a thread, all steps in shared memory.
__global__ void fourier(float2* data, int bits) {
  extern __shared__ float2 f[];
  int t = threadIdx.x, n = 2 * blockDim.x;
  float2* mine = data + blockIdx.x * n;
  for (int i = t; i < n; i += blockDim.x) f[__brev(i) >> (32 - bits)] = mine[i];
  __syncthreads();
  for (int half = 1; half < n; half *= 2) {
    int k = t & (half - 1), a = 2 * (t - k) + k, b = a + half;
    float s, c;
    __sincosf(-3.14159265f * k / half, &s, &c);
    float2 u = f[a], v = f[b], p = make_float2(v.x * c - v.y * s, v.x * s + v.y * c);
    f[a] = make_float2(u.x + p.x, u.y + p.y);
    f[b] = make_float2(u.x - p.x, u.y - p.y);
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) mine[i] = f[i];
}
// Where a word of 8 bytes is in a text.
__global__ void find_word(const char* text, int n, const char* word, int* found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 8 > n) return;
  int k = 0;
  while (k < 8 && text[i + k] == word[k]) ++k;
  if (k == 8) atomicAdd(found, 1);
}
// The nearest of k centres, which all lie in shared memory.
__global__ void nearest(const float4* points, const float4* centres, int k, uint8_t* which) {
  extern __shared__ float4 c[];
  for (int i = threadIdx.x; i < k; i += blockDim.x) c[i] = centres[i];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
  float4 p = points[i];
  float least = 1e30f;
  for (int j = 0; j < k; ++j) {
    float x = p.x - c[j].x, y = p.y - c[j].y, z = p.z - c[j].z, w = p.w - c[j].w,
          d = x * x + y * y + z * z + w * w;
    if (d < least) least = d, best = j;
  }
  which[i] = best;
}
// A step of a lattice Boltzmann method: 9 directions, each an array.
__global__ void lattice(const float* from, float* to, int w, int h) {
  const int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  const float weight[9] = {4.f / 9,  1.f / 9,  1.f / 9,  1.f / 9, 1.f / 9,
                           1.f / 36, 1.f / 36, 1.f / 36, 1.f / 36};
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float f[9], density = 0, ux = 0, uy = 0;
#pragma unroll
  for (int d = 0; d < 9; ++d) {
    int sx = (x - dx[d] + w) & (w - 1), sy = (y - dy[d] + h) & (h - 1);
    f[d] = from[(d * h + sy) * w + sx];
    density += f[d], ux += dx[d] * f[d], uy += dy[d] * f[d];
  }
  ux /= density, uy /= density;
#pragma unroll
  for (int d = 0; d < 9; ++d) {
    float along = 3 * (dx[d] * ux + dy[d] * uy);
    float rest = density * weight[d] * (1 + along + 0.5f * along * along - 1.5f * (ux * ux + uy * uy));
    to[(d * h + y) * w + x] = f[d] + 0.6f * (rest - f[d]);
  }
}
template <class Op>
__device__ float of_block(float v, Op op, float* s) {
  for (int k = 16; k > 0; k /= 2) v = op(v, __shfl_xor_sync(~0u, v, k));
  if ((threadIdx.x & 31) == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = s[0];
  for (unsigned i = 1; i < blockDim.x / 32; ++i) v = op(v, s[i]);
  __syncthreads();
  return v;
}
__global__ void softmax(const float* in, float* out, int n) {
  __shared__ float s[32];
  const float* row = in + size_t(blockIdx.x) * n;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, row[i]);
  most = of_block(most, [](float a, float b) { return fmaxf(a, b); }, s);
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __expf(row[i] - most);
  sum = of_block(sum, [](float a, float b) { return a + b; }, s);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[size_t(blockIdx.x) * n + i] = __expf(row[i] - most) / sum;
}
__global__ void normalize(const float* in, const float* gain, const float* bias, float* out, int n) {
  __shared__ float s[32];
  const float* row = in + size_t(blockIdx.x) * n;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += row[i], squares += row[i] * row[i];
  auto add = [](float a, float b) { return a + b; };
  float mean = of_block(sum, add, s) / n, scale = rsqrtf(of_block(squares, add, s) / n - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[size_t(blockIdx.x) * n + i] = (row[i] - mean) * scale * gain[i] + bias[i];
}
// A level of a breadth first search: whoever was reached last reaches his neighbours.
__global__ void reach(const int* start, const int* neighbour, int* level, int now, int n) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != now) return;
  for (int i = start[v]; i < start[v + 1]; ++i)
    if (level[neighbour[i]] < 0) level[neighbour[i]] = now + 1;
}

int main() {
  const size_t N = 1 << 22;
  char *a, *b, *c;
  for (char** p : {&a, &b, &c}) CK(cudaMalloc(p, N * 12));
  float *fa = (float*)a, *fb = (float*)b, *fc = (float*)c;
  uint32_t s = 1;
  auto next = [&] { return s = s * 1664525u + 1013904223u; };
  std::vector<float> numbers(3 * N);
  for (auto& x : numbers) x = 0.1f + (next() >> 8) * (1.0f / 16777216);
  for (float* p : {fa, fb, fc}) CK(cudaMemcpy(p, numbers.data(), N * 12, cudaMemcpyHostToDevice));
  CK(cudaMemcpyToSymbol(taps, numbers.data(), sizeof(taps)));
  for (int t : {64, 128, 256, 512}) RUN(scan_tree, (N / 2 / (2 * t)), (t), 8 * t, (int*)a, (int*)b, (int*)c);
  for (int t : {64, 128, 256, 512})
    RUN(filter_rows, (2048 / t, 1024), (t), 4 * (t + 2 * radius), fa, fb, 2048);
  for (dim3 t : {dim3(32, 8), dim3(32, 32), dim3(64, 4), dim3(16, 16)})
    RUN(filter_columns, (2048 / t.x, 1024 / t.y), (t), 4 * t.x * (t.y + 2 * radius), fa, fb, 2048, 1024);
  for (int n : {8, 16, 32, 64}) RUN(lower_upper, (2048), (n), 4 * n * n, fa, n);
  CK(cudaMemcpy(fa, numbers.data(), N * 12, cudaMemcpyHostToDevice));
  for (int bits : {7, 8, 9, 10})
    RUN(fourier, (1 << (20 - bits)), (1 << (bits - 1)), 8 << bits, (float2*)a, bits);
  CK(cudaMemset(a, 'a', N));
  CK(cudaMemset(b, 'a', 8));
  CK(cudaMemset(b + 7, 'b', 1));
  for (int t : {64, 128, 256, 1024}) RUN(find_word, (N / 4 / t), (t), 0, a, N / 4, b, (int*)c);
  for (float* p : {fa, fb, fc}) CK(cudaMemcpy(p, numbers.data(), N * 12, cudaMemcpyHostToDevice));
  for (int k : {16, 64}) RUN(nearest, (2048), (256), 16 * k, (float4*)a, (float4*)b, k, (uint8_t*)c);
  for (int t : {64, 1024})
    RUN(nearest, ((1 << 19) / t), (t), 16 * 32, (float4*)a, (float4*)b, 32, (uint8_t*)c);
  for (dim3 t : {dim3(32, 4), dim3(64, 1), dim3(256, 1), dim3(16, 16)})
    RUN(lattice, (512 / t.x, 512 / t.y), (t), 0, fa, fb, 512, 512);
  for (int t : {32, 128, 256, 1024}) RUN(softmax, (2048), (t), 0, fa, fb, 1024);
  for (int t : {32, 128, 256, 1024}) RUN(normalize, (2048), (t), 0, fa, fc, fc + 4096, fb, 1024);
  {
    int n = 1 << 18;
    std::vector<int> start(n + 1), neighbour, level(n, -1);
    for (int v = 0; v < n; ++v) {
      for (int k = next() >> 28; k > 0; --k) neighbour.push_back(next() >> 8 & (n - 1));
      start[v + 1] = neighbour.size();
    }
    for (int v = 0; v < n; ++v)
      if ((next() >> 24) < 8) level[v] = 0;
    CK(cudaMemcpy(a, start.data(), 4 * (n + 1), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(b, neighbour.data(), 4 * neighbour.size(), cudaMemcpyHostToDevice));
    CK(cudaMemcpy(c, level.data(), 4 * n, cudaMemcpyHostToDevice));
    int now = 0;
    for (int t : {256, 256, 64, 1024}) RUN(reach, (n / t), (t), 0, (int*)a, (int*)b, (int*)c, now++, n);
  }
  return 0;
}
