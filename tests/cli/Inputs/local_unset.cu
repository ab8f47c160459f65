// Arrays of a thread, of which an element is read that nobody wrote: check_local_unset.test.
#include <cstdio>

__device__ __noinline__ int sum(const int* values, int count) {
  int all = 0;
  for (int i = 0; i < count; ++i) all += values[i];
  return all;
}
__global__ void gather(int* out, const int* order, int written) {
  int own[8];
  for (int i = 0; i < written; ++i) own[order[i]] = i;
  out[threadIdx.x] = own[order[threadIdx.x % 8]];
}
__global__ void passes(int* out, const int* order) {
  int own[8];
  for (int i = 0; i < 8; ++i) own[order[i]] = i;
  out[threadIdx.x] = sum(own, order[7]);
}
// Where nothing was found, what was not written is read ahead of the choice that it is not used in.
__device__ __noinline__ bool find(int at, int* found) {
  if (at % 2 == 0) return false;
  *found = at;
  return true;
}
__global__ void chooses(int* out) {
  int found;
  if (find(threadIdx.x, &found))
    out[threadIdx.x] = found;
  else
    out[threadIdx.x] = -1;
}

int main(int count, char**) {
  int host[8] = {3, 1, 4, 0, 5, 2, 6, 7};
  int *order = nullptr, *out = nullptr;
  cudaMalloc(&order, sizeof host);
  cudaMalloc(&out, 4096);
  cudaMemcpy(order, host, sizeof host, cudaMemcpyHostToDevice);
  gather<<<2, 64>>>(out, order, count > 1 ? 7 : 8);
  passes<<<2, 64>>>(out, order);
  chooses<<<1, 64>>>(out);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
