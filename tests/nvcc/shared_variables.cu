// Shared variables of types with constructors: those do not run, as with nvcc. What is written is an error.
// RUN: %nvcc -arch=sm_80 %s -o %t 2>&1 | FileCheck --check-prefix=WARNING --implicit-check-not="'constant'" --implicit-check-not="'trivial'" %s
// RUN: %t | FileCheck %s
// RUN: %nvcc -arch=sm_80 -w -ptx %s -o %t.ptx 2>&1 | count 0
// RUN: not %nvcc -arch=sm_80 -Werror all-warnings -ptx %s -o %t.ptx 2>&1 | grep "error: the constructor of the __shared__ variable 'one'"
// RUN: not %nvcc -arch=sm_80 -DWRONG=1 -ptx %s -o - 2>&1 | FileCheck --check-prefix=WRONG %s
#include <cstdio>
#include <new>

struct Dynamic {
  int value;
  __device__ Dynamic() : value(5) {}
  __device__ explicit Dynamic(int start) : value(start) {}
  __device__ ~Dynamic() { value = -1; }
};
struct Constant {
  int value = 3;
};
struct Trivial {
  int value;
  Trivial() = default;
  __device__ ~Trivial() { value = -1; }
};
struct Several {
  Dynamic parts[3];
};

template <class Any>
__device__ int second(int start) {
  // WARNING-DAG: shared_variables.cu:[[#@LINE + 1]]:{{[0-9]+}}: warning: the constructor of the __shared__ variable 'all' is not called
  __shared__ Any all[2];
  if (threadIdx.x == 0) new (&all[1]) Any(start);
  __syncthreads();
  return all[1].value;
}

__global__ void kernel(int* out) {
  // WARNING-DAG: shared_variables.cu:[[#@LINE + 1]]:{{[0-9]+}}: warning: {{.*}} 'one' is not called
  __shared__ Dynamic one;
  __shared__ Constant constant;
  __shared__ Trivial trivial;
  // WARNING-DAG: shared_variables.cu:[[#@LINE + 1]]:{{[0-9]+}}: warning: {{.*}} 'several' is not called
  __shared__ Several several;
  if (threadIdx.x == 0) one.value = 10, constant.value = 20, trivial.value = 0, several.parts[2].value = 30;
  __syncthreads();
  // A constructor that ran would be one of every thread, behind the barrier as well.
  out[threadIdx.x] = one.value + constant.value + trivial.value + several.parts[2].value + second<Dynamic>(40);
#ifdef WRONG
  // WRONG: shared_variables.cu:[[#@LINE + 1]]:{{[0-9]+}}: error: initialization is not supported for __shared__ variables
  __shared__ Dynamic with_value(3);
  // WRONG: shared_variables.cu:[[#@LINE + 1]]:{{[0-9]+}}: error: initialization is not supported for __shared__ variables
  __shared__ Dynamic with_braces{};
  // WRONG: shared_variables.cu:[[#@LINE + 1]]:{{[0-9]+}}: error: initialization is not supported for __shared__ variables
  __shared__ Constant with_constant = {2};
#endif
}
#ifdef WRONG
// WRONG: shared_variables.cu:[[#@LINE + 1]]:{{[0-9]+}}: error: initialization is not supported for __shared__ variables
__shared__ Dynamic outside;
#endif

int main() {
  int* out;
  cudaMallocManaged(&out, 64 * sizeof *out);
  kernel<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  std::printf("%d %d\n", out[0], out[63]);  // CHECK: 100 100
  return 0;
}
