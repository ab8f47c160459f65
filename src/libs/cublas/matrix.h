// Matrices as LAPACK gets them.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace heddle::cublas {

// A copy of a matrix, with room behind it: kernels of OpenBLAS that walk along rows read behind the end of a
// matrix, where a device's memory may end too. It costs little beside what is done with it.
template <class N>
class Matrix {
 public:
  Matrix(const N* from, int64_t rows, int64_t columns, int64_t ld)
      : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(this->ld() * (columns + 8) + 64)) {
    if (from != nullptr)
      for (int64_t j = 0; j < columns; ++j) std::memcpy(at(j), from + j * ld, bytes());
  }
  N* data() { return values_.data(); }
  int ld() const { return static_cast<int>(rows_ > 1 ? rows_ : 1); }
  void put_back(N* to, int64_t ld) {
    for (int64_t j = 0; j < columns_; ++j) std::memcpy(to + j * ld, at(j), bytes());
  }

 private:
  N* at(int64_t j) { return values_.data() + j * ld(); }
  std::size_t bytes() const { return static_cast<std::size_t>(rows_) * sizeof(N); }
  const int64_t rows_, columns_;
  std::vector<N> values_;
};

}  // namespace heddle::cublas
