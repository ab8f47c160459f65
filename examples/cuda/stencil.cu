// Each result is the sum of an element and its neighbours within a radius. A block keeps its elements and a halo on both sides in shared
// memory; the barrier between writing and reading them is what the program would be wrong without (tutorial of 2015, VI.2).
//
//     nvcc stencil.cu -o stencil && ./stencil
#include "check.h"

constexpr int block = 128, radius = 3;

// `in` and `out` point to the first element that has `radius` neighbours before it.
__global__ void stencil(const int* in, int* out) {
  __shared__ int near[block + 2 * radius];
  const int global = threadIdx.x + blockIdx.x * blockDim.x, local = threadIdx.x + radius;
  near[local] = in[global];
  if (threadIdx.x < radius) {
    near[local - radius] = in[global - radius];
    near[local + block] = in[global + block];
  }
  __syncthreads();
  int sum = 0;
  for (int offset = -radius; offset <= radius; ++offset) sum += near[local + offset];
  out[global] = sum;
}

// The same without shared memory: each element is read 2 * radius + 1 times from global memory.
__global__ void stencil_from_global(const int* in, int* out) {
  const int global = threadIdx.x + blockIdx.x * blockDim.x;
  int sum = 0;
  for (int offset = -radius; offset <= radius; ++offset) sum += in[global + offset];
  out[global] = sum;
}

int main() {
  const int blocks = 40, count = blocks * block;
  std::vector<int> in(count + 2 * radius), expected(count);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<int>(i * i % 101);
  for (int i = 0; i < count; ++i)
    for (int offset = 0; offset <= 2 * radius; ++offset) expected[i] += in[i + offset];

  const DeviceArray<int> from(in), to(count);
  to.spoil();
  stencil<<<blocks, block>>>(from + radius, to);
  CHECK(cudaGetLastError());
  expect("stencil in shared memory", to.values(), expected);
  to.spoil();
  stencil_from_global<<<blocks, block>>>(from + radius, to);
  CHECK(cudaGetLastError());
  expect("stencil in global memory", to.values(), expected);
}
