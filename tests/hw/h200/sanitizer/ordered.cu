// Memory that is allocated and freed in the order of streams, used by streams that wait for it or do not, one
// case by name.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

__global__ void store(int* out) { out[threadIdx.x] = 1; }
__global__ void load(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  const auto is = [&](const char* other) { return std::strcmp(name, other) == 0; };
  cudaStream_t s, t, blocking;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaStreamCreate(&blocking);
  cudaEvent_t event, back;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventCreateWithFlags(&back, cudaEventDisableTiming);
  int *a = nullptr, *c = nullptr, *d = nullptr;
  cudaMalloc(&a, 4096);
  const auto follow = [](cudaEvent_t e, cudaStream_t first, cudaStream_t second) {
    cudaEventRecord(e, first);
    cudaStreamWaitEvent(second, e, 0);
  };
  cudaMallocAsync(&c, 256, is("default-stream") ? blocking : s);
  if (is("before")) store<<<1, 2, 0, t>>>(c);
  if (is("before-load")) load<<<1, 2, 0, t>>>(c, a);
  if (is("before-copy")) cudaMemcpyAsync(c, a, 64, cudaMemcpyDeviceToDevice, t);
  if (is("before-copy-from")) cudaMemcpyAsync(a, c, 64, cudaMemcpyDeviceToDevice, t);
  if (is("before-fill")) cudaMemsetAsync(c, 0, 64, t);
  if (is("event")) { follow(event, s, t); store<<<1, 2, 0, t>>>(c); follow(back, t, s); }
  if (is("host")) { cudaStreamSynchronize(s); store<<<1, 2, 0, t>>>(c); cudaStreamSynchronize(t); }
  if (is("host-no-wait-back")) { cudaStreamSynchronize(s); store<<<1, 2, 0, t>>>(c); }
  if (is("default-stream")) { store<<<1, 2>>>(c); }
  if (is("outside")) { cudaStreamSynchronize(s); store<<<1, 66, 0, s>>>(c); }
  if (is("free-in-other")) { follow(event, s, t); cudaFreeAsync(c, t); store<<<1, 2, 0, s>>>(c); c = nullptr; }
  if (is("after") || is("after-load") || is("after-copy") || is("after-fill")) follow(event, s, t);
  if (c != nullptr) cudaFreeAsync(c, is("default-stream") ? blocking : s);
  if (is("after")) store<<<1, 2, 0, t>>>(c);
  if (is("after-load")) load<<<1, 2, 0, t>>>(c, a);
  if (is("after-copy")) cudaMemcpyAsync(c, a, 64, cudaMemcpyDeviceToDevice, t);
  if (is("after-fill")) cudaMemsetAsync(c, 0, 64, t);
  if (is("after-same")) store<<<1, 2, 0, s>>>(c);
  if (is("after-host")) { cudaStreamSynchronize(s); store<<<1, 2, 0, t>>>(c); }
  if (is("reused")) { cudaMallocAsync(&d, 256, s); store<<<1, 2, 0, t>>>(d); }
  const cudaError_t end = cudaDeviceSynchronize();
  std::printf("%s: %s\n", name, cudaGetErrorName(end));
  return 0;
}
