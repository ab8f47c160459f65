// CUDA's own math functions on the host (CUDA Math API): what the C library does not have. Accuracy is that
// of double arithmetic for float, and a few units in the last place for double.
#ifndef HEDDLE_CRT_HOST_MATH_H
#define HEDDLE_CRT_HOST_MATH_H

#include <math.h>

#define HEDDLE_HOST_ static __inline__ __host__ __attribute__((unused))

HEDDLE_HOST_ double rsqrt(double a) { return 1.0 / sqrt(a); }
HEDDLE_HOST_ double rcbrt(double a) { return 1.0 / cbrt(a); }
// Exact reduction first: sin(pi x) has period 2, and multiplying by pi before reducing would lose the digits.
HEDDLE_HOST_ double sinpi(double a) {
  if (isinf(a)) return NAN;
  double r = fabs(a) < 4503599627370496.0 ? remainder(a, 2.0) : copysign(0.0, a);
  if (r == 0.0 || fabs(r) == 1.0) return copysign(0.0, a);
  if (fabs(r) > 0.5) r = copysign(1.0, r) - r;
  return sin(r * 3.14159265358979323846);
}
HEDDLE_HOST_ double cospi(double a) {
  if (isinf(a)) return NAN;
  double r = fabs(remainder(a, 2.0));
  if (r == 0.5) return 0.0;
  return r < 0.25   ? cos(r * 3.14159265358979323846)
         : r > 0.75 ? -cos((1.0 - r) * 3.14159265358979323846)
                    : sin((0.5 - r) * 3.14159265358979323846);
}
HEDDLE_HOST_ void sincospi(double a, double* s, double* c) {
  *s = sinpi(a);
  *c = cospi(a);
}
HEDDLE_HOST_ double fdivide(double a, double b) { return a / b; }
HEDDLE_HOST_ double normcdf(double a) { return 0.5 * erfc(a * -0.70710678118654752440); }
// exp(x*x) erfc(x); beyond 26 erfc() is subnormal, so its asymptotic series.
HEDDLE_HOST_ double erfcx(double a) {
  if (a < 25.0) return exp(a * a) * erfc(a);
  double t = 1.0 / (2.0 * a * a);
  return (1.0 - t * (1.0 - 3.0 * t * (1.0 - 5.0 * t * (1.0 - 7.0 * t)))) / (a * 1.77245385090551602730);
}
// A rational start (Giles, "Approximating the erfinv function", 2010), then Newton steps on erfc, which keeps
// the tail's digits.
HEDDLE_HOST_ double erfcinv(double a) {
  if (!(a >= 0.0 && a <= 2.0)) return NAN;
  if (a == 0.0) return INFINITY;
  if (a == 2.0) return -INFINITY;
  double p = a < 1.0 ? a : 2.0 - a;
  double t = sqrt(-2.0 * log(p / 2.0));
  double x = 0.70710678118654752440 * (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                                               (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int step = 0; step < 4; ++step) {
    double slope = -1.12837916709551257390 * exp(-x * x);
    double error = erfc(x) - p;
    double newton = error / slope;
    x -= newton / (1.0 + x * newton);
  }
  return a < 1.0 ? x : -x;
}
HEDDLE_HOST_ double erfinv(double a) {
  if (!(fabs(a) <= 1.0)) return NAN;
  if (fabs(a) == 1.0) return copysign(INFINITY, a);
  if (fabs(a) > 0.5) return a > 0.0 ? erfcinv(1.0 - a) : -erfcinv(1.0 + a);
  double x = a * 0.88622692545275801365;
  for (int step = 0; step < 6; ++step) x -= (erf(x) - a) / (1.12837916709551257390 * exp(-x * x));
  return x;
}
HEDDLE_HOST_ double normcdfinv(double a) { return -1.41421356237309504880 * erfcinv(2.0 * a); }
HEDDLE_HOST_ double rhypot(double a, double b) { return 1.0 / hypot(a, b); }
HEDDLE_HOST_ double norm3d(double a, double b, double c) { return hypot(hypot(a, b), c); }
HEDDLE_HOST_ double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
HEDDLE_HOST_ double norm4d(double a, double b, double c, double d) { return hypot(hypot(a, b), hypot(c, d)); }
HEDDLE_HOST_ double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
HEDDLE_HOST_ double norm(int dim, const double* v) {
  double sum = 0.0;
  for (int i = 0; i < dim; ++i) sum = hypot(sum, v[i]);
  return sum;
}
HEDDLE_HOST_ double rnorm(int dim, const double* v) { return 1.0 / norm(dim, v); }
// Modified Bessel functions by their power series, all of whose terms are positive.
HEDDLE_HOST_ double cyl_bessel_i0(double a) {
  double term = 1.0, sum = 1.0, q = a * a / 4.0;
  for (int k = 1; k < 2000 && term > sum * 1e-18; ++k) sum += term *= q / ((double)k * k);
  return sum;
}
HEDDLE_HOST_ double cyl_bessel_i1(double a) {
  double term = a / 2.0, sum = term, q = a * a / 4.0;
  for (int k = 1; k < 2000 && fabs(term) > fabs(sum) * 1e-18; ++k) sum += term *= q / ((double)k * (k + 1.0));
  return sum;
}

#define HEDDLE_HOST_FLOAT_(name) \
  HEDDLE_HOST_ float name##f(float a) { return (float)name((double)a); }
HEDDLE_HOST_FLOAT_(rsqrt)
HEDDLE_HOST_FLOAT_(rcbrt)
HEDDLE_HOST_FLOAT_(sinpi)
HEDDLE_HOST_FLOAT_(cospi)
HEDDLE_HOST_FLOAT_(normcdf)
HEDDLE_HOST_FLOAT_(erfcx)
HEDDLE_HOST_FLOAT_(erfcinv)
HEDDLE_HOST_FLOAT_(erfinv)
HEDDLE_HOST_FLOAT_(normcdfinv)
HEDDLE_HOST_FLOAT_(cyl_bessel_i0)
HEDDLE_HOST_FLOAT_(cyl_bessel_i1)
#undef HEDDLE_HOST_FLOAT_
HEDDLE_HOST_ void sincospif(float a, float* s, float* c) {
  *s = sinpif(a);
  *c = cospif(a);
}
HEDDLE_HOST_ float fdividef(float a, float b) { return a / b; }
HEDDLE_HOST_ float rhypotf(float a, float b) { return (float)rhypot((double)a, (double)b); }
HEDDLE_HOST_ float norm3df(float a, float b, float c) {
  return (float)norm3d((double)a, (double)b, (double)c);
}
HEDDLE_HOST_ float rnorm3df(float a, float b, float c) {
  return (float)rnorm3d((double)a, (double)b, (double)c);
}
HEDDLE_HOST_ float norm4df(float a, float b, float c, float d) {
  return (float)norm4d((double)a, (double)b, (double)c, (double)d);
}
HEDDLE_HOST_ float rnorm4df(float a, float b, float c, float d) {
  return (float)rnorm4d((double)a, (double)b, (double)c, (double)d);
}
HEDDLE_HOST_ float normf(int dim, const float* v) {
  double sum = 0.0;
  for (int i = 0; i < dim; ++i) sum += (double)v[i] * (double)v[i];
  return (float)sqrt(sum);
}
HEDDLE_HOST_ float rnormf(int dim, const float* v) { return 1.0f / normf(dim, v); }

// The integer functions of the Math API.
HEDDLE_HOST_ unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
HEDDLE_HOST_ unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }
HEDDLE_HOST_ long long llmin(long long a, long long b) { return a < b ? a : b; }
HEDDLE_HOST_ long long llmax(long long a, long long b) { return a > b ? a : b; }
HEDDLE_HOST_ unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
HEDDLE_HOST_ unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

#undef HEDDLE_HOST_

#endif
