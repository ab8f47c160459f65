// Memory of cudaMallocAsync, used in its stream's order or not, one case by name: check_stream_memory.test.
#include <cstdio>
#include <cstring>

__global__ void store(int* out) { out[threadIdx.x] = 1; }
__global__ void stop() { __trap(); }

int main(int, char** argv) {
  const auto is = [&](const char* name) { return std::strcmp(argv[1], name) == 0; };
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  cudaEvent_t there, back;
  cudaEventCreate(&there), cudaEventCreate(&back);
  int *a = nullptr, *c = nullptr;
  cudaMalloc(&a, 4096);
  cudaMallocAsync(&c, 256, s);
  if (is("early")) store<<<1, 2, 0, t>>>(c);
  if (is("early-copy")) cudaMemcpyAsync(c, a, 64, cudaMemcpyDeviceToDevice, t), cudaStreamSynchronize(t);
  if (is("early-fill")) cudaMemsetAsync(c, 0, 64, t), cudaStreamSynchronize(t);
  if (is("late")) {
    cudaStreamSynchronize(s);
    store<<<1, 2, 0, t>>>(c);
  }
  if (is("event")) {
    cudaEventRecord(there, s), cudaStreamWaitEvent(t, there, 0);
    store<<<1, 2, 0, t>>>(c);
    cudaEventRecord(back, t), cudaStreamWaitEvent(s, back, 0);
  }
  if (is("host")) {
    cudaStreamSynchronize(s);
    store<<<1, 2, 0, t>>>(c);
    cudaStreamSynchronize(t);
  }
  if (is("own")) store<<<1, 2, 0, s>>>(c);
  cudaFreeAsync(c, s);
  if (is("again")) {
    int* d = nullptr;
    cudaMallocAsync(&d, 256, s);
    store<<<1, 2, 0, s>>>(d);
  }
  if (is("freed")) store<<<1, 2, 0, s>>>(c);
  if (is("trap")) stop<<<1, 1>>>();
  std::printf("%s: %s\n", argv[1], cudaGetErrorName(cudaDeviceSynchronize()));
}
