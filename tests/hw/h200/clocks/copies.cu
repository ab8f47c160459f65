// Copies between host and device, their overlap with kernels, and managed memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
__global__ void work(float* p, size_t n, int rounds) {
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { float y = p[i]; for (int k = 0; k < rounds; ++k) y = y * y + 1.f; p[i] = y; }
}
__global__ void touch(const float* p, size_t n, float* out) {
  float s = 0; for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) s += p[i];
  if (s == 1.5f) *out = s;
}
cudaEvent_t e0, e1;
template <class F> float ms(F f) { f(); cudaDeviceSynchronize(); float best = 1e9f; for (int r = 0; r < 5; ++r) { cudaEventRecord(e0); f(); cudaEventRecord(e1); cudaDeviceSynchronize(); float t; cudaEventElapsedTime(&t, e0, e1); if (t < best) best = t; } return best; }
int main() {
  cudaEventCreate(&e0); cudaEventCreate(&e1);
  const size_t most = 256 << 20; float *pinned, *d; cudaMallocHost(&pinned, most); cudaMalloc(&d, most); float* pageable = (float*)malloc(most); memset(pageable, 0, most); memset(pinned, 0, most);
  puts("what,bytes,ms");
  for (size_t b : {(size_t)4, (size_t)1 << 10, (size_t)16 << 10, (size_t)64 << 10, (size_t)256 << 10, (size_t)1 << 20, (size_t)4 << 20, (size_t)16 << 20, (size_t)64 << 20, most}) {
    printf("pinned to device,%zu,%.5f\n", b, ms([&] { cudaMemcpyAsync(d, pinned, b, cudaMemcpyHostToDevice); }));
    printf("device to pinned,%zu,%.5f\n", b, ms([&] { cudaMemcpyAsync(pinned, d, b, cudaMemcpyDeviceToHost); }));
    printf("pageable to device,%zu,%.5f\n", b, ms([&] { cudaMemcpy(d, pageable, b, cudaMemcpyHostToDevice); }));
    printf("device to pageable,%zu,%.5f\n", b, ms([&] { cudaMemcpy(pageable, d, b, cudaMemcpyDeviceToHost); }));
    printf("within device,%zu,%.5f\n", b / 2, ms([&] { cudaMemcpyAsync(d, (char*)d + most / 2, b / 2, cudaMemcpyDeviceToDevice); }));
    printf("fill,%zu,%.5f\n", b, ms([&] { cudaMemsetAsync(d, 0, b); }));
  }
  const size_t n = (64 << 20) / 4;
  for (int rounds : {100, 2000, 10000}) {
    printf("kernel rounds %d,%zu,%.5f\n", rounds, n * 4, ms([&] { work<<<1056, 256>>>(d, n, rounds); }));
    for (int s : {1, 2, 4, 8, 16}) {
      cudaStream_t st[16]; for (int i = 0; i < s; ++i) cudaStreamCreate(&st[i]);
      const size_t part = n / s;
      printf("in kernel out rounds %d streams %d depth first,%zu,%.5f\n", rounds, s, n * 4, ms([&] { for (int i = 0; i < s; ++i) { cudaMemcpyAsync(d + i * part, pinned + i * part, part * 4, cudaMemcpyHostToDevice, st[i]); work<<<1056, 256, 0, st[i]>>>(d + i * part, part, rounds); cudaMemcpyAsync(pinned + i * part, d + i * part, part * 4, cudaMemcpyDeviceToHost, st[i]); } }));
      printf("kernel out rounds %d streams %d depth first,%zu,%.5f\n", rounds, s, n * 4, ms([&] { for (int i = 0; i < s; ++i) { work<<<1056, 256, 0, st[i]>>>(d + i * part, part, rounds); cudaMemcpyAsync(pinned + i * part, d + i * part, part * 4, cudaMemcpyDeviceToHost, st[i]); } }));
      for (int i = 0; i < s; ++i) cudaStreamDestroy(st[i]);
    }
  }
  cudaStream_t s[32]; for (auto& x : s) cudaStreamCreate(&x);
  printf("1 small kernel,0,%.5f\n", ms([&] { work<<<1, 256>>>(d, 256, 100000); }));
  for (int k : {2, 8, 32}) printf("%d small kernels in streams,0,%.5f\n", k, ms([&] { for (int i = 0; i < k; ++i) work<<<1, 256, 0, s[i]>>>(d + i * 256, 256, 100000); }));
  for (size_t b : {(size_t)1 << 20, (size_t)16 << 20, (size_t)128 << 20}) {
    float* m; cudaMallocManaged(&m, b); memset(m, 0, b); cudaDeviceSynchronize(); float t[4];
    for (int r = 0; r < 2; ++r) { cudaEventRecord(e0); touch<<<1056, 256>>>(m, b / 4, d); cudaEventRecord(e1); cudaDeviceSynchronize(); cudaEventElapsedTime(&t[r], e0, e1); }
    printf("managed first touch by device,%zu,%.5f\nmanaged again,%zu,%.5f\n", b, t[0], b, t[1]);
    memset(m, 1, b); cudaMemLocation at{cudaMemLocationTypeDevice, 0};
#if CUDART_VERSION >= 13000
    cudaEventRecord(e0); cudaMemPrefetchAsync(m, b, at, 0); cudaEventRecord(e1);
#else
    cudaEventRecord(e0); cudaMemPrefetchAsync(m, b, 0); cudaEventRecord(e1);
#endif
    cudaDeviceSynchronize(); cudaEventElapsedTime(&t[2], e0, e1); printf("managed prefetch,%zu,%.5f\n", b, t[2]); cudaFree(m);
  }
}
