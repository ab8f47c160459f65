// Constants of the device that are not __constant__ lie in global memory, as nvcc puts them, and may be larger than constant memory is.
// RUN: %nvcc -std=c++17 -ptx %s -o - | FileCheck %s
// RUN: %nvcc -std=c++17 %s -o %t && %t | FileCheck --check-prefix SUM %s
#include <cstdio>

// CHECK-NOT: .const {{.*}}table
// CHECK-DAG: .global .align 4 .b8 {{.*}}table{{.*}}[80000] =
// CHECK-DAG: .global .align 8 .b8 {{.*}}numbers{{.*}}[24] =
// CHECK-DAG: .global .align 4 .b8 {{.*}}inner{{.*}}[16] =
// CHECK-DAG: .const .align 4 .b8 {{.*}}said{{.*}}[16] =
static const __device__ unsigned table[20000] = {1, 2, 3};
namespace {
const __device__ double numbers[3] = {1, 2, 3};
}
__constant__ const unsigned said[4] = {10, 20, 30, 40};
constexpr __device__ int one = 1;

__global__ void sum(unsigned* to, int i) {
  static const __device__ unsigned inner[4] = {5, 6, 7, 9};
  *to = table[i] + static_cast<unsigned>(numbers[i]) + said[i] + inner[i] + one;
}

// SUM: 44
int main() {
  unsigned* to;
  cudaMallocManaged(&to, sizeof *to);
  sum<<<1, 1>>>(to, 2);
  cudaDeviceSynchronize();
  std::printf("%u\n", *to);
}
