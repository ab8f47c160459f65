// What the real tool says of further mistakes, one by name.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void shared_out(int* out, int at) {
  __shared__ int line[32];
  line[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = line[threadIdx.x + at];
}
__global__ void local_out(int* out, int at) {
  int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = out[i];
  mine[at] = 1;
  out[0] = mine[at & 7];
}
__device__ __noinline__ void store(int* to) { *to = 1; }
__global__ void calls(int* out) { store(out); }
__global__ void wide(double2* out, int shift) { *reinterpret_cast<double2*>(reinterpret_cast<char*>(out) + shift) = double2{1, 2}; }
__global__ void atomic_out(int* out, int at) { atomicAdd(out + at, 1); }
__global__ void heap_twice(int* out) { int* p = new int[4]; out[0] = p != nullptr; delete[] p; delete[] p; }
__global__ void heap_leak(int* out) { int* p = new int[4]; p[0] = 3; out[0] = p[0]; out[1] = (p != nullptr); }
__global__ void heap_out(int* out) { int* p = new int[4]; p[threadIdx.x + 4] = 3; out[0] = p[0]; }
__global__ void unset_shared(int* out) { __shared__ int line[64]; if (threadIdx.x < 16) line[threadIdx.x] = 1; __syncthreads(); out[threadIdx.x] = line[threadIdx.x]; }
__global__ void divergent(int* out) { if (threadIdx.x < 40) __syncthreads(); out[threadIdx.x] = 1; }
__global__ void loop_barrier(int* out) { for (unsigned i = 0; i < threadIdx.x % 4 + 1; ++i) { out[threadIdx.x] += 1; __syncthreads(); } }
__global__ void shuffle_mask(int* out) { int v = threadIdx.x; if (threadIdx.x >= 8) v = __shfl_sync(0x00ffu, v, 0); out[threadIdx.x] = v; }
__global__ void missing_member(int* out) { if (threadIdx.x < 8) __syncwarp(0xffffu); out[threadIdx.x] = 1; }
__global__ void shared_race(int* out) { __shared__ int s; s = threadIdx.x; __syncthreads(); out[threadIdx.x] = s; }
__global__ void partial(int* out, const int* in) { out[threadIdx.x] = in[threadIdx.x]; }
__global__ void traps() { __trap(); }

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  int *a = nullptr, *b = nullptr;
  cudaMalloc(&a, 400);
  cudaMalloc(&b, 16384);
  cudaMemset(b, 0, 16384);
  if (is("shared-out")) shared_out<<<1, 32>>>(b, 20000);
  if (is("local-out")) local_out<<<1, 1>>>(b, 300000);
  if (is("calls")) calls<<<1, 1>>>(a + 100);
  if (is("wide")) wide<<<1, 1>>>(reinterpret_cast<double2*>(b), 8);
  if (is("atomic-out")) atomic_out<<<1, 2>>>(a, 99);
  if (is("null")) calls<<<1, 1>>>(nullptr);
  if (is("heap-twice")) heap_twice<<<1, 1>>>(b);
  if (is("heap-leak")) heap_leak<<<1, 2>>>(b);
  if (is("heap-out")) heap_out<<<1, 1>>>(b);
  if (is("unset-shared")) unset_shared<<<1, 64>>>(b);
  if (is("unset-copy")) { partial<<<1, 32>>>(b, a); cudaMemcpy(b, a, 16, cudaMemcpyDeviceToDevice); }
  if (is("unset-download")) { int host[4]; cudaMemcpy(host, a, 16, cudaMemcpyDeviceToHost); std::printf("%d\n", host[0] * 0); }
  if (is("unused")) { cudaMemset(a, 0, 100); }
  if (is("divergent")) divergent<<<1, 64>>>(b);
  if (is("loop-barrier")) loop_barrier<<<1, 64>>>(b);
  if (is("shuffle-mask")) shuffle_mask<<<1, 32>>>(b);
  if (is("missing-member")) missing_member<<<1, 32>>>(b);
  if (is("shared-race")) shared_race<<<1, 64>>>(b);
  if (is("trap")) traps<<<1, 1>>>();
  if (is("two-errors")) { calls<<<1, 1>>>(a + 100); cudaDeviceSynchronize(); calls<<<1, 1>>>(a + 101); }
  if (is("launch")) partial<<<1, 2048>>>(b, a);
  if (is("api")) { cudaMemcpy(b, a, 1 << 20, cudaMemcpyHostToHost); cudaFree(reinterpret_cast<void*>(64)); cudaSetDevice(77); cudaEvent_t e; cudaEventCreateWithFlags(&e, 0x80); }
  if (is("host-pointer")) { static int host[4]; calls<<<1, 1>>>(host); }
  if (is("async-order")) {
    cudaStream_t s, t; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    int* c; cudaMallocAsync(&c, 256, s); calls<<<1, 1, 0, t>>>(c); cudaFreeAsync(c, s); calls<<<1, 1, 0, t>>>(c);
  }
  const cudaError_t end = cudaDeviceSynchronize();
  if (!is("leak")) cudaFree(a);
  cudaFree(b);
  std::printf("%s: %s\n", name, cudaGetErrorName(end));
  return 0;
}
