// For tests: what MPFR says an operation gives in a format, rounded once.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <cstdint>

#include "exec/interp/number/float_format.h"

namespace heddle::exec::interp::oracle {

// One rounding of an exact result: `compute(result, mpfr rounding)` fills it in and says on which side of the
// exact result it is. The answer is the format's bits; a NaN has them all set but the sign.
template <class F>
uint64_t rounded(const Format& format, Rounding rounding, F&& compute) {
  mpfr_set_emin(2 - format.bias - format.fraction_bits);
  mpfr_set_emax(format.bias + 1);
  mpfr_t result;
  mpfr_init2(result, format.fraction_bits + 1);
  const mpfr_rnd_t mode = rounding == Rounding::toward_zero ? MPFR_RNDZ
                          : rounding == Rounding::down      ? MPFR_RNDD
                          : rounding == Rounding::up        ? MPFR_RNDU
                                                            : MPFR_RNDN;
  const int side = compute(result, mode);
  mpfr_subnormalize(result, side, mode);
  const double value = mpfr_get_d(result, MPFR_RNDN);  // a double holds every number of the formats
  mpfr_clear(result);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  if (std::isnan(value)) return format.all_ones();
  const uint64_t sign = std::signbit(value) ? format.sign_bit() : 0;
  if (std::isinf(value)) return sign | format.infinity();
  if (value == 0) return sign;
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);  // [0.5, 1)
  const int field = exponent - 1 + format.bias;
  if (field <= 0)
    return sign | static_cast<uint64_t>(std::ldexp(std::fabs(value), format.bias - 1 + format.fraction_bits));
  return sign | static_cast<uint64_t>(field) << format.fraction_bits |
         static_cast<uint64_t>(std::ldexp(fraction * 2 - 1, format.fraction_bits));
}

class Number {
 public:
  explicit Number(double value) {
    mpfr_init2(value_, 53);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value_); }
  operator mpfr_srcptr() const { return value_; }  // NOLINT: as MPFR's functions take it

 private:
  mpfr_t value_;
};

inline uint64_t add(const Format& f, Rounding r, double a, double b) {
  const Number x(a), y(b);
  return rounded(f, r, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_add(d, x, y, m); });
}
inline uint64_t mul(const Format& f, Rounding r, double a, double b) {
  const Number x(a), y(b);
  return rounded(f, r, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_mul(d, x, y, m); });
}
inline uint64_t div(const Format& f, Rounding r, double a, double b) {
  const Number x(a), y(b);
  return rounded(f, r, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_div(d, x, y, m); });
}
inline uint64_t fma(const Format& f, Rounding r, double a, double b, double c) {
  const Number x(a), y(b), z(c);
  return rounded(f, r, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_fma(d, x, y, z, m); });
}
inline uint64_t sqrt(const Format& f, Rounding r, double a) {
  const Number x(a);
  return rounded(f, r, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_sqrt(d, x, m); });
}
inline uint64_t convert(const Format& f, Rounding r, double a) {
  const Number x(a);
  return rounded(f, r, [&](mpfr_ptr d, mpfr_rnd_t m) { return mpfr_check_range(d, mpfr_set(d, x, m), m); });
}

// Bits that reach every exponent and both ends of the significands.
class Samples {
 public:
  explicit Samples(const Format& format) : format_(format) {}
  uint64_t next() {
    const uint64_t random = mix();
    const int shift = static_cast<int>(random % 7) * format_.fraction_bits / 8;
    uint64_t bits = mix() & (format_.all_ones() | format_.sign_bit());
    if ((random >> 8 & 3) == 0) bits = bits >> shift << shift;        // few digits
    if ((random >> 10 & 7) == 0) bits |= (uint64_t{1} << shift) - 1;  // many ones
    if ((random >> 13 & 3) == 0) {                                    // near one
      const uint64_t exponent = static_cast<uint64_t>(format_.bias) - 2 + (random >> 16 & 3);
      bits = (bits & ~format_.infinity()) | exponent << format_.fraction_bits;
    }
    return bits;
  }
  uint64_t mix() {  // splitmix64
    uint64_t x = state_ += 0x9e37'79b9'7f4a'7c15;
    x = (x ^ x >> 30) * 0xbf58'476d'1ce4'e5b9;
    x = (x ^ x >> 27) * 0x94d0'49bb'1331'11eb;
    return x ^ x >> 31;
  }

 private:
  const Format& format_;
  uint64_t state_ = 1;
};

}  // namespace heddle::exec::interp::oracle
