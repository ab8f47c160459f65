#include <cstdio>
#include <cstring>
#include <cstdlib>
__global__ void lane_if(int* out) { if (threadIdx.x % 32 < 16) __syncthreads(); out[threadIdx.x] = 1; }
__global__ void lane_if_else(int* out) { __shared__ int s[64]; if (threadIdx.x % 2) { s[threadIdx.x] = 1; __syncthreads(); } else { s[threadIdx.x] = 2; __syncthreads(); } out[threadIdx.x] = s[63 - threadIdx.x]; }
__global__ void lane_early(int* out) { if (threadIdx.x % 32 >= 20) return; __syncthreads(); out[threadIdx.x] = 1; }
__global__ void data_if(int* out) { if (out[threadIdx.x] == 0) { out[threadIdx.x] = 5; __syncthreads(); out[threadIdx.x] += out[0]; } }
__global__ void tail_if(int* out, int n) { int i = threadIdx.x; if (i < n) { out[i] = i; __syncthreads(); out[i] += out[(i + 1) % n]; } }
__device__ __noinline__ void inner(int* out) { __syncthreads(); out[threadIdx.x] = 2; }
__global__ void call_if(int* out, int n) { if (threadIdx.x < n) inner(out); }
__global__ void loop_if(int* out, int n) { for (int k = 0; k < 4; ++k) if (threadIdx.x < n + k) { out[threadIdx.x] += k; __syncthreads(); } }
__global__ void switch_if(int* out) { switch (threadIdx.x % 4) { case 0: out[threadIdx.x] = 1; __syncthreads(); break; case 1: out[threadIdx.x] = 2; __syncthreads(); break; default: __syncthreads(); } }
__global__ void ternary(int* out, int n) { bool p = threadIdx.x < n; if (p) __syncthreads(); int v = p ? out[0] : out[1]; out[threadIdx.x] = v; }
__global__ void block_if(int* out, int n) { if (threadIdx.x / 32 < n) __syncthreads(); out[threadIdx.x] = 1; }
#define T(k, ...) if (!strcmp(argv[1], #k)) k<<<1, 64>>>(out, ##__VA_ARGS__)
int main(int, char** argv) {
  int* out; cudaMalloc(&out, 4096); int h[64]; for (int i = 0; i < 64; ++i) h[i] = i % 3; cudaMemcpy(out, h, sizeof h, cudaMemcpyHostToDevice);
  T(lane_if); T(lane_if_else); T(lane_early); T(data_if); T(tail_if, 40); T(call_if, 20); T(loop_if, 20); T(switch_if); T(ternary, 20); T(block_if, 1);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
