// Kernels of everyday kinds, to judge predictions by: none of them sets a constant. Each launch is told on a
// line: id,kernel,shape.
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
#define RUN(K, G, B, S, ...)                                                                       \
  do {                                                                                             \
    dim3 g_ G, b_ B;                                                                               \
    float ms_ = 0;                                                                                 \
    if (timed_) cudaEventRecord(e0_);                                                              \
    K<<<g_, b_, S>>>(__VA_ARGS__);                                                                 \
    CK(cudaGetLastError());                                                                        \
    if (timed_) {                                                                                  \
      cudaEventRecord(e1_);                                                                        \
      CK(cudaEventSynchronize(e1_));                                                               \
      cudaEventElapsedTime(&ms_, e0_, e1_);                                                        \
    }                                                                                              \
    CK(cudaDeviceSynchronize());                                                                   \
    printf("%d,%s,%ux%ux%u,%ux%ux%u,%d", id_++, #K, g_.x, g_.y, g_.z, b_.x, b_.y, b_.z, (int)(S)); \
    if (timed_) printf(",%.2f", ms_ * 1000);                                                       \
    printf("\n");                                                                                  \
  } while (0)
static bool timed_ = false;
static cudaEvent_t e0_, e1_;  // with an argument: times by events too

__global__ void saxpy(float a, const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = a * x[i] + y[i];
}
__global__ void sum_interleaved(const int* in, int* out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (t % (2 * k) == 0) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void sum_sequential(const int* in, int* out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = blockDim.x / 2; k > 0; k /= 2) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
__global__ void sum_shuffles(const int* in, int* out, int n) {
  int v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(~0u, v, k);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);
}
__global__ void scan_block(const int* in, int* out) {
  extern __shared__ int s[];
  unsigned t = threadIdx.x, b = blockIdx.x * blockDim.x;
  s[t] = in[b + t];
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    int v = t >= k ? s[t - k] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  out[b + t] = s[t];
}
__global__ void bodies(const float4* p, float3* a, int n) {
  __shared__ float4 s[256];
  float4 me = p[blockIdx.x * blockDim.x + threadIdx.x];
  float3 sum = {0, 0, 0};
  for (int k = 0; k < n; k += 256) {
    for (unsigned j = threadIdx.x; j < 256; j += blockDim.x) s[j] = p[k + j];
    __syncthreads();
    for (int j = 0; j < 256; ++j) {
      float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z,
            d = dx * dx + dy * dy + dz * dz + 1e-6f, r = rsqrtf(d), f = s[j].w * r * r * r;
      sum.x += f * dx;
      sum.y += f * dy;
      sum.z += f * dz;
    }
    __syncthreads();
  }
  a[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void sort_step(int* v, int j, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, o = i ^ j;
  if (o > i) {
    int a = v[i], b = v[o];
    if ((a > b) == ((i & k) == 0)) {
      v[i] = b;
      v[o] = a;
    }
  }
}
__global__ void rows_by_threads(const int* start, const int* column, const float* value, const float* x,
                                float* y, int n) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= n) return;
  float s = 0;
  for (int i = start[r]; i < start[r + 1]; ++i) s += value[i] * x[column[i]];
  y[r] = s;
}
__global__ void rows_by_warps(const int* start, const int* column, const float* value, const float* x,
                              float* y, int n) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31;
  if (r >= n) return;
  float s = 0;
  for (int i = start[r] + l; i < start[r + 1]; i += 32) s += value[i] * x[column[i]];
  for (int k = 16; k > 0; k /= 2) s += __shfl_down_sync(~0u, s, k);
  if (l == 0) y[r] = s;
}
__global__ void count_global(const uint8_t* d, int n, unsigned* h) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&h[d[i]], 1u);
}
__global__ void count_shared(const uint8_t* d, int n, unsigned* h) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&s[d[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&h[i], s[i]);
}
__constant__ float weights[81];
template <int R>
__device__ void filter(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < R || y < R || x >= w - R || y >= h - R) return;
  float s = 0;
  for (int j = -R; j <= R; ++j)
    for (int i = -R; i <= R; ++i) s += weights[(j + R) * (2 * R + 1) + i + R] * in[(y + j) * w + x + i];
  out[y * w + x] = s;
}
__global__ void filter3(const float* in, float* out, int w, int h) { filter<1>(in, out, w, h); }
__global__ void filter9(const float* in, float* out, int w, int h) { filter<4>(in, out, w, h); }
__global__ void relax(const float* in, float* out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  out[y * w + x] =
      0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}
