// What results are compared with, for tests alone. Floats: the C library's double functions, whose error is
// far below a float's ulp, and formulas over them where it has none. Doubles: MPFR.
#pragma once

#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

namespace heddle::math::reference {

// ---- in double; `got` is what is being tested, for inverses, whose reference is a Newton step from it: that
// leads away from a wrong value, and from a right one to more digits than are looked at.

using OfDouble = double (*)(double x, double got);

constexpr double pi = 3.14159265358979323846, two_by_root_pi = 1.12837916709551257390;

inline double sinpi(double x, double) {
  const double r = std::remainder(x, 2.0);
  if (std::fabs(r) > 0.5) return std::copysign(std::sin(pi * (1 - std::fabs(r))), r);
  return std::sin(pi * r);
}
inline double cospi(double x, double) {
  const double r = std::fabs(std::remainder(x, 2.0));
  return r > 0.25 && r < 0.75 ? std::sin(pi * (0.5 - r)) : std::cos(pi * r);
}
inline double erfcx(double x, double) {
  if (x < 20) return std::exp(x * x) * std::erfc(x);
  const double y = 1 / (x * x);
  return 0.5 * two_by_root_pi / x *
         (1 + y * (-0.5 + y * (0.75 + y * (-1.875 + y * (6.5625 - y * 29.53125)))));
}
inline double normcdf(double x, double) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); }
inline double erfinv(double x, double got) {
  if (!(std::fabs(x) < 1)) return std::fabs(x) == 1 ? x / 0.0 : std::nan("");
  const double y = std::fabs(got), slope = two_by_root_pi * std::exp(-y * y), size = std::fabs(x);
  const double over = size > 0.5 ? (1 - size) - std::erfc(y) : std::erf(y) - size;
  return std::copysign(y - over / slope, x);
}
inline double erfcinv(double x, double got) {
  if (!(x > 0 && x < 2)) return x == 0 ? 1 / 0.0 : x == 2 ? -1 / 0.0 : std::nan("");
  const double slope = -two_by_root_pi * std::exp(-got * got);
  const double over = x > 1 ? (2 - x) - std::erfc(-got) : std::erfc(got) - x;
  if (x > 0.5 && x < 1.5) return got - ((1 - x) - std::erf(got)) / slope;
  return got - (x > 1 ? -over : over) / slope;
}
inline double normcdfinv(double x, double got) {
  if (!(x > 0 && x < 1)) return x == 0 ? -1 / 0.0 : x == 1 ? 1 / 0.0 : std::nan("");
  const double slope = 0.5 * two_by_root_pi * std::sqrt(0.5) * std::exp(-0.5 * got * got);
  if (x > 0.25 && x < 0.75) return got - (0.5 * std::erf(got * std::sqrt(0.5)) - (x - 0.5)) / slope;
  if (x > 0.5) return got - ((1 - x) - 0.5 * std::erfc(got * std::sqrt(0.5))) / slope;
  return got - (0.5 * std::erfc(-got * std::sqrt(0.5)) - x) / slope;
}
template <int order>
double modified_bessel(double x, double) {
  const double size = std::fabs(x), sign = order == 1 && std::signbit(x) ? -1 : 1;
  if (size > 100) {  // its asymptotic series; twice a half, since the exponential is too large first
    double term = 1, sum = 1;
    for (int k = 1; k < 20; ++k) {
      term *= -(4.0 * order * order - (2 * k - 1) * (2 * k - 1)) / (8 * k * size);
      sum += term;
    }
    const double half = std::exp(size / 2);
    return size > 720 ? sign / 0.0 : sign * half * (sum / std::sqrt(2 * pi * size)) * half;
  }
  double term = order == 0 ? 1 : size / 2, sum = term;
  for (int k = 1; term > sum * 1e-17; ++k) sum += term *= size * size / 4 / k / (k + order);
  return sign * sum;
}

