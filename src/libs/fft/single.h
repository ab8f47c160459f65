// One line at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libs/fft/build.h"

namespace heddle::fft {

// Below, waking threads costs more than they do.
inline constexpr int64_t parallel_from = 1 << 16;

// Of complex numbers.
template <class T>
class LinePlan {
 public:
  explicit LinePlan(int64_t n);
  ~LinePlan();
  // Contiguous and interleaved; in may be out.
  void run(const T* in, T* out, bool inverse, bool parallel) const;
  static double cost(int64_t n, int lanes);
  // The length of a line's columns; 0 where a convolution is cheaper.
  static int64_t first_factor(int64_t n);

 private:
  void run_chirp(const T* in, T* out, bool inverse, bool parallel) const;

  int64_t n_;
  Columns<T> first_, second_;
  LineRoots<T> roots_;
  // Lengths with a large prime: a convolution of a smooth length.
  std::unique_ptr<LinePlan> by_;
  int64_t by_n_ = 0;
  std::vector<T> chirp_, spectrum_;
};

}  // namespace heddle::fft
