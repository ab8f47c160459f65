// What kernels read from clock64(), %globaltimer and from events, over stretches of code with known content.
// Output: what,warps,blocks,value  (cycles; of thread 0 of block 0 unless it says otherwise)
#include <cstdio>
#include <cstdint>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>
__device__ __forceinline__ long long now() { long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return t; }
__device__ __forceinline__ unsigned now32() { unsigned t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ unsigned long long timer() { unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
__global__ void back_to_back(long long* out) {
  long long a = now(), b = now(), c = now(), d = now(), e = now();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a, out[1] = c - b, out[2] = d - c, out[3] = e - a;
}
__global__ void back_to_back32(long long* out) {
  unsigned a = now32(), b = now32(), c = now32(), d = now32(), e = now32();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a, out[1] = c - b, out[2] = d - c, out[3] = e - a;
}
template <int N> __global__ void fma_chain(long long* out, float x, float* sink) {
  float y = x;
  for (int round = 0; round < 2; ++round) {
    long long a = now();
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(y) : "f"(x));
    long long b = now();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = y;
}
template <int N> __global__ void add_chain(long long* out, int x, int* sink) {
  int y = x;
  for (int round = 0; round < 2; ++round) {
    long long a = now();
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("xor.b32 %0, %0, %1; add.s32 %0, %0, %1;" : "+r"(y) : "r"(x));
    long long b = now();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = y;
}
template <int N> __global__ void f64_chain(long long* out, double x, double* sink) {
  double y = x;
  for (int round = 0; round < 2; ++round) {
    long long a = now();
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("fma.rn.f64 %0, %0, %0, %1;" : "+d"(y) : "d"(x));
    long long b = now();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = y;
}
// Independent multiply-adds: what a warp among many others sees.
__global__ void fma_many(long long* out, float x, float* sink) {
  float y[8];
  for (int k = 0; k < 8; ++k) y[k] = x + k;
  __syncthreads();
  long long a = now();
  for (int i = 0; i < 64; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(y[k]) : "f"(x));
  long long b = now();
  float s = 0;
  for (int k = 0; k < 8; ++k) s += y[k];
  sink[blockIdx.x * blockDim.x + threadIdx.x] = s;
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a;
}
template <int N> __global__ void shared_chase(long long* out, int* sink) {
  __shared__ int next[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = (i + 33) & 1023;
  __syncthreads();
  int at = threadIdx.x;
  for (int round = 0; round < 2; ++round) {
    long long a = now();
#pragma unroll
    for (int i = 0; i < N; ++i) at = ((volatile int*)next)[at];
    long long b = now();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
template <int N> __global__ void shared_conflicts(long long* out, int* sink, int stride) {
  __shared__ int words[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = 0;
  __syncthreads();
  int at = threadIdx.x % 32 * stride & 8191, sum = 0;
  for (int round = 0; round < 2; ++round) {
    long long a = now();
#pragma unroll
    for (int i = 0; i < N; ++i) { int v = ((volatile int*)words)[at]; at += v; }
    long long b = now();
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a;
  }
  sink[blockIdx.x * blockDim.x + threadIdx.x] = at + sum;
}
__global__ void global_chase(long long* out, const uint64_t* start, int steps, int warm, uint64_t* sink) {
  const uint64_t* p = start;
  for (int i = 0; i < warm; ++i) p = (const uint64_t*)*p;
  long long a = now();
  for (int i = 0; i < steps; ++i) p = (const uint64_t*)*p;
  asm volatile("" :: "l"(p) : "memory");
  uint64_t v = (uint64_t)p; if (v == 1) sink[1] = v;
  long long b = now();
  out[0] = b - a; sink[0] = v;
}
__global__ void barriers(long long* out, int n) {
  __syncthreads();
  long long a = now();
  for (int i = 0; i < n; ++i) __syncthreads();
  long long b = now();
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a;
}
// Warp 0 waits at a barrier for warp 1, which has a chain to do.
template <int N> __global__ void waits(long long* out, float x, float* sink) {
  float y = x;
  __syncthreads();
  long long a = now();
  if (threadIdx.x >= 32)
#pragma unroll
    for (int i = 0; i < N; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(y) : "f"(x));
  __syncthreads();
  long long b = now();
  sink[blockIdx.x * blockDim.x + threadIdx.x] = y;
  if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = b - a;
}
// The guides' and the samples' clock kernel: a reduction, each block with its own time.
__global__ void timed_reduction(const float* in, float* result, long long* times) {
  extern __shared__ float part[];
  const int tid = threadIdx.x;
  if (tid == 0) times[blockIdx.x] = now();
  part[tid] = in[tid];
  part[tid + blockDim.x] = in[tid + blockDim.x];
  for (int d = blockDim.x; d > 0; d /= 2) {
    __syncthreads();
    if (tid < d) { float a = part[tid], b = part[tid + d]; if (b < a) part[tid] = b; }
  }
  if (tid == 0) result[blockIdx.x] = part[0];
  __syncthreads();
  if (tid == 0) times[blockIdx.x + gridDim.x] = now();
}
__global__ void spin(long long cycles, long long* out) {
  long long a = now(), n = 0;
  unsigned long long t = timer();
  while (now() - a < cycles) ++n;
  unsigned long long u = timer();
  out[0] = n; out[1] = u - t;
}
__global__ void spin_short(unsigned cycles, long long* out) {
  unsigned a = now32(); long long n = 0;
  while (now32() - a < cycles) ++n;
  out[0] = n;
}
__global__ void coalesced_reads(long long* out, const float4* in, float* sink, int per) {
  long long a = now();
  float s = 0;
  size_t n = (size_t)gridDim.x * blockDim.x, i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < per; ++k) { float4 v = in[i + k * n]; s += v.x + v.y + v.z + v.w; }
  long long b = now();
  if (s == 12345.f) sink[0] = s;
  if (threadIdx.x == 0) out[blockIdx.x] = b - a;
}
int main() {
  long long *out, h[8]; float* f; cudaMalloc(&out, 1 << 20); cudaMalloc(&f, 64 << 20);
  cudaMemset(f, 0, 64 << 20);
  auto tell = [&](const char* what, int warps, int blocks, double scale = 1) {
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) { printf("# %s: %s\n", what, cudaGetErrorString(e)); exit(1); }
    cudaMemcpy(h, out, 64, cudaMemcpyDeviceToHost);
    printf("%s,%d,%d,%.2f\n", what, warps, blocks, h[0] / scale);
  };
  cudaDeviceProp prop; cudaGetDeviceProperties(&prop, 0); int khz; cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
  printf("# %s, clock rate %d kHz\nwhat,warps,blocks,cycles\n", prop.name, khz);
  for (int rep = 0; rep < 2; ++rep) {
    back_to_back<<<1, 32>>>(out); tell("clock64 twice", 1, 1); printf("clock64 2nd 3rd sum of 4,1,1,%lld %lld %lld\n", h[1], h[2], h[3]);
    back_to_back32<<<1, 32>>>(out); tell("clock twice", 1, 1); printf("clock 2nd 3rd sum of 4,1,1,%lld %lld %lld\n", h[1], h[2], h[3]);
  }
  for (int w : {1, 4, 8, 16, 32}) {
    fma_chain<256><<<1, 32 * w>>>(out, 1.f, f); tell("256 fma.f32 chain", w, 1);
    add_chain<128><<<1, 32 * w>>>(out, 1, (int*)f); tell("128 xor+add chain", w, 1);
    f64_chain<128><<<1, 32 * w>>>(out, 1., (double*)f); tell("128 fma.f64 chain", w, 1);
    fma_many<<<1, 32 * w>>>(out, 1.f, f); tell("512 fma.f32 8 chains", w, 1);
    shared_chase<64><<<1, 32 * w>>>(out, (int*)f); tell("64 shared chase", w, 1);
    for (int s : {1, 2, 4, 8, 16, 32}) { shared_conflicts<64><<<1, 32 * w>>>(out, (int*)f, s); char n[64]; sprintf(n, "64 shared stride %d", s); tell(n, w, 1); }
    barriers<<<1, 32 * w>>>(out, 64); tell("64 barriers", w, 1);
    if (w > 1) { waits<256><<<1, 32 * w>>>(out, 1.f, f); tell("barrier behind 256 fma.f32", w, 1); }
  }
  for (size_t kb : {8, 64, 512, 2048, 16384, 65536, 262144}) {
    size_t n = kb * 1024 / 128; std::vector<uint64_t> host(n * 16), order(n); uint64_t* d; cudaMalloc(&d, kb * 1024);
    for (size_t i = 0; i < n; ++i) order[i] = i;
    uint64_t r = 88172645463325252ull;
    for (size_t i = n - 1; i > 0; --i) { r ^= r << 13; r ^= r >> 7; r ^= r << 17; std::swap(order[i], order[r % i]); }
    for (size_t i = 0; i < n; ++i) host[order[i] * 16] = (uint64_t)(d + order[(i + 1) % n] * 16);
    cudaMemcpy(d, host.data(), kb * 1024, cudaMemcpyHostToDevice);
    int steps = 2048, warm = kb <= 65536 ? (int)n : 0; char what[64];
    global_chase<<<1, 1>>>(out, d, steps, warm, (uint64_t*)f); sprintf(what, "global chase %zu KB", kb); tell(what, 1, 1, steps); cudaFree(d);
  }
  for (int blocks : {1, 64, 132, 264, 1056, 4096}) {
    timed_reduction<<<blocks, 256, 2048>>>(f, f + 65536, out); cudaDeviceSynchronize();
    timed_reduction<<<blocks, 256, 2048>>>(f, f + 65536, out); cudaDeviceSynchronize();
    std::vector<long long> t(2 * blocks); cudaMemcpy(t.data(), out, 16 * blocks, cudaMemcpyDeviceToHost);
    double sum = 0; for (int b = 0; b < blocks; ++b) sum += t[b + blocks] - t[b];
    printf("timed reduction mean of blocks,8,%d,%.1f\n", blocks, sum / blocks);
    printf("timed reduction first to last,8,%d,%lld\n", blocks, *std::max_element(t.begin() + blocks, t.end()) - *std::min_element(t.begin(), t.begin() + blocks));
  }
  for (long long c : {1000LL, 10000LL, 1000000LL, 20000000LL}) {
    spin<<<1, 1>>>(c, out); cudaDeviceSynchronize();
    cudaEvent_t e0, e1; cudaEventCreate(&e0); cudaEventCreate(&e1);
    cudaEventRecord(e0); spin<<<1, 1>>>(c, out); cudaEventRecord(e1); cudaDeviceSynchronize();
    float ms; cudaEventElapsedTime(&ms, e0, e1); cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost);
    printf("spin %lld: turns globaltimer-ns event-ms,1,1,%lld %lld %.5f\n", c, h[0], h[1], ms);
  }
  spin_short<<<1, 1>>>(1000000, out); tell("spin clock 1000000: turns", 1, 1);
  for (int w : {1, 4, 8, 32}) for (int blocks : {1, 132, 528}) {
    if ((size_t)blocks * w * 32 * 16 * 16 > (64u << 20)) continue;
    coalesced_reads<<<blocks, 32 * w>>>(out, (const float4*)f, f, 16); cudaDeviceSynchronize();
    std::vector<long long> t(blocks); cudaMemcpy(t.data(), out, 8 * blocks, cudaMemcpyDeviceToHost);
    double sum = 0; for (long long x : t) sum += x;
    printf("16 reads of 16 bytes mean of blocks,%d,%d,%.1f\n", w, blocks, sum / blocks);
  }
}
