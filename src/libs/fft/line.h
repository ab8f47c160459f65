// All lines of one dimension, in lanes or one by one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "libs/fft/build.h"
#include "libs/fft/fft.h"

namespace heddle::fft {

// A dimension across the lines: how many, and how far apart, in numbers of the two sides.
struct Across {
  int64_t count, in, out;
};

template <class T>
class LinePlan;
template <class T>
class RealLinePlan;

// A dimension's transform.
template <class T>
class Axis {
 public:
  // step: between elements of a line, in numbers (a complex one is two).
  Axis(Kind kind, int64_t n, int64_t in_step, int64_t out_step, std::vector<Across> across);
  ~Axis();
  void run(const T* in, T* out, bool inverse) const;

 private:
  void run_group(const T* in, T* out, bool inverse, int64_t group) const;
  void run_line(const T* in, T* out, bool inverse, int64_t line, bool parallel) const;
  void run_real_line(const T* in, T* out, bool parallel) const;
  void place(int64_t line, int64_t& in, int64_t& out) const;

  Kind kind_;
  int64_t n_, in_step_, out_step_, lines_ = 1;
  std::vector<Across> across_;  // the innermost last
  Shape shape_ = Shape::complex;
  Columns<T> columns_;         // where lines lie in lanes
  RealColumns<T> real_;        // instead, where they are real and of odd length
  std::vector<T> half_roots_;  // of even real lengths
  std::unique_ptr<LinePlan<T>> single_;
  std::unique_ptr<RealLinePlan<T>> real_single_;  // instead, where it can be
};

}  // namespace heddle::fft
