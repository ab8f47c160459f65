// One real line of odd length at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libs/fft/build.h"

namespace heddle::fft {

template <class T>
class RealLinePlan {
 public:
  // Of a length that has two factors whose transforms are quick; else nothing.
  static std::unique_ptr<RealLinePlan> make(int64_t n, bool back);
  // Contiguous: n real numbers to the first n / 2 + 1 complex ones of their spectrum, or back. in may be out.
  void run(const T* in, T* out, bool parallel) const;

 private:
  RealLinePlan(int64_t n1, int64_t n2, bool back);

  const bool back_;
  const Columns<T> first_, second_;
  const LineRoots<T> roots_;
};

}  // namespace heddle::fft
