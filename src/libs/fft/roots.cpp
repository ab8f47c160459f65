#include "libs/fft/roots.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace heddle::fft {
namespace {

// The angle is brought into the first eighth of the circle in whole numbers: exact.
Root<long double> root(int64_t k, int64_t n) {
  const __int128 eighths = static_cast<__int128>(8) * k;
  const int octant = static_cast<int>(eighths / n);
  const int64_t rest = static_cast<int64_t>(eighths - static_cast<__int128>(octant) * n);  // of n eighths
  const bool odd = octant & 1;
  const long double angle = std::numbers::pi_v<long double> / 4 *
                            (static_cast<long double>(odd ? n - rest : rest) / static_cast<long double>(n));
  long double c = std::cos(angle), s = std::sin(angle);
  if (((octant + 1) >> 1) & 1) std::swap(c, s);
  const bool left = octant >= 2 && octant < 6, lower = octant >= 4;
  return {left ? -c : c, lower ? s : -s};
}

}  // namespace

Roots::Roots(int64_t n)
    : n_(n), step_(std::max<int64_t>(1, std::llround(std::sqrt(static_cast<double>(n))))) {
  for (int64_t k = 0; k < step_; ++k) low_.push_back(root(k % n, n));
  for (int64_t k = 0; k < n; k += step_) high_.push_back(root(k, n));
}

}  // namespace heddle::fft