inline OfDouble of_double(std::string_view kernel) {
  struct Row {
    std::string_view name;
    OfDouble f;
  };
  static constexpr Row rows[] = {
      {"sin", [](double x, double) { return std::sin(x); }},
      {"cos", [](double x, double) { return std::cos(x); }},
      {"tan", [](double x, double) { return std::tan(x); }},
      {"sinpi", sinpi},
      {"cospi", cospi},
      {"asin", [](double x, double) { return std::asin(x); }},
      {"acos", [](double x, double) { return std::acos(x); }},
      {"atan", [](double x, double) { return std::atan(x); }},
      {"exp", [](double x, double) { return std::exp(x); }},
      {"exp2", [](double x, double) { return std::exp2(x); }},
      {"exp10", [](double x, double) { return ::exp10(x); }},
      {"expm1", [](double x, double) { return std::expm1(x); }},
      {"log", [](double x, double) { return std::log(x); }},
      {"log2", [](double x, double) { return std::log2(x); }},
      {"log10", [](double x, double) { return std::log10(x); }},
      {"log1p", [](double x, double) { return std::log1p(x); }},
      {"logb", [](double x, double) { return std::logb(x); }},
      {"sinh", [](double x, double) { return std::sinh(x); }},
      {"cosh", [](double x, double) { return std::cosh(x); }},
      {"tanh", [](double x, double) { return std::tanh(x); }},
      {"asinh", [](double x, double) { return std::asinh(x); }},
      {"acosh", [](double x, double) { return std::acosh(x); }},
      {"atanh", [](double x, double) { return std::atanh(x); }},
      {"cbrt", [](double x, double) { return std::cbrt(x); }},
      {"rcbrt", [](double x, double) { return 1 / std::cbrt(x); }},
      {"rsqrt", [](double x, double) { return 1 / std::sqrt(x); }},
      {"erf", [](double x, double) { return std::erf(x); }},
      {"erfc", [](double x, double) { return std::erfc(x); }},
      {"erfinv", erfinv},
      {"erfcinv", erfcinv},
      {"erfcx", erfcx},
      {"normcdf", normcdf},
      {"normcdfinv", normcdfinv},
      {"lgamma",
       [](double x, double) {
         int sign;
         return ::lgamma_r(x, &sign);
       }},
      {"tgamma", [](double x, double) { return std::isinf(x) && x < 0 ? std::nan("") : std::tgamma(x); }},
      {"j0", [](double x, double) { return ::j0(x); }},
      {"j1", [](double x, double) { return ::j1(x); }},
      {"y0", [](double x, double) { return ::y0(x); }},
      {"y1", [](double x, double) { return ::y1(x); }},
      {"cyl_bessel_i0", modified_bessel<0>},
      {"cyl_bessel_i1", modified_bessel<1>},
      {"round", [](double x, double) { return std::round(x); }},
  };
  for (const Row& row : rows)
    if (row.name == kernel) return row.f;
  return nullptr;
}

// ---- in MPFR, of one to four values; integers come as doubles

constexpr mpfr_prec_t precision = 160;

