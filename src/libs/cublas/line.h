// A vector without gaps. Kernels of OpenBLAS for increments other than 1 read behind a vector's end, where a
// device's memory may end too.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::cublas {

template <class N>
class Line {
 public:
  Line(const N* x, int64_t n, int64_t step) : x_(x), n_(n), step_(step) {
    if (step == 1) return;
    copy_.resize(static_cast<std::size_t>(n));
    for (int64_t i = 0; i < n; ++i) copy_[static_cast<std::size_t>(i)] = x[place(i)];
  }
  // Element i of n, counted as BLAS does: with a negative increment the first is the last in memory.
  const N* data() const { return step_ == 1 ? x_ : copy_.data(); }
  N* data() { return step_ == 1 ? const_cast<N*>(x_) : copy_.data(); }
  void put_back() {
    if (step_ != 1)
      for (int64_t i = 0; i < n_; ++i) const_cast<N*>(x_)[place(i)] = copy_[static_cast<std::size_t>(i)];
  }

 private:
  int64_t place(int64_t i) const { return (step_ >= 0 ? i : i - n_ + 1) * step_; }
  const N* const x_;
  const int64_t n_, step_;
  std::vector<N> copy_;
};

}  // namespace heddle::cublas
