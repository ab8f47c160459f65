// Euclidean norms of arrays (CUDA Math API, "norm()", "rnorm()"). The largest part is scaled to about one
// first, by a power of two, so that no square overflows or vanishes.
#include "devlib.h"

namespace {

template <class T>
struct Length {
  T root;   // of the scaled numbers
  T scale;  // a power of two: the length is root * scale
};

template <class T>
T scale_of(T largest);
template <>
float scale_of(float largest) {
  u32 exponent = bits_of_float(largest) & 0x7f800000u;
  exponent = exponent < 0x01000000u ? 0x01000000u : exponent > 0x7e000000u ? 0x7e000000u : exponent;
  return float_of_bits(exponent);
}
template <>
double scale_of(double largest) {
  u64 exponent = bits_of_double(largest) & 0x7ff0000000000000ull;
  exponent = exponent < 0x0020000000000000ull   ? 0x0020000000000000ull
             : exponent > 0x7fc0000000000000ull ? 0x7fc0000000000000ull
                                                : exponent;
  return double_of_bits(exponent);
}
inline float absolute(float a) { return __builtin_fabsf(a); }
inline double absolute(double a) { return __builtin_fabs(a); }
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float root(float a) { return ASM("sqrt.rn.f32 %0, %1;", float, "f", "f"(a)); }
inline double root(double a) { return ASM("sqrt.rn.f64 %0, %1;", double, "d", "d"(a)); }

template <class T>
Length<T> length(int count, const T* numbers) {
  T largest = 0;
  for (int i = 0; i < count; ++i) largest = absolute(numbers[i]) > largest ? absolute(numbers[i]) : largest;
  if (largest == (T)__builtin_inf()) return {largest, 1};  // whatever else there is, NaN included
  T scale = scale_of(largest), inverse = 1 / scale, sum = 0;
  for (int i = 0; i < count; ++i) sum = fused(numbers[i] * inverse, numbers[i] * inverse, sum);
  return {root(sum), scale};
}

}  // namespace

extern "C" {

API float __nv_normf(int count, const float* numbers) {
  Length<float> l = length(count, numbers);
  return l.root * l.scale;
}
API double __nv_norm(int count, const double* numbers) {
  Length<double> l = length(count, numbers);
  return l.root * l.scale;
}
API float __nv_rnormf(int count, const float* numbers) {
  Length<float> l = length(count, numbers);
  return 1 / l.root / l.scale;
}
API double __nv_rnorm(int count, const double* numbers) {
  Length<double> l = length(count, numbers);
  return 1 / l.root / l.scale;
}
}
