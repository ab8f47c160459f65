// Launches in device code in every form that C++ has for them, each with arguments that the child checks.
// RUN: %nvcc -rdc=true -std=c++17 %s -o %t -lcudadevrt
// RUN: %t && env HEDDLE_EXECUTOR=interp %t
// RUN: %nvcc -rdc=true -std=c++17 -G -O0 %s -o %t.debug && %t.debug
#include <cstdio>
#include <cuda_fp16.h>

__device__ int seen[32];

struct Small {
  char tag;
};
struct alignas(16) Wide {
  char tag;
  double value;
};

namespace inner {
template <class T, int N>
__global__ void typed(T value, const T* in) {
  if (value == *in) atomicAdd(&seen[N], 1);
}
}  // namespace inner

// Every kind of parameter has its own alignment.
__global__ void mixed(bool flag, char c, Small s, short h, double d, Wide w, int i, float3 f, half x, long long l) {
  if (flag && c == 'c' && s.tag == 's' && h == -3 && d == 2.5 && w.tag == 'w' && w.value == 7.25 && i == 9 &&
      f.x == 1 && f.y == 2 && f.z == 3 && __half2float(x) == 0.5f && l == -1)
    atomicAdd(&seen[2], 1);
}
__global__ void none() { atomicAdd(&seen[3], 1); }
__global__ void with_default(int* at, int value = 4) { atomicAdd(at, value); }
__global__ void shape(int at) {
  extern __shared__ int dynamic[];
  unsigned bytes;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  dynamic[0] = 1;
  if (gridDim.x == 2 && gridDim.y == 3 && gridDim.z == 4 && blockDim.x == 4 && blockDim.y == 2 && blockDim.z == 1 &&
      bytes == 256)
    atomicAdd(&seen[at], 1);
}
__global__ void overloaded(int) { atomicAdd(&seen[6], 1); }
__global__ void overloaded(double) { atomicAdd(&seen[6], 100); }

__device__ void from_function(int n) { none<<<n, 1>>>(); }
__host__ __device__ void from_both(int* at) { with_default<<<1, 1>>>(at); }
struct Launcher {
  int at;
  __device__ void run() const { with_default<<<1, 2>>>(&seen[at], 5); }
  template <class T>
  __device__ void typed(const T* value) { inner::typed<T, 8><<<1, 1>>>(*value, value); }
};
static __global__ void own(int n) {
  if (n > 0) own<<<1, 1>>>(n - 1);
  atomicAdd(&seen[9], 1);
}
__device__ int evaluated;
__device__ int next() { return ++evaluated; }
__device__ double storage = 1.5;

__global__ void parent() {
  inner::typed<int, 0><<<1, 32>>>(7, nullptr == nullptr ? (seen[31] = 7, &seen[31]) : nullptr);
  inner::typed<double, 1><<<dim3(1, 2), 1>>>(storage, &storage);
  mixed<<<1, 1>>>(true, 'c', Small{'s'}, -3, 2.5, Wide{'w', 7.25}, 9, make_float3(1, 2, 3), __float2half(0.5f), -1);
  from_function(3);
  with_default<<<1, 1>>>(&seen[4]);
  shape<<<dim3(2, 3, 4), dim3(4, 2), 256>>>(5);
  overloaded<<<1, 1>>>(1);
  Launcher launcher{7};
  launcher.run();
  launcher.typed(&storage);
  own<<<1, 1>>>(3);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  auto by_lambda = [=](int times) {
    for (int i = 0; i < times; ++i) with_default<<<1, 1, 0, stream>>>(&seen[10], i);
  };
  by_lambda(5);
  void (*pointer)(int*, int) = threadIdx.x == 0 ? with_default : nullptr;
  pointer<<<1, 1>>>(&seen[11], 6);
  from_both(&seen[12]);
  // The arguments of a launch are evaluated once, in a branch too.
  if (evaluated == 0) with_default<<<next(), 1>>>(&seen[13], next());
  blockIdx.x == 0 ? with_default<<<1, 1>>>(&seen[14], 1) : none<<<1, 1>>>();
  cudaStreamDestroy(stream);
}

int main() {
  parent<<<1, 1>>>();
  int* host_side;
  cudaMallocManaged(&host_side, sizeof(int));
  *host_side = 0;
  from_both(host_side);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) return printf("%s\n", cudaGetErrorString(error)), 1;
  int got[32];
  cudaMemcpyFromSymbol(got, seen, sizeof got);
  const int wanted[15] = {32, 2, 1, 3, 4, 24 * 8, 1, 10, 1, 4, 10, 6, 4, 2, 1};
  int wrong = *host_side != 4;
  for (int i = 0; i < 15; ++i)
    if (got[i] != wanted[i]) wrong += printf("%d: %d, not %d\n", i, got[i], wanted[i]) > 0;
  return wrong;
}
