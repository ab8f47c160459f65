// Deduction guides without __host__ and __device__, as libraries have them: no side runs them, and code of
// either may use them.
// RUN: %nvcc -std=c++17 -arch=sm_80 %s -o %t && %t | FileCheck %s
// CHECK: 7 2.5 9 4.5
#include <cstdio>

template <class T>
struct Pair {
  T first, second;
  __host__ __device__ Pair(T a, T b) : first(a), second(b) {}
};
template <class T>
Pair(T) -> Pair<T>;
template <class T, class U>
Pair(T, U) -> Pair<decltype(T() + U())>;

// A guide for one side goes before it there.
template <class T>
__device__ Pair(T, T) -> Pair<T>;

__host__ __device__ double both(int x) {
  const Pair ints{x, 7};
  const Pair mixed{x, 2.5};
  return ints.second + mixed.second;
}

__global__ void kernel(double* out) {
  const Pair a{6.5, 7};
  const Pair b{1, 2};  // both guides would do
  out[0] = a.second;
  out[1] = both(b.second) - 7;
}

int main() {
  double* out = nullptr;
  cudaMallocManaged(&out, 2 * sizeof(double));
  kernel<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  std::printf("%g %g %g %g\n", out[0], out[1], both(1) - 0.5, both(0) - 5);
}
