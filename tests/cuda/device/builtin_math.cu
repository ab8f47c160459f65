// GCC's names of math functions in device code, beside what the host's library says.
// RUN: %nvcc -std=c++17 %s -o %t && %t | FileCheck %s
// CHECK: 29 functions of floats, 29 of doubles, 0 wrong
#include <cmath>
#include <cstdio>

#define FUNCTIONS(X)                                                                                                 \
  X(acos, 0.3) X(acosh, 1.7) X(asin, 0.3) X(asinh, 0.3) X(atan, 0.3) X(atanh, 0.3) X(cbrt, 5.5) X(cos, 2.25) X(cosh, 0.7) \
  X(erf, 0.4) X(erfc, 0.4) X(exp, 1.3) X(exp2, 1.3) X(expm1, 0.01) X(lgamma, 4.5) X(log, 3.7) X(log10, 3.7) X(log1p, 0.02) \
  X(log2, 3.7) X(logb, 37.0) X(sin, 2.25) X(sinh, 0.7) X(tan, 0.9) X(tanh, 0.9) X(tgamma, 4.5)
constexpr int count = 29;

// Each is of the type that its name says, whatever it is given.
template <class T>
struct Of;
template <>
struct Of<float> {
  static __host__ __device__ void all(float* to) {
    int i = 0, e = 0, q = 0;
    float whole = 0;
#define ONE(name, x) to[i++] = __builtin_##name##f(x);
    FUNCTIONS(ONE)
#undef ONE
    to[i++] = __builtin_powf(1.5f, 2.5f) + __builtin_atan2f(1, 3) + __builtin_hypotf(3, 5) + __builtin_fdimf(5, 3.5f);
    to[i++] = __builtin_fmodf(7.5f, 2) + __builtin_remainderf(7.5f, 2) + __builtin_nextafterf(2, 3) + __builtin_remquof(9.5f, 2, &q) + (q & 7);
    to[i++] = __builtin_frexpf(37.5f, &e) + e + __builtin_modff(3.75f, &whole) + whole + __builtin_ldexpf(1.5f, 3) + __builtin_scalbnf(1.5f, 4) + __builtin_scalblnf(1.5f, 5L);
    to[i++] = __builtin_ilogbf(37) + __builtin_lrintf(2.5f) + __builtin_llrintf(3.5f) + __builtin_lroundf(2.5f) + __builtin_llroundf(3.5f);
  }
};
template <>
struct Of<double> {
  static __host__ __device__ void all(double* to) {
    int i = 0, e = 0, q = 0;
    double whole = 0;
#define ONE(name, x) to[i++] = __builtin_##name((float)x);
    FUNCTIONS(ONE)
#undef ONE
    to[i++] = __builtin_pow(1.5f, 2.5f) + __builtin_atan2(1, 3) + __builtin_hypot(3, 5) + __builtin_fdim(5, 3.5f);
    to[i++] = __builtin_fmod(7.5f, 2) + __builtin_remainder(7.5f, 2) + __builtin_nextafter(2, 3) + __builtin_remquo(9.5f, 2, &q) + (q & 7);
    to[i++] = __builtin_frexp(37.5f, &e) + e + __builtin_modf(3.75f, &whole) + whole + __builtin_ldexp(1.5f, 3) + __builtin_scalbn(1.5f, 4) + __builtin_scalbln(1.5f, 5L);
    to[i++] = __builtin_ilogb(37) + __builtin_lrint(2.5) + __builtin_llrint(3.5) + __builtin_lround(2.5) + __builtin_llround(3.5);
  }
};

template <class T>
__global__ void kernel(T* to) {
  Of<T>::all(to);
}

template <class T>
static int wrong(double tolerance) {
  T *device, host[count];
  cudaMallocManaged(&device, sizeof host);
  kernel<<<1, 1>>>(device);
  if (cudaDeviceSynchronize() != cudaSuccess) return count;
  Of<T>::all(host);
  int bad = 0;
  for (int i = 0; i < count; ++i)
    if (!(std::fabs(double(device[i]) - double(host[i])) <= tolerance * std::fabs(double(host[i])))) {
      std::printf("%d: %.17g, the host says %.17g\n", i, double(device[i]), double(host[i]));
      ++bad;
    }
  return bad;
}

int main() {
  const int bad = wrong<float>(5e-7) + wrong<double>(1e-15);
  std::printf("%d functions of floats, %d of doubles, %d wrong\n", count, count, bad);
}
