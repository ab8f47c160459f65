// Math functions of <cmath> by their plain names with float arguments: in device code they are the functions of float, which all are defined.
// RUN: %nvcc -arch=sm_70 %s -o %t && %t | FileCheck %s
// RUN: %nvcc -arch=sm_70 -ptx %s -o %t.ptx && FileCheck --check-prefix=PTX %s < %t.ptx
// PTX-NOT: .extern .func {{.*}}_ZL
// CHECK: {{^}}54 calls, 0 differ
#include <cmath>
#include <cstdio>
#include <type_traits>

__device__ int calls, differ;

template <class A, class B>
__device__ void same(A a, B b, int line) {
  static_assert(std::is_same_v<A, B>, "the overload has the type of the function with an f");
  ++calls;
  if (a == b) return;
  ++differ;
  printf("line %d: %g and %g\n", line, (double)a, (double)b);
}
#define SAME(a, b) same(a, b, __LINE__)
#define ONE(name) SAME(name(x), name##f(x)), SAME(std::name(x), name##f(x))
#define TWO(name) SAME(name(x, y), name##f(x, y))

__global__ void run(float x, float y) {
  ONE(cbrt), ONE(erf), ONE(erfc), ONE(exp2), ONE(expm1), ONE(lgamma), ONE(log1p), ONE(log2), ONE(logb), ONE(nearbyint);
  ONE(rint), ONE(round), ONE(tgamma), ONE(trunc), ONE(asinh);
  SAME(acosh(y), acoshf(y));
  SAME(atanh(x), atanhf(x));
  TWO(copysign), TWO(fdim), TWO(fmax), TWO(fmin), TWO(hypot), TWO(nextafter), TWO(remainder);
  SAME(fma(x, y, y), fmaf(x, y, y));
  int a = 0, b = 0;
  SAME(remquo(x, y, &a), remquof(x, y, &b));
  SAME(a, b);
  SAME(scalbn(x, 3), scalbnf(x, 3));
  SAME(scalbln(x, 3l), scalblnf(x, 3l));
  SAME(ilogb(x), ilogbf(x));
  SAME(lrint(y), lrintf(y));
  SAME(lround(y), lroundf(y));
  SAME(llrint(y), llrintf(y));
  SAME(llround(y), llroundf(y));
  // 7.12.11.2 of C: the tag is the payload.
  SAME(__double_as_longlong(nan("")), 0x7ff8000000000000ll);
  SAME(__double_as_longlong(nan("0x1f")), 0x7ff800000000001fll);
  SAME(__float_as_int(nanf("12")), 0x7fc0000c);
  SAME(__float_as_int(nanf("no")), 0x7fc00000);
  // Mixed arguments are doubles.
  static_assert(std::is_same_v<decltype(fmax(x, 1.0)), double> && std::is_same_v<decltype(fma(x, 1.0, x)), double>);
  SAME(fmax(x, 2.0), 2.0);
}

int main() {
  run<<<1, 1>>>(0.375f, 2.5f);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  int count = 0, wrong = 0;
  cudaMemcpyFromSymbol(&count, calls, sizeof count);
  cudaMemcpyFromSymbol(&wrong, differ, sizeof wrong);
  printf("%d calls, %d differ\n", count, wrong);
}