class Real {
 public:
  Real() { mpfr_init2(value, precision); }
  explicit Real(double x) : Real() { mpfr_set_d(value, x, MPFR_RNDN); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;
  ~Real() { mpfr_clear(value); }
  operator mpfr_ptr() { return value; }
  mpfr_t value;
};

using OfReal = void (*)(mpfr_ptr out, Real* x, double got);

inline void root_of_half(mpfr_ptr out) {
  mpfr_set_d(out, 0.5, MPFR_RNDN);
  mpfr_sqrt(out, out, MPFR_RNDN);
}
inline void exact_normcdf(mpfr_ptr out, Real* x, double) {
  Real root;
  root_of_half(root);
  mpfr_mul(out, x[0], root, MPFR_RNDN);
  mpfr_neg(out, out, MPFR_RNDN);
  mpfr_erfc(out, out, MPFR_RNDN);
  mpfr_div_ui(out, out, 2, MPFR_RNDN);
}
inline void exact_erfcx(mpfr_ptr out, Real* x, double) {
  Real square;
  if (mpfr_cmp_d(x[0], 1e4) > 0) {
    // (1 - 1 / (2 x^2) + 3 / (4 x^4)) / (x sqrt(pi)); erfc(x) may be too small for MPFR.
    Real y;
    mpfr_sqr(square, x[0], MPFR_RNDN);
    mpfr_ui_div(square, 1, square, MPFR_RNDN);
    mpfr_mul_d(y, square, 0.75, MPFR_RNDN);
    mpfr_sub_d(y, y, 0.5, MPFR_RNDN);
    mpfr_mul(y, y, square, MPFR_RNDN);
    mpfr_add_ui(y, y, 1, MPFR_RNDN);
    mpfr_const_pi(out, MPFR_RNDN);
    mpfr_rec_sqrt(out, out, MPFR_RNDN);
    mpfr_div(out, out, x[0], MPFR_RNDN);
    mpfr_mul(out, out, y, MPFR_RNDN);
    return;
  }
  mpfr_erfc(out, x[0], MPFR_RNDN);
  mpfr_sqr(square, x[0], MPFR_RNDN);
  mpfr_exp(square, square, MPFR_RNDN);
  mpfr_mul(out, out, square, MPFR_RNDN);
}
// Newton's step from `got` for what has the slope scale exp(-got^2 factor).
template <class Difference>
void newton(mpfr_ptr out, double got, double factor, double scale, Difference&& difference) {
  if (!std::isfinite(got)) {  // right if there is no number with this value: 0 over 0 otherwise
    Real y(got), over;
    difference(over, y);
    if (mpfr_zero_p(over.value) || mpfr_nan_p(over.value))
      mpfr_set_d(out, got, MPFR_RNDN);
    else
      mpfr_set_ui(out, 0, MPFR_RNDN);
    return;
  }
  Real y(got), slope, over;
  for (int step = 0; step < 3; ++step) {
    mpfr_sqr(slope, y, MPFR_RNDN);
    mpfr_mul_d(slope, slope, -factor, MPFR_RNDN);
    mpfr_exp(slope, slope, MPFR_RNDN);
    Real root;
    mpfr_const_pi(root, MPFR_RNDN);
    mpfr_sqrt(root, root, MPFR_RNDN);
    mpfr_div(slope, slope, root, MPFR_RNDN);
    if (factor != 1) {
      root_of_half(root);
      mpfr_mul(slope, slope, root, MPFR_RNDN);
    }
    mpfr_mul_d(slope, slope, scale, MPFR_RNDN);
    difference(over, y);
    mpfr_div(over, over, slope, MPFR_RNDN);
    mpfr_sub(y, y, over, MPFR_RNDN);
  }
  mpfr_set(out, y, MPFR_RNDN);
}
template <int order>
void exact_modified(mpfr_ptr out, Real* x, double) {
  // All terms of the power series have one sign.
  Real square, term;
  mpfr_sqr(square, x[0], MPFR_RNDN);
  mpfr_div_ui(square, square, 4, MPFR_RNDN);
  if (order == 0)
    mpfr_set_ui(term, 1, MPFR_RNDN);
  else
    mpfr_div_ui(term, x[0], 2, MPFR_RNDN);
  mpfr_set(out, term, MPFR_RNDN);
  if (mpfr_zero_p(term.value) || !mpfr_number_p(term.value)) return;
  for (unsigned k = 1; k < 3000; ++k) {
    mpfr_mul(term, term, square, MPFR_RNDN);
    mpfr_div_ui(term, term, k, MPFR_RNDN);
    mpfr_div_ui(term, term, k + order, MPFR_RNDN);
    mpfr_add(out, out, term, MPFR_RNDN);
    if (mpfr_zero_p(term.value) || mpfr_get_exp(term) < mpfr_get_exp(out) - 140) break;
  }
}
template <int count>
void exact_norm(mpfr_ptr out, Real* x, double) {
  Real square;
  mpfr_sqr(out, x[0], MPFR_RNDN);
  for (int i = 1; i < count; ++i) {
    mpfr_sqr(square, x[i], MPFR_RNDN);
    mpfr_add(out, out, square, MPFR_RNDN);
  }
  mpfr_sqrt(out, out, MPFR_RNDN);
}
template <int count>
void exact_reciprocal_norm(mpfr_ptr out, Real* x, double) {
  exact_norm<count>(out, x, 0);
  mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

#define HEDDLE_REAL(name) {#name, [](mpfr_ptr out, Real* x, double) { mpfr_##name(out, x[0], MPFR_RNDN); }}
#define HEDDLE_REAL_2(name) \
  {#name, [](mpfr_ptr out, Real* x, double) { mpfr_##name(out, x[0], x[1], MPFR_RNDN); }}

inline OfReal of_real(std::string_view kernel) {
  struct Row {
    std::string_view name;
    OfReal f;
  };
  static constexpr Row rows[] = {
      HEDDLE_REAL(sin),
      HEDDLE_REAL(cos),
      HEDDLE_REAL(tan),
      HEDDLE_REAL(sinpi),
      HEDDLE_REAL(cospi),
      HEDDLE_REAL(asin),
      HEDDLE_REAL(acos),
      HEDDLE_REAL(atan),
      HEDDLE_REAL_2(atan2),
      HEDDLE_REAL(exp),
      HEDDLE_REAL(exp2),
      HEDDLE_REAL(exp10),
      HEDDLE_REAL(expm1),
      HEDDLE_REAL(log),
      HEDDLE_REAL(log2),
      HEDDLE_REAL(log10),
      HEDDLE_REAL(log1p),
      HEDDLE_REAL_2(pow),
      HEDDLE_REAL(sinh),
      HEDDLE_REAL(cosh),
      HEDDLE_REAL(tanh),
      HEDDLE_REAL(asinh),
      HEDDLE_REAL(acosh),
      HEDDLE_REAL(atanh),
      HEDDLE_REAL(cbrt),
      HEDDLE_REAL(erf),
      HEDDLE_REAL(erfc),
      HEDDLE_REAL(j0),
      HEDDLE_REAL(j1),
      HEDDLE_REAL(y0),
      HEDDLE_REAL(y1),
      HEDDLE_REAL_2(fmod),
      HEDDLE_REAL_2(remainder),
      HEDDLE_REAL_2(hypot),
      {"powi", [](mpfr_ptr out, Real* x, double) { mpfr_pow(out, x[0], x[1], MPFR_RNDN); }},
      {"rsqrt",
       [](mpfr_ptr out, Real* x, double) {
         mpfr_rec_sqrt(out, x[0], MPFR_RNDN);
         if (mpfr_zero_p(x[0].value)) mpfr_copysign(out, out, x[0], MPFR_RNDN);  // IEEE 754's rSqrt
       }},
      {"rcbrt",
       [](mpfr_ptr out, Real* x, double) {
         mpfr_cbrt(out, x[0], MPFR_RNDN);
         mpfr_ui_div(out, 1, out, MPFR_RNDN);
       }},
      {"rhypot", exact_reciprocal_norm<2>},
      {"norm3d", exact_norm<3>},
      {"rnorm3d", exact_reciprocal_norm<3>},
      {"norm4d", exact_norm<4>},
      {"rnorm4d", exact_reciprocal_norm<4>},
      {"normcdf", exact_normcdf},
      {"erfcx", exact_erfcx},
      {"erfinv",
       [](mpfr_ptr out, Real* x, double got) {
         newton(out, got, 1, 2, [&](mpfr_ptr over, mpfr_ptr y) {
           mpfr_erf(over, y, MPFR_RNDN);
           mpfr_sub(over, over, x[0], MPFR_RNDN);
         });
       }},
      {"erfcinv",
       [](mpfr_ptr out, Real* x, double got) {
         newton(out, got, 1, -2, [&](mpfr_ptr over, mpfr_ptr y) {
           mpfr_erfc(over, y, MPFR_RNDN);
           mpfr_sub(over, over, x[0], MPFR_RNDN);
         });
       }},
      {"normcdfinv",
       [](mpfr_ptr out, Real* x, double got) {
         newton(out, got, 0.5, 1, [&](mpfr_ptr over, mpfr_ptr y) {
           Real at;
           mpfr_set(at, y, MPFR_RNDN);
           exact_normcdf(over, &at, 0);
           mpfr_sub(over, over, x[0], MPFR_RNDN);
         });
       }},
      {"lgamma",
       [](mpfr_ptr out, Real* x, double) {
         int sign;
         mpfr_lgamma(out, &sign, x[0], MPFR_RNDN);
       }},
      {"tgamma", [](mpfr_ptr out, Real* x, double) { mpfr_gamma(out, x[0], MPFR_RNDN); }},
      {"jn", [](mpfr_ptr out, Real* x,
                double) { mpfr_jn(out, static_cast<long>(mpfr_get_d(x[0], MPFR_RNDN)), x[1], MPFR_RNDN); }},
      {"yn", [](mpfr_ptr out, Real* x,
                double) { mpfr_yn(out, static_cast<long>(mpfr_get_d(x[0], MPFR_RNDN)), x[1], MPFR_RNDN); }},
      {"cyl_bessel_i0", exact_modified<0>},
      {"cyl_bessel_i1", exact_modified<1>},
      {"fdim", [](mpfr_ptr out, Real* x, double) { mpfr_dim(out, x[0], x[1], MPFR_RNDN); }},
      {"round", [](mpfr_ptr out, Real* x, double) { mpfr_round(out, x[0]); }},
      {"ldexp",
       [](mpfr_ptr out, Real* x, double) {
         mpfr_mul_2si(out, x[0], static_cast<long>(mpfr_get_d(x[1], MPFR_RNDN)), MPFR_RNDN);
       }},
      {"scalbn",
       [](mpfr_ptr out, Real* x, double) {
         mpfr_mul_2si(out, x[0], static_cast<long>(mpfr_get_d(x[1], MPFR_RNDN)), MPFR_RNDN);
       }},
  };
  for (const Row& row : rows)
    if (row.name == kernel) return row.f;
  return nullptr;
}

#undef HEDDLE_REAL
#undef HEDDLE_REAL_2

// ---- distances

// |got - wanted| in ulps of a float, of which those at the wanted value are meant. NaNs are equal to NaNs; an
// infinity is the next number above the largest.
inline double ulps_of_float(float got, double wanted) {
  constexpr double infinite = std::numeric_limits<double>::infinity(), beyond = 0x1p128;
  if (std::isnan(got) || std::isnan(wanted)) return std::isnan(got) == std::isnan(wanted) ? 0 : infinite;
  const double g = std::isinf(got) ? std::copysign(beyond, got) : static_cast<double>(got);
  const double w = std::fabs(wanted) > beyond ? std::copysign(beyond, wanted) : wanted;
  // Among 2^32 of them the C library's functions for this take too long.
  const int64_t exponent = static_cast<int64_t>(std::bit_cast<uint64_t>(w) >> 52 & 0x7ff) - 1023;
  const int64_t clamped = std::clamp(exponent, int64_t{-126}, int64_t{127});
  return std::fabs(g - w) * std::bit_cast<double>(static_cast<uint64_t>(1023 + 23 - clamped) << 52);
}
inline double ulps_of_real(double got, Real& wanted, bool single) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const long largest = single ? 127 : 1023, fraction = single ? 23 : 52;
  const bool nan = mpfr_nan_p(wanted.value) != 0;
  if (std::isnan(got) || nan) return std::isnan(got) == nan ? 0 : infinite;
  Real beyond, g;
  mpfr_set_ui_2exp(beyond, 1, largest + 1, MPFR_RNDN);
  if (mpfr_cmpabs(wanted, beyond) > 0) mpfr_copysign(wanted, beyond, wanted, MPFR_RNDN);
  if (std::isinf(got))
    mpfr_setsign(g, beyond, std::signbit(got), MPFR_RNDN);
  else
    mpfr_set_d(g, got, MPFR_RNDN);
  long exponent = mpfr_zero_p(wanted.value) ? -2000 : static_cast<long>(mpfr_get_exp(wanted)) - 1;
  exponent = std::min(std::max(exponent, 1 - largest), largest);
  mpfr_sub(g, g, wanted, MPFR_RNDN);
  mpfr_mul_2si(g, g, fraction - exponent, MPFR_RNDN);
  return std::fabs(mpfr_get_d(g, MPFR_RNDN));
}

}  // namespace heddle::math::reference
