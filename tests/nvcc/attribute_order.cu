// alignas behind a memory space, as nvcc takes it where a declaration begins.
// RUN: %nvcc -arch=sm_80 %s -o %t && %t | FileCheck %s
// RUN: %nvcc -arch=sm_80 -Xcompiler -Wall -ptx %s -o - 2>&1 | FileCheck --check-prefix=PTX %s
// PTX-NOT: warning
// PTX-DAG: .global .align 128 .b8 table[16]
// PTX-DAG: .shared .align 64 .b8 {{.*}}chars
// PTX-DAG: .extern .shared .align 32 .b8 {{.*}}dynamic
#include <cstdint>
#include <cstdio>

struct alignas(16) Vector {  // where it has always been
  float x, y, z, w;
};
template <class T>
struct Tile {
  alignas(T) unsigned char bytes[sizeof(T)];
};

extern "C" {
__device__ alignas(128) int table[4];
}
__constant__ alignas(Vector) float factors[4] = {1, 2, 3, 4};

template <class T>
__device__ bool is_aligned(const T* place, unsigned bytes) {
  return reinterpret_cast<uintptr_t>(place) % bytes == 0;
}

__global__ void kernel(int* out) {
  __shared__ alignas(alignof(float4)) float one[3];
  __shared__ alignas(8) alignas(64) char chars[3];
  __shared__ __attribute__((unused)) alignas(Vector) char two[5];
  extern __shared__ alignas(32) unsigned char dynamic[];
  alignas(16) __shared__ double first[2];
  one[threadIdx.x] = factors[threadIdx.x], chars[threadIdx.x] = 1, two[threadIdx.x] = 2;
  dynamic[threadIdx.x] = 3, first[0] = 4;
  __syncthreads();
  out[0] = is_aligned(one, 16) && is_aligned(chars, 64) && is_aligned(two, 16) && is_aligned(dynamic, 32) &&
           is_aligned(first, 16) && is_aligned(table, 128) && is_aligned(factors, 16);
  out[1] = static_cast<int>(one[1]) + chars[0] + two[1] + dynamic[0] + static_cast<int>(first[0]);
}

int main() {
  int* out;
  cudaMallocManaged(&out, 2 * sizeof *out);
  kernel<<<1, 2, 32>>>(out);
  cudaDeviceSynchronize();
  std::printf("aligned %d, sum %d\n", out[0], out[1]);  // CHECK: aligned 1, sum 12
  return alignof(Vector) == 16 && alignof(Tile<double>) == 8 ? 0 : 1;
}
