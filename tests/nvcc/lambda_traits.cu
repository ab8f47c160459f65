// Which side a lambda was written for, as libraries ask (CUDA C++ Programming Guide, "Extended Lambda Type Traits"): with
// --extended-lambda, in functions of the host.
// RUN: %nvcc -std=c++17 --extended-lambda %s -o %t && %t | FileCheck %s
// CHECK: plain: 0 0, device: 1 0, generic: 1 0, both: 0 1, const: 1 0, reference: 0 0, number: 0 0, in a kernel: 0 0
// Without the option none is of that kind.
// RUN: %nvcc -std=c++17 %s -o %t.without && %t.without | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: plain: 0 0, device: 0 0, generic: 0 0, both: 0 0, const: 0 0, reference: 0 0, number: 0 0, in a kernel: 0 0
#include <cstdio>
#include <utility>

template <class Type>
constexpr std::pair<bool, bool> kind = {__nv_is_extended_device_lambda_closure_type(Type), __nv_is_extended_host_device_lambda_closure_type(Type)};

template <class Type>
void show(const char* name) {
  std::printf("%s: %d %d, ", name, kind<Type>.first, kind<Type>.second);
}

__global__ void kernel(int* out) {
  auto inside = [] __device__ { return 1; };
  out[0] = __nv_is_extended_device_lambda_closure_type(decltype(inside));
  out[1] = __nv_is_extended_host_device_lambda_closure_type(decltype(inside));
}
template <class Function>
__global__ void run(Function function, int* out) {
  static_assert(!__nv_is_extended_host_device_lambda_closure_type(Function), "the same on both sides");
#ifdef __CUDACC_EXTENDED_LAMBDA__
  static_assert(__nv_is_extended_device_lambda_closure_type(Function), "the same on both sides");
  static_assert(__nv_is_extended_device_lambda_with_preserved_return_type(Function), "and is known");
#endif
  *out = function(2);
}

int main() {
  int* out;
  if (cudaMallocManaged(&out, 3 * sizeof(int)) != cudaSuccess) return 1;
  auto plain = [](int a) { return a; };
  auto device = [] __device__(int a) -> int { return a + 40; };
  auto generic = [out] __device__(auto a, auto b) { out[a] = b; };
  auto both = [=] __host__ __device__(int a) { return a; };
  kernel<<<1, 1>>>(out);
  run<<<1, 1>>>(device, out + 2);
  if (cudaDeviceSynchronize() != cudaSuccess || out[2] != 42) return 2;
  show<decltype(plain)>("plain");
  show<decltype(device)>("device");
  show<decltype(generic)>("generic");
  show<decltype(both)>("both");
  show<const decltype(device)>("const");
  show<decltype(device)&>("reference");
  show<int>("number");
  std::printf("in a kernel: %d %d\n", out[0], out[1]);
}
