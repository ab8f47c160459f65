// A kernel and one that it launches, on the same memory: check_family_races.test.
#include <cstdio>
#include <cstring>

__global__ void doubles(int *data) { data[threadIdx.x] *= 2; }  // line 5
__global__ void adds(int *data) { data[threadIdx.x] += 1; }     // line 6

__global__ void before(int *data) {
  data[threadIdx.x] = threadIdx.x;  // line 9
  __syncthreads();
  if (threadIdx.x == 0) doubles<<<1, 64>>>(data);
}
__global__ void unmet(int *data) {
  data[threadIdx.x] = threadIdx.x;  // line 14
  if (threadIdx.x == 0) doubles<<<1, 64>>>(data);
}
__global__ void behind(int *data) {
  if (threadIdx.x != 0) return;
  doubles<<<1, 64>>>(data);
  data[1] = 7;  // line 20
}
__global__ void tail(int *data) {
  if (threadIdx.x == 0) doubles<<<1, 64, 0, cudaStreamTailLaunch>>>(data);
  data[threadIdx.x] = threadIdx.x;
}
__global__ void waits(int *data) {
  if (threadIdx.x == 0) {
    doubles<<<1, 64>>>(data);
    cudaDeviceSynchronize();
  }
  __syncthreads();
  data[threadIdx.x] += 1;
}
__global__ void alone(int *data) {
  if (threadIdx.x == 0) {
    doubles<<<1, 64>>>(data);
    cudaDeviceSynchronize();
  }
  data[threadIdx.x] += 1;  // line 39: only thread 0 has waited
}
// Through a function of its own; a grandchild knows what its parent knew.
__device__ __noinline__ void launch(int *data) { doubles<<<1, 64>>>(data); }
__global__ void through(const int *in, int *out, int *data) {
  if (threadIdx.x == 0) launch(data);
  out[threadIdx.x] = in[threadIdx.x];  // line 45
}
__global__ void again(int *data) {
  data[threadIdx.x] += 1;
  __syncthreads();
  if (threadIdx.x == 0) adds<<<1, 64>>>(data);
}
__global__ void grandchild(int *data) {
  data[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) again<<<1, 64>>>(data);
  if (threadIdx.x == 3) data[70] = data[3];  // line 56
}

int main(int, char **argv) {
  int *data, *out;
  cudaMalloc(&data, 128 * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMemset(data, 0, 128 * sizeof(int));
  const auto is = [&](const char *name) { return std::strcmp(argv[1], name) == 0; };
  if (is("before")) before<<<1, 64>>>(data);
  if (is("unmet")) unmet<<<1, 64>>>(data);
  if (is("behind")) behind<<<1, 64>>>(data);
  if (is("tail")) tail<<<1, 64>>>(data);
  if (is("waits")) waits<<<1, 64>>>(data);
  if (is("alone")) alone<<<1, 64>>>(data);
  if (is("through")) through<<<1, 64>>>(data, out, data);
  if (is("grandchild")) grandchild<<<1, 64>>>(data);
  std::printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
