// Before compute capability 1.3 there are no doubles: they are numbers of single precision, and ptxas says so once
// (CUDA C Programming Guide 4.0, 5.1; OpenCL Programming Guide for the CUDA Architecture, C.2). In memory they keep
// their 64 bits, of which the lower half is used (PTX ISA 11.1.2, map_f64_to_f32).
// RUN: %nvcc -Wno-deprecated-declarations -arch=sm_12 %s -o %t 2>&1 | FileCheck --check-prefix=WARNING %s
// RUN: env HEDDLE_DEVICE=gt240 %t | FileCheck --check-prefix=SINGLE %s
// RUN: env HEDDLE_DEVICE=gt240 HEDDLE_EXECUTOR=interp %t | FileCheck --check-prefix=SINGLE %s
// RUN: %nvcc -Wno-deprecated-declarations -arch=sm_13 %s -o %t 2>&1 | count 0
// RUN: env HEDDLE_DEVICE=gtx285 %t | FileCheck --check-prefix=DOUBLE %s
// RUN: %nvcc -Wno-deprecated-declarations -arch=sm_10 -Xptxas --suppress-double-demote-warning -c %s -o %t.o 2>&1 | count 0
// RUN: not %nvcc -Wno-deprecated-declarations -arch=sm_10 -Xptxas -Werror -c %s -o %t.o 2>&1 | FileCheck --check-prefix=ERROR %s
// RUN: %nvcc -Wno-deprecated-declarations -arch=sm_11 -ptx %s -o - | FileCheck --check-prefix=PTX %s
// WARNING: ptxas {{.*}}, line {{[0-9]+}}; warning : Double is not supported. Demoting to float
// WARNING-NOT: Double is not supported
// ERROR: error {{.*}}Double is not supported. Demoting to float
// PTX: .target sm_11, map_f64_to_f32
// A product that was one of doubles only within an expression is warned of, too (Best Practices Guide 7.2.3).
// RUN: %nvcc -DPRODUCT -arch=sm_12 %s -o %t 2>&1 | FileCheck --check-prefix=WARNING %s
// RUN: env HEDDLE_DEVICE=gt240 %t | FileCheck --check-prefix=PRODUCT %s
// RUN: env HEDDLE_DEVICE=gt240 HEDDLE_EXECUTOR=interp %t | FileCheck --check-prefix=PRODUCT %s
// PRODUCT: 1.121999979
// PTX: .param .f64 kernel_param_2
// 1.1f * 1.02 in one precision and in the other, as a host computes them (Best Practices Guide 7.2.3).
// SINGLE: product 1.121999979 as a float's
// DOUBLE: product 1.122000024 as a double's
// A double's parts, its functions, constants in instructions, in arrays and in structures.
// SINGLE: sum 1.545455 right, functions 1.313640 right
// SINGLE: parts 11 0 0.550000 1, chosen 2.5, stored 1.1
// SINGLE: constants 1.618 right, signs 1 0 0 -3, square 0
// SINGLE: lower half: 1
// DOUBLE: sum 1.545455 right, functions 1.313640 right
// DOUBLE: parts 11 0 0.550000 1, chosen 2.5, stored 1.1
// DOUBLE: constants 1.618 right, signs 1 0 0 -3, square 0
// DOUBLE: lower half: 0
#ifdef PRODUCT
#include <cstdio>
__global__ void kernel(float* a) { a[0] = a[0] * 1.02; }
int main() {
  float* a;
  float value = 1.1f;
  cudaMalloc(&a, sizeof value);
  cudaMemcpy(a, &value, sizeof value, cudaMemcpyHostToDevice);
  kernel<<<1, 1>>>(a);
  cudaMemcpy(&value, a, sizeof value, cudaMemcpyDeviceToHost);
  std::printf("%.9f\n", value);
}
#else
#include <cmath>
#include <cstdio>
#include <cstring>

__device__ double table[3] = {0.1, 0.2, 0.3};
__constant__ double factor = 1.02;
struct Record {
  double a;
  int b;
  double c[2];
};
__constant__ Record record = {0.7, 3, {0.1, 0.9}};

extern "C" __global__ void kernel(double* out, const double* in, double x, int n) {
  out[0] = in[3] * 1.02;
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i] * table[i] / x;
  out[1] = sum;
  out[2] = sin(x) + exp(-x) * pow(x, 2.5);
  double whole;
  int exponent;
  out[3] = modf(x * 10, &whole);
  out[4] = whole;
  out[5] = frexp(x, &exponent);
  out[6] = exponent;
  out[7] = x > 1.05 ? 2.5 : -3.25;
  out[8] = 1.1;
  out[9] = factor * record.c[n - 2] + record.a;
  out[10] = signbit(-x);
  out[11] = signbit(x);
  out[12] = isnan(x);
  out[13] = copysign(3.0, -x);
  out[14] = fma(x, x, -x * x);
}

bool close(double a, double b) { return std::fabs(a - b) < 1e-6 * std::fabs(b); }

int main() {
  double out[15] = {}, in[4] = {1.5, 2.5, 3.5, 1.1f}, *o, *i;
  cudaMalloc(&o, sizeof out);
  cudaMalloc(&i, sizeof in);
  for (double& number : in) cudaSetDoubleForDevice(&number);
  cudaMemcpy(i, in, sizeof in, cudaMemcpyHostToDevice);
  kernel<<<1, 1>>>(o, i, 1.1, 3);
  cudaMemcpy(out, o, sizeof out, cudaMemcpyDeviceToHost);
  unsigned long long bits;
  std::memcpy(&bits, &out[8], sizeof bits);
  for (double& number : out) cudaSetDoubleForHost(&number);
  const float single = 1.1f * 1.02f;
  const bool is_single = out[0] == single;
  std::printf("product %.9f as a %s's\n", out[0], is_single ? "float" : out[0] == 1.1f * 1.02 ? "double" : "??");
  const double sum = (1.5 * 0.1 + 2.5 * 0.2 + 3.5 * 0.3) / 1.1;
  const double functions = std::sin(1.1) + std::exp(-1.1) * std::pow(1.1, 2.5);
  std::printf("sum %.6f %s, functions %.6f %s\n", sum, close(out[1], sum) ? "right" : "wrong", functions,
              close(out[2], functions) ? "right" : "wrong");
  std::printf("parts %g %g %.6f %g, chosen %g, stored %.7g\n", out[4], out[3] < 1e-5 ? 0 : out[3], out[5], out[6],
              out[7], out[8]);
  std::printf("constants 1.618 %s, signs %g %g %g %g, square %g\n", close(out[9], 1.618) ? "right" : "wrong", out[10],
              out[11], out[12], out[13], std::fabs(out[14]) < 1e-7 ? 0 : out[14]);
  std::printf("lower half: %d\n", bits == 0x3f8ccccdULL);
}
#endif
