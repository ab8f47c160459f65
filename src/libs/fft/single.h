// One line at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libs/fft/build.h"

namespace heddle::fft {

// Of complex numbers.
template <class T>
class LinePlan {
 public:
  explicit LinePlan(int64_t n);
  ~LinePlan();
  // Contiguous and interleaved; in may be out.
  void run(const T* in, T* out, bool inverse, bool parallel) const;
  static double cost(int64_t n, int lanes);

 private:
  void run_chirp(const T* in, T* out, bool inverse, bool parallel) const;

  int64_t n_;
  Columns<T> first_, second_;
  std::vector<T, std::allocator<T>> block_roots_;
  std::unique_ptr<T[]> lane_roots_storage_;
  T* lane_roots_ = nullptr;
  // Lengths with a large prime: a convolution of a smooth length.
  std::unique_ptr<LinePlan> by_;
  int64_t by_n_ = 0;
  std::vector<T> chirp_, spectrum_;
};

}  // namespace heddle::fft
