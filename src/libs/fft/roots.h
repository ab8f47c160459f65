// Roots of unity to the last bit, nearly: what the error of a transform depends on.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::fft {

template <class T>
struct Root {
  T re, im;
};

// exp(-2 pi i k / n). Two tables of about sqrt(n) roots in long double, whose product has 11 bits more than a
// double: rounding it once is all the error there is.
class Roots {
 public:
  explicit Roots(int64_t n);
  template <class T>
  Root<T> at(int64_t k) const {
    k %= n_;
    const auto& a = high_[static_cast<std::size_t>(k / step_)];
    const auto& b = low_[static_cast<std::size_t>(k % step_)];
    return {static_cast<T>(a.re * b.re - a.im * b.im), static_cast<T>(a.re * b.im + a.im * b.re)};
  }

 private:
  int64_t n_, step_;
  std::vector<Root<long double>> high_, low_;
};

}  // namespace heddle::fft
