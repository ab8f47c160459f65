// Shared memory of which a part is written: check_shared_unset.test says what is told.
#include <cstdio>

constexpr int threads = 64;
__device__ int twice(const int* from, int at) { return 2 * from[at]; }  // line 5
__global__ void sum(int* out, int written) {
  __shared__ int line[threads];
  extern __shared__ int more[];
  if (threadIdx.x < written) line[threadIdx.x] = 1;
  more[threadIdx.x] = 2;
  __syncthreads();
  out[threadIdx.x] = twice(line, threadIdx.x) + more[threads - 1 - threadIdx.x];
}
struct Pair {  // with three bytes between
  char tag;
  int value;
};
__global__ void copies(Pair* out) {
  __shared__ Pair pairs[threads];
  pairs[threadIdx.x].tag = 1;
  pairs[threadIdx.x].value = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = pairs[threads - 1 - threadIdx.x];
}

int main(int argc, char**) {
  int* out;
  cudaMalloc(&out, threads * sizeof(int));
  sum<<<3, threads, threads * sizeof(int)>>>(out, argc > 1 ? 40 : threads);
  Pair* pairs;
  cudaMalloc(&pairs, threads * sizeof(Pair));
  copies<<<1, threads>>>(pairs);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
