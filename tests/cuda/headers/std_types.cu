// cuda::std's vocabulary in kernels, by the oldest standard that has it with libcu++; what throws on the host ends a kernel.
// RUN: %nvcc -arch=sm_80 -std=c++17 %s -o %t -Xcompiler -Wall && %t
// RUN: %nvcc -arch=sm_80 -std=c++20 %s -o %t20 && %t20
#include <cuda/std/array>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>

#include <cstdio>
#include <string>
#include <vector>

using cuda::std::exchange;
using cuda::std::swap;

__device__ int total(cuda::std::span<const int> values) {
  int sum = 0;
  for (const int value : values) sum += value;
  return sum;
}

__global__ void values(int* out, cuda::std::span<int> given) {
  cuda::std::array four{1, 2, 3, 4};
  int plain[3] = {10, 20, 30};
  cuda::std::span fixed(plain);
  static_assert(decltype(fixed)::extent == 3, "known when compiling");
  static_assert(sizeof(fixed) == sizeof(int*), "and not kept");
  out[0] = total(four) + total(fixed) + total(given);               // 10 + 60 + 15
  out[1] = fixed.subspan<1>()[1] * 100 + given.first(2).back();     // 3002
  out[2] = (int)fixed.last(2).size_bytes() + given.subspan(3).front();
  *given.rbegin() = 50;
  cuda::std::variant<int, float> either = 2.5f;
  out[3] = cuda::std::visit([](auto value) { return (int)(value * 4); }, either);
  out[4] = (int)either.index() * 10 + cuda::std::holds_alternative<int>(either);
  cuda::std::optional<int> maybe;
  out[5] = maybe.value_or(7) * 10;
  maybe = 5;
  cuda::std::optional other = maybe;
  static_assert(sizeof(other) == sizeof(maybe), "a copy, not an optional of one");
  out[6] = *other + cuda::std::get<1>(cuda::std::tuple('x', 40)) + cuda::std::pair(1, 2).second;
}

// For both sides, as libcu++ has them.
template <class T>
__host__ __device__ int swapped(T a, T b) {
  swap(a, b);
  const T was = exchange(a, T(b));
  return (was == b) * 2 + (a == b);
}

__global__ void exchanged(int* out) {
  int left[2][2] = {{1, 2}, {3, 4}}, right[2][2] = {{5, 6}, {7, 8}};
  swap(left, right);
  out[0] = left[0][1] * 10 + right[1][0];
  out[1] = swapped(1, 2) * 10 + swapped(1.5, 2.5);
}

__global__ void wrong(int which, int* out) {
  const cuda::std::optional<int> nothing;
  const cuda::std::variant<int, float> real = 1.0f;
  const cuda::std::array<int, 2> two{1, 2};
  *out = which == 0 ? nothing.value() : which == 1 ? cuda::std::get<int>(real) : two.at(which);
}

int main() {
  int *out, *given;
  if (cudaMallocManaged(&out, 64) != cudaSuccess || cudaMallocManaged(&given, 5 * sizeof(int)) != cudaSuccess) return 1;
  for (int i = 0; i < 5; ++i) given[i] = i + 1;
  values<<<1, 1>>>(out, {given, 5});
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  const int expected[] = {85, 3002, 12, 10, 10, 70, 47};
  for (int i = 0; i < 7; ++i)
    if (out[i] != expected[i]) return printf("%d: %d, should be %d\n", i, out[i], expected[i]), 3;
  if (given[4] != 50) return 4;
  exchanged<<<1, 1>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess || out[0] != 63 || out[1] != 11) return printf("%d %d\n", out[0], out[1]), 8;
  cuda::std::pair<int, std::string> one(1, "a"), two(2, "b");
  swap(one, two);
  cuda::std::swap(one.second, two.second);
  if (one.first != 2 || one.second != "a") return 10;
  if (swapped(1, 2) != 1 || swapped(std::string("a"), std::string("b")) != 1) return 9;
  std::vector<int> vector{1, 2, 3};
  const std::vector<int> constant{4, 5};
  cuda::std::span<const int> seen = vector;
  if (seen.size() != 3 || cuda::std::span<const int>(constant)[1] != 5) return 5;
  for (int which = 0; which < 3; ++which) {
    if (cudaMallocManaged(&out, 64) != cudaSuccess) return 6;
    wrong<<<1, 1>>>(which, out);
    const cudaError_t ended = cudaDeviceSynchronize();
    if (ended != cudaErrorLaunchFailure && ended != cudaErrorIllegalInstruction) return printf("%d: %d\n", which, ended), 7;
    cudaDeviceReset();
  }
  return 0;
}
