// Kernels whose warps wait for one thing each, for the profiler's stall reasons.
#include <cstdio>
#include <cstdint>
#include <cuda_runtime.h>
__global__ void fma_chain(float* out, float x, int n) {  // wait: fixed latency
  float y = x + threadIdx.x;
  for (int i = 0; i < n; ++i) {
    y = y * y + x; y = y * y + x; y = y * y + x; y = y * y + x; y = y * y + x; y = y * y + x; y = y * y + x; y = y * y + x;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = y;
}
__global__ void fma_wide(float* out, float x, int n) {  // selected, not selected, math pipe throttle
  float y[8];
  for (int k = 0; k < 8; ++k) y[k] = x + k + threadIdx.x;
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) y[k] = y[k] * y[k] + x;
  float s = 0;
  for (int k = 0; k < 8; ++k) s += y[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void specials(float* out, float x, int n) {  // math pipe throttle, short scoreboard
  float y[8];
  for (int k = 0; k < 8; ++k) y[k] = x + k + threadIdx.x;
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) y[k] = __sinf(y[k]);
  float s = 0;
  for (int k = 0; k < 8; ++k) s += y[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void special_chain(float* out, float x, int n) {  // short scoreboard
  float y = x + threadIdx.x;
  for (int i = 0; i < n; ++i) { y = rsqrtf(y); y = rsqrtf(y); y = rsqrtf(y); y = rsqrtf(y); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = y;
}
__global__ void doubles(double* out, double x, int n) {
  double y[4];
  for (int k = 0; k < 4; ++k) y[k] = x + k + threadIdx.x;
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int k = 0; k < 4; ++k) y[k] = y[k] * y[k] + x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = y[0] + y[1] + y[2] + y[3];
}
__global__ void chase_memory(const uint64_t* start, uint64_t* out, int n) {  // long scoreboard
  const uint64_t* p = start + (size_t)(blockIdx.x * blockDim.x + threadIdx.x) * 64;
  for (int i = 0; i < n; ++i) p = (const uint64_t*)*p;
  out[blockIdx.x * blockDim.x + threadIdx.x] = (uint64_t)p;
}
__global__ void stream_copy(const float4* in, float4* out) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; out[i] = in[i];
}
__global__ void chase_shared(int* out, int n) {  // short scoreboard
  __shared__ int next[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) next[i] = (i + 32) & 1023;
  __syncthreads();
  int at = threadIdx.x;
  for (int i = 0; i < n; ++i) { at = next[at]; at = next[at]; at = next[at]; at = next[at]; }
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
__global__ void conflicts(int* out, int n) {  // mio throttle
  __shared__ int words[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += ((volatile int*)words)[(threadIdx.x * 16 + k * 64) & 8191];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void shared_wide(int* out, int n) {  // mio throttle without conflicts
  __shared__ int words[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) words[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < n; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += ((volatile int*)words)[(threadIdx.x + k * 64) & 8191];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void barriers(float* out, int n) {
  for (int i = 0; i < n; ++i) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
__global__ void one_warp_works(float* out, float x, int n) {  // barrier
  float y = x;
  if (threadIdx.x < 32) for (int i = 0; i < n; ++i) { y = y * y + x; y = y * y + x; y = y * y + x; y = y * y + x; }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = y;
}
__global__ void local_stores(int* out, int n) {  // lg throttle
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int m = 0; m < 8; ++m) ((volatile int*)out)[i + m * 32] = k;
}
__global__ void scattered_loads(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int m = 0; m < 8; ++m) s += ((volatile const int*)in)[(threadIdx.x * 32 + m * 4 + k * 8) & 0x3fff];
  out[i] = s;
}
__global__ void fences(int* out, int n) {  // membar
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) { ((volatile int*)out)[i] = k; __threadfence(); }
}
__global__ void sleeps(int* out, int n) { for (int k = 0; k < n; ++k) __nanosleep(500); out[threadIdx.x] = 1; }  // sleeping
__global__ void branches(int* out, int n) {  // branch resolving
  int s = 0, t = threadIdx.x;
  for (int i = 0; i < n; ++i) { if ((t + i) & 1) s += __popc(s + i); else s ^= __clz(s - i); if ((t ^ i) & 2) s += 3 * __brev(s); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void atomics(int* out, int n) { for (int i = 0; i < n; ++i) atomicAdd(out, threadIdx.x & 1); }
__global__ void constants(int* out, const __grid_constant__ int4 a, int n) { int s = 0; for (int i = 0; i < n; ++i) s += (&a.x)[(threadIdx.x + i) & 3]; out[blockIdx.x * blockDim.x + threadIdx.x] = s; }
int main() {
  float* f; int* g; uint64_t* chain; cudaMalloc(&f, 256 << 20); cudaMalloc(&g, 256 << 20); cudaMalloc(&chain, 256 << 20);
  cudaMemset(f, 0, 256 << 20); cudaMemset(g, 0, 256 << 20);
  { size_t n = (256 << 20) / 8; uint64_t* h = new uint64_t[n]; for (size_t i = 0; i < n; ++i) h[i] = (uint64_t)(chain + (i + 64 * 1031 * 7) % n); cudaMemcpy(chain, h, n * 8, cudaMemcpyHostToDevice); delete[] h; }
  for (int shape = 0; shape < 3; ++shape) {
    const int blocks = shape == 0 ? 132 : shape == 1 ? 132 * 2 : 132 * 8, threads = shape == 0 ? 32 : 256;
    fma_chain<<<blocks, threads>>>(f, 1.f, 500);
    fma_wide<<<blocks, threads>>>(f, 1.f, 500);
    specials<<<blocks, threads>>>(f, 1.f, 200);
    special_chain<<<blocks, threads>>>(f, 1.f, 200);
    doubles<<<blocks, threads>>>((double*)f, 1., 500);
    chase_memory<<<blocks, threads>>>(chain, (uint64_t*)f, 32);
    stream_copy<<<blocks * 16, threads>>>((float4*)f, (float4*)g);
    chase_shared<<<blocks, threads>>>(g, 200);
    conflicts<<<blocks, threads>>>(g, 100);
    shared_wide<<<blocks, threads>>>(g, 200);
    barriers<<<blocks, threads>>>(f, 500);
    one_warp_works<<<blocks, threads>>>(f, 1.f, 500);
    local_stores<<<blocks, threads>>>(g, 64);
    scattered_loads<<<blocks, threads>>>(g, (int*)f, 32);
    fences<<<blocks, threads>>>(g, 32);
    sleeps<<<blocks, threads>>>(g, 8);
    branches<<<blocks, threads>>>(g, 200);
    atomics<<<blocks, threads>>>(g, 32);
    constants<<<blocks, threads>>>(g, make_int4(1, 2, 3, 4), 200);
    cudaError_t e = cudaDeviceSynchronize(); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return 1; }
  }
}
