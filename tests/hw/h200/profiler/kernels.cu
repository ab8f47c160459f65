// Kernels whose counters an H200 was asked for (tests/hw/h200/profiler), each launched as it was there.
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <string>
#include <vector>
#include <cuda_runtime.h>
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
static FILE* logf_; static int id_ = 0;
static void note(const char* k, const std::string& p, dim3 g, dim3 b, size_t sm) {
  fprintf(logf_, "%d,%s,%s,%u,%u,%u,%u,%u,%u,%zu\n", id_++, k, p.c_str(), g.x, g.y, g.z, b.x, b.y, b.z, sm);
}
#define RUN(K, P, G, B, SM, ...) do { note(#K, P, G, B, SM); K<<<G, B, SM>>>(__VA_ARGS__); CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); } while (0)

__global__ void offset_copy(float* o, const float* i, int offset) { int x = blockIdx.x * blockDim.x + threadIdx.x + offset; o[x] = i[x]; }
__global__ void stride_copy(float* o, const float* i, int stride) { int x = (blockIdx.x * blockDim.x + threadIdx.x) * stride; o[x] = i[x]; }
template <class T> __device__ void width_body(T* o, const T* i, int stride, int offset) { int x = (blockIdx.x * blockDim.x + threadIdx.x) * stride + offset; o[x] = i[x]; }
__global__ void copy_u8(uint8_t* o, const uint8_t* i, int s, int f) { width_body(o, i, s, f); }
__global__ void copy_u16(uint16_t* o, const uint16_t* i, int s, int f) { width_body(o, i, s, f); }
__global__ void copy_u64(uint64_t* o, const uint64_t* i, int s, int f) { width_body(o, i, s, f); }
template <class T> __device__ void sh_probe(T* out, int stride, int offset, int reps) {
  extern __shared__ char raw[]; T* s = reinterpret_cast<T*>(raw); T acc{}; int n = 49152 / sizeof(T);
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = T{}; __syncthreads();
  int ix = (int)(((unsigned)threadIdx.x * stride + offset) % n);
  for (int r = 0; r < reps; r++) { acc = *reinterpret_cast<volatile T*>(s + ix); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}
__global__ void sh_u8(uint8_t* o, int s, int f, int r) { sh_probe(o, s, f, r); }
__global__ void sh_u32(uint32_t* o, int s, int f, int r) { sh_probe(o, s, f, r); }
__global__ void sh_u64(unsigned long long* o, int s, int f, int r) { sh_probe(o, s, f, r); }
__global__ void sh_v4(float* o, int s, int f, int r) {
  extern __shared__ float4 q[]; int n = 49152 / 16; for (int i = threadIdx.x; i < n; i += blockDim.x) q[i] = make_float4(0, 0, 0, 0); __syncthreads();
  int ix = (int)(((unsigned)threadIdx.x * s + f) % n); float4 a = make_float4(0, 0, 0, 0); uint32_t ad = (uint32_t)__cvta_generic_to_shared(q + ix);
  for (int k = 0; k < r; k++) { float x, y, z, w; asm volatile("ld.volatile.shared.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(x), "=f"(y), "=f"(z), "=f"(w) : "r"(ad)); a.x += x; a.y += y; a.z += z; a.w += w; }
  o[blockIdx.x * blockDim.x + threadIdx.x] = a.x + a.y + a.z + a.w; }
__global__ void diverge(float* o, int ways, int reps) { int t = blockIdx.x * blockDim.x + threadIdx.x; float x = t; int k = (threadIdx.x & 31) % ways;
  for (int r = 0; r < reps; r++) switch (k) {
    case 0: x = x * 1.01f + 1; break; case 1: x = x * 0.99f - 1; break; case 2: x = __sinf(x); break; case 3: x = sqrtf(fabsf(x)); break;
    case 4: x = x / 3.1f; break; case 5: x = x * x - 1; break; case 6: x = __expf(-x * x); break; default: x = x + 7; }
  o[t] = x; }
__constant__ float cmem[4096];
__global__ void const_read(float* o, int stride, int reps) { float a = 0; int ix = (threadIdx.x & 31) * stride; for (int r = 0; r < reps; r++) a += cmem[(ix + r) & 4095]; o[blockIdx.x * blockDim.x + threadIdx.x] = a; }


int main(int argc, char** argv) {
  logf_ = fopen(argc > 1 ? argv[1] : "launches.csv", "w");
  const size_t BIG = 1ull << 28; char *a, *b; CK(cudaMalloc(&a, BIG)); CK(cudaMalloc(&b, BIG)); CK(cudaMemset(a, 0, BIG)); CK(cudaMemset(b, 0, BIG));
  float *fa = (float*)a, *fb = (float*)b; char buf[64];
  for (int o : {0, 1, 7, 8, 9, 16, 31, 32}) { snprintf(buf, 64, "offset=%d", o); RUN(offset_copy, buf, dim3(16384), dim3(256), 0, fb, fa, o); }
  for (int s : {1, 2, 3, 4, 7, 8, 16}) { snprintf(buf, 64, "stride=%d", s); RUN(stride_copy, buf, dim3(8192), dim3(256), 0, fb, fa, s); }
  for (int s : {1, 2, 3, 4, 8, 16, 32}) for (int f : {0, 1}) { snprintf(buf, 64, "stride=%d offset=%d", s, f);
    RUN(copy_u8, buf, dim3(1024), dim3(256), 0, (uint8_t*)b, (uint8_t*)a, s, f); RUN(copy_u16, buf, dim3(1024), dim3(256), 0, (uint16_t*)b, (uint16_t*)a, s, f);
    RUN(copy_u64, buf, dim3(1024), dim3(256), 0, (uint64_t*)b, (uint64_t*)a, s, f); }
  for (int s : {0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 32, 33}) { snprintf(buf, 64, "stride=%d reps=64", s);
    RUN(sh_u8, buf, dim3(132), dim3(128), 49152, (uint8_t*)b, s, 0, 64); RUN(sh_u32, buf, dim3(132), dim3(128), 49152, (uint32_t*)b, s, 0, 64); RUN(sh_u64, buf, dim3(132), dim3(128), 49152, (unsigned long long*)b, s, 0, 64); RUN(sh_v4, buf, dim3(132), dim3(128), 49152, fb, s, 0, 64); }
  for (int w : {1, 2, 3, 4}) { snprintf(buf, 64, "ways=%d reps=256", w); RUN(diverge, buf, dim3(528), dim3(256), 0, fb, w, 256); }
  for (int s : {0, 1, 2, 4, 32}) { snprintf(buf, 64, "stride=%d reps=64", s); RUN(const_read, buf, dim3(528), dim3(256), 0, fb, s, 64); }
  fclose(logf_);
  return 0;
}
