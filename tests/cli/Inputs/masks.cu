// Lanes that come to shuffles and votes together, or do not, by name: check_masks.test says what is told.
#include <cstdio>
#include <cstring>

__global__ void absent(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16)
    value = __shfl_down_sync(0xffffffff, value, 8);  // line 8: lanes 16 and behind are not there
  else
    value = __ballot_sync(0xffffffff, value > 20);  // line 10
  out[threadIdx.x] = value;
}
__global__ void stranger(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x >= 8) value = __shfl_sync(0x00ff, value, 0);  // line 15
  out[threadIdx.x] = value;
}
__global__ void at_barrier(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 16) value = __reduce_add_sync(0xffffffff, value);  // line 20
  asm volatile("barrier.sync 0;");
  out[threadIdx.x] = value;
}
// All of these are right.
__global__ void together(int* out, int count) {
  int value = threadIdx.x;
  if (threadIdx.x % 32 < 16)
    value += __shfl_xor_sync(0x0000ffff, value, 1);
  else
    value += __shfl_xor_sync(0xffff0000, value, 2);
  __syncwarp();
  for (int i = 0; i < (int)threadIdx.x % 4; ++i) value += __popc(__ballot_sync(__activemask(), value & 1));
  __syncthreads();
  if (threadIdx.x >= count) return;
  for (int d = 16; d > 0; d /= 2) value += __shfl_down_sync(0xffffffff, value, d);
  out[threadIdx.x] = value;
}
__global__ void two_barriers(int* out) {
  if (threadIdx.x < 32)
    asm volatile("bar.sync 1;");  // line 40
  else
    asm volatile("bar.sync 2;");  // line 42
  out[threadIdx.x] = 1;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  int* out;
  cudaMalloc(&out, 4096);
  if (!std::strcmp(name, "absent")) absent<<<1, 32>>>(out);
  if (!std::strcmp(name, "stranger")) stranger<<<1, 32>>>(out);
  if (!std::strcmp(name, "at-barrier")) at_barrier<<<1, 64>>>(out);
  if (!std::strcmp(name, "together")) together<<<4, 64>>>(out, 40);
  if (!std::strcmp(name, "two-barriers")) two_barriers<<<1, 64>>>(out);
  std::printf("%s: %s\n", name, cudaGetErrorName(cudaDeviceSynchronize()));
}
