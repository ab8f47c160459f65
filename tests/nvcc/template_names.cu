// Members of classes whose template arguments are not known yet, called with template arguments and without
// the keyword `template`, as nvcc takes them; comparisons that look alike stay comparisons.
// RUN: %nvcc -arch=sm_80 %s -o %t && %t | FileCheck %s
#include <cstdio>

template <class To, class From>
struct Cast {
  static constexpr int value = 3;
  int most = 5;
  template <int n>
  __device__ static void apply(To* to, const From* from) {
    for (int i = 0; i < n; ++i) to[i] = static_cast<To>(from[i]);
  }
  template <int n, int m = 1>
  __device__ int plus(int x) const {
    return x + n * m;
  }
  template <int n>
  __device__ int twice(int x) {
    return this->plus<n>(x) + Cast<To, From>::plus<n, 2>(x);
  }
};

template <class To, class From, int n>
__device__ int use(To* to, const From* from, int x) {
  constexpr int m = n + 1;
  using Alias = Cast<To, From>;
  Cast<To, From> cast;
  const Cast<To, From>* const pointer = &cast;
  Cast<To, From>::apply<n>(to, const_cast<From*>(from));
  Alias::apply<m>(to + n, from + n);
  return cast.plus<n>(x) + pointer->plus<n, m>(x) + cast.twice<m>(x);
}

template <class To, class From, int n>
__device__ int compare(int x) {
  Cast<To, From> cast;
  return (Cast<To, From>::value < n) + 2 * (Cast<To, From>::value < x > (0)) + 4 * (cast.most < n) +
         8 * (cast.most < x);
}

__global__ void kernel(float* to, const int* from, int* out) {
  out[0] = use<float, int, 2>(to, from, 10);
  out[1] = compare<float, int, 4>(4);
}

int main() {
  float* to;
  int *from, *out;
  cudaMallocManaged(&to, 5 * sizeof *to);
  cudaMallocManaged(&from, 5 * sizeof *from);
  cudaMallocManaged(&out, 2 * sizeof *out);
  for (int i = 0; i < 5; ++i) from[i] = i + 1;
  kernel<<<1, 1>>>(to, from, out);
  cudaDeviceSynchronize();
  // 12 + 16 + (13 + 16); 3 < 4, (3 < 4) > 0, not 5 < 4.
  std::printf("%g %g %g %g %g, %d %d\n", to[0], to[1], to[2], to[3], to[4], out[0], out[1]);  // CHECK: 1 2 3 4 5, 57 3
  return 0;
}
