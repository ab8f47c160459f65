// Memory that the device runtime gives to one thread after the other: check_given_again.test.
#include <cstdio>
#include <cstring>

__global__ void child(int *out, int at) { out[at] = at; }
__global__ void launches(int *out) {
  if (threadIdx.x == 0) child<<<1, 1>>>(out, blockIdx.x);  // its parameters
}
__global__ void allocates(int *out) {
  volatile int *own = static_cast<int *>(malloc(8 * sizeof(int)));
  for (int i = 0; i < 8; ++i) own[i] = i;  // line 11
  out[blockIdx.x] = own[threadIdx.x % 8];
  free((void *)own);
}
__global__ void shares(int *out) {
  __shared__ int *both;
  if (threadIdx.x == 0) both = static_cast<int *>(malloc(sizeof(int)));
  __syncthreads();
  if (threadIdx.x % 32 == 0) *both = threadIdx.x;  // line 19
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = *both, free(both);
}

int main(int, char **argv) {
  int *out;
  cudaMalloc(&out, 64 * sizeof(int));
  if (std::strcmp(argv[1], "launches") == 0) launches<<<8, 32>>>(out);
  if (std::strcmp(argv[1], "allocates") == 0) allocates<<<8, 1>>>(out);
  if (std::strcmp(argv[1], "shares") == 0) shares<<<8, 64>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