__global__ void relax_tiles(const float* in, float* out, int w, int h) {
  extern __shared__ float tile[];
  float* s = tile;
  int W = blockDim.x + 2, x = blockIdx.x * blockDim.x + threadIdx.x + 1,
      y = blockIdx.y * blockDim.y + threadIdx.y + 1, i = (threadIdx.y + 1) * W + threadIdx.x + 1;
  if (x >= w - 1 || y >= h - 1) x = y = 1;
  s[i] = in[y * w + x];
  if (threadIdx.x == 0) s[i - 1] = in[y * w + x - 1];
  if (threadIdx.x == blockDim.x - 1) s[i + 1] = in[y * w + x + 1];
  if (threadIdx.y == 0) s[i - W] = in[(y - 1) * w + x];
  if (threadIdx.y == blockDim.y - 1) s[i + W] = in[(y + 1) * w + x];
  __syncthreads();
  out[y * w + x] = 0.25f * (s[i - 1] + s[i + 1] + s[i - W] + s[i + W]);
}
__global__ void options(const float* price, const float* strike, const float* years, float* call, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float q = 0.3f * sqrtf(years[i]), d = (logf(price[i] / strike[i]) + (0.02f + 0.045f) * years[i]) / q;
    call[i] = price[i] * normcdff(d) - strike[i] * expf(-0.02f * years[i]) * normcdff(d - q);
  }
}
__global__ void escapes(uint16_t* out, int w, int h, int most) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float cx = -2.2f + 3.0f * x / w, cy = -1.2f + 2.4f * y / h, a = 0, b = 0;
  int k = 0;
  while (k < most && a * a + b * b < 4) {
    float t = a * a - b * b + cx;
    b = 2 * a * b + cy;
    a = t;
    ++k;
  }
  out[y * w + x] = k;
}
__global__ void gather(const float* in, const int* at, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[at[i]];
}
__global__ void scatter(const float* in, const int* at, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[at[i]] = in[i];
}
__global__ void chances(unsigned* hits, int rounds) {
  unsigned s = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 1, n = 0;
  for (int i = 0; i < rounds; ++i) {
    s = s * 1664525u + 1013904223u;
    float x = (s >> 8) * (1.0f / 16777216);
    s = s * 1664525u + 1013904223u;
    float y = (s >> 8) * (1.0f / 16777216);
    n += x * x + y * y < 1;
  }
  atomicAdd(hits, n);
}
template <int T, int P>
__device__ void product(const float* A, const float* B, float* C, int n) {
  __shared__ float a[T][T], b[T][T];
  int x = threadIdx.x, y = threadIdx.y * P;
  const float* pa = A + (blockIdx.y * T + y) * n + x;
  const float* pb = B + y * n + blockIdx.x * T + x;
  float s[P] = {};
  for (int k = 0; k < n; k += T) {
    for (int i = 0; i < P; ++i) a[y + i][x] = pa[i * n + k], b[y + i][x] = pb[(k + i) * n];
    __syncthreads();
    for (int e = 0; e < T; ++e) {
      float v = b[e][x];
      for (int i = 0; i < P; ++i) s[i] += a[y + i][e] * v;
    }
    __syncthreads();
  }
  for (int i = 0; i < P; ++i) C[(blockIdx.y * T + y + i) * n + blockIdx.x * T + x] = s[i];
}
__global__ void product1(const float* A, const float* B, float* C, int n) { product<32, 1>(A, B, C, n); }
__global__ void product4(const float* A, const float* B, float* C, int n) { product<32, 4>(A, B, C, n); }
__global__ void product8(const float* A, const float* B, float* C, int n) { product<32, 8>(A, B, C, n); }
__global__ void turn_rows(const float* in, float* out, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
__global__ void paths(float* d, int k, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float v = d[y * n + k] + d[k * n + x];
  if (v < d[y * n + x]) d[y * n + x] = v;
}
__global__ void double_chain(const double* in, double* out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = in[i];
  for (int k = 0; k < rounds; ++k) v = v * 1.0000001 + 0.5 / (v + 2.0);
  out[i] = v;
}
__global__ void lookup(const uint32_t* keys, const uint32_t* table, uint32_t* out, int n, uint32_t mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t k = keys[i], h = k * 2654435769u >> 7;
  uint32_t r = ~0u;
  for (int probe = 0; probe < 64; ++probe) {
    uint32_t v = table[(h + probe) & mask];
    if (v == k) {
      r = (h + probe) & mask;
      break;
    }
    if (v == 0) break;
  }
  out[i] = r;
}

int main(int argc, char**) {
  if (argc > 1) {
    timed_ = true;
    cudaEventCreate(&e0_);
    cudaEventCreate(&e1_);
  }
  const size_t N = 1 << 23;
  char *a, *b, *c, *d;
  for (char** p : {&a, &b, &c, &d}) {
    CK(cudaMalloc(p, N * 8));
    CK(cudaMemset(*p, 0, N * 8));
  }
  float *fa = (float*)a, *fb = (float*)b, *fc = (float*)c, *fd = (float*)d;
  int *ia = (int*)a, *ib = (int*)b, *ic = (int*)c;
  uint32_t s = 1;
  auto next = [&] { return s = s * 1664525u + 1013904223u; };
  std::vector<float> hf(N);
  for (auto& x : hf) x = 0.1f + (next() >> 8) * (1.0f / 16777216);
  std::vector<int> hi(N);
  for (auto& x : hi) x = next() >> 8 & (N - 1);
  auto floats = [&](float* p) { CK(cudaMemcpy(p, hf.data(), N * 4, cudaMemcpyHostToDevice)); };
  auto ints = [&](int* p) { CK(cudaMemcpy(p, hi.data(), N * 4, cudaMemcpyHostToDevice)); };
  floats(fa);
  floats(fb);
  floats(fc);
  CK(cudaMemcpyToSymbol(weights, hf.data(), sizeof(weights)));
  for (int t : {64, 128, 256, 512, 1024}) RUN(saxpy, (1056), (t), 0, 2.0f, fa, fb, N / 4);
  RUN(saxpy, (N / 256), (256), 0, 2.0f, fa, fb, N);
  for (int t : {64, 128, 256, 512, 1024}) RUN(sum_interleaved, (N / 2 / t), (t), t * 4, ia, ib);
  for (int t : {64, 128, 256, 512, 1024}) RUN(sum_sequential, (N / 2 / t), (t), t * 4, ia, ib);
  for (int t : {64, 256, 1024}) RUN(sum_shuffles, (264), (t), 0, ia, ib, N / 2);
  for (int t : {128, 512, 1024}) RUN(scan_block, (N / 4 / t), (t), t * 4, ia, ib);
  for (int t : {64, 128, 256}) RUN(bodies, (16384 / t), (t), 0, (const float4*)a, (float3*)c, 4096);
  ints(ia);
  for (int j : {1, 16, 1024, 65536}) RUN(sort_step, (N / 4 / 256), (256), 0, ia, j, 131072);
  {
    int n = 65536;
    std::vector<int> start(n + 1);
    int at = 0;
    for (int i = 0; i < n; ++i) {
      start[i] = at;
      at += 1 + (next() >> 16) % 63;
    }
    start[n] = at;
    std::vector<int> column(at);
    for (auto& x : column) x = next() >> 8 & (n - 1);
    CK(cudaMemcpy(ib, start.data(), (n + 1) * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(ic, column.data(), at * 4, cudaMemcpyHostToDevice));
    floats(fa);
    floats(fd);
    for (int t : {64, 256, 1024}) RUN(rows_by_threads, (n / t), (t), 0, ib, ic, fa, fd, fa + N, n);
    for (int t : {64, 256, 1024}) RUN(rows_by_warps, (n * 32 / t), (t), 0, ib, ic, fa, fd, fa + N, n);
  }
  ints(ia);
  for (int t : {64, 256, 1024}) {
    RUN(count_global, (264), (t), 0, (uint8_t*)a, N / 4, (unsigned*)d);
    RUN(count_shared, (264), (t), 0, (uint8_t*)a, N / 2, (unsigned*)d);
  }
  floats(fa);
  int w = 2048, h = 1024;
  {
    dim3 shapes[] = {{8, 8}, {16, 16}, {32, 4}, {32, 8}, {32, 32}, {64, 1}, {256, 1}};
    for (dim3 t : shapes) {
      dim3 g(w / t.x, h / t.y);
      RUN(filter3, (g), (t), 0, fa, fb, w, h);
      RUN(filter9, (g), (t), 0, fa, fb, w, h);
      RUN(relax, (g), (t), 0, fa, fb, w, h);
      RUN(relax_tiles, (g), (t), (t.x + 2) * (t.y + 2) * 4, fa, fb, w, h);
      RUN(escapes, (g), (t), 0, (uint16_t*)b, w, h, 64);
      RUN(turn_rows, (dim3(w / t.x, w / t.y)), (t), 0, fa, fb, w);
    }
  }
  for (int t : {64, 256, 1024}) RUN(options, (N / 8 / t), (t), 0, fa, fb, fc, fd, N / 8);
  ints(ib);
  for (int t : {64, 256, 1024}) {
    RUN(gather, (N / 4 / t), (t), 0, fa, ib, fc, N / 4);
    RUN(scatter, (N / 4 / t), (t), 0, fa, ib, fc, N / 4);
  }
  for (int t : {64, 256, 1024}) RUN(chances, (132 * 1024 / t), (t), 0, (unsigned*)d, 256);
  RUN(product1, (dim3(16, 16)), (dim3(32, 32)), 0, fa, fb, fc, 512);
  RUN(product4, (dim3(16, 16)), (dim3(32, 8)), 0, fa, fb, fc, 512);
  RUN(product8, (dim3(16, 16)), (dim3(32, 4)), 0, fa, fb, fc, 512);
  for (dim3 t : {dim3(16, 16), dim3(32, 8), dim3(32, 32)})
    RUN(paths, (dim3(1024 / t.x, 1024 / t.y)), (t), 0, fa, 17, 1024);
  for (int t : {64, 256}) RUN(double_chain, (65536 / t), (t), 0, (double*)a, (double*)b, 64);
  {
    std::vector<uint32_t> table(1 << 21), keys(1 << 20);
    for (auto& k : keys) {
      k = next() | 1;
      uint32_t at = k * 2654435769u >> 7;
      while (table[at & (table.size() - 1)] != 0) ++at;
      table[at & (table.size() - 1)] = k;
    }
    CK(cudaMemcpy(b, table.data(), table.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaMemcpy(a, keys.data(), keys.size() * 4, cudaMemcpyHostToDevice));
    for (int t : {64, 256, 1024})
      RUN(lookup, ((1 << 20) / t), (t), 0, (uint32_t*)a, (uint32_t*)b, (uint32_t*)c, 1 << 20, (1u << 21) - 1);
  }
  return 0;
}
