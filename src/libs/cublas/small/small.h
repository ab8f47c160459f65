// Products of small matrices, as batches are made of: a BLAS takes longer to begin one than it takes to
// multiply. One file for each level of hosts; which one runs is chosen once.
#pragma once

#include <complex>
#include <cstdint>

namespace heddle::cublas::small {

// Reals in a number.
template <class N>
struct Parts {
  using Real = N;
  static constexpr int64_t count = 1;
};
template <class R>
struct Parts<std::complex<R>> {
  using Real = R;
  static constexpr int64_t count = 2;
};

// Numbers of a matrix lie `one` and `next` apart: down a column of op(A) or op(B), and from column to column.
// Everything counts in reals, of which a complex number has two.
struct Steps {
  int64_t one = 0, next = 0;
  bool conjugated = false;
};

// C = alpha op(A) op(B) + beta C, C by columns. Where beta is 0, C is not read.
struct Shape {
  int64_t m = 0, n = 0, k = 0;
  Steps a, b;
  int64_t ldc = 0;
};

inline constexpr int64_t most = 32;  // of m, n and k: from there on nobody gains

template <class N>
using Product = void (*)(const Shape& s, N alpha, const N* a, const N* b, N beta, N* c);

// By how many reals of a column are multiplied at a time.
template <class N>
struct Codes {
  int64_t most = 0;  // of m, n and k
  Product<N> of_4 = nullptr, of_8 = nullptr, of_16 = nullptr;
  // The narrowest vectors that hold a column, or the widest.
  Product<N> of(int64_t reals) const { return reals <= 4 ? of_4 : reals <= 8 ? of_8 : of_16; }
};

struct Level {
  Codes<float> s;
  Codes<double> d;
  Codes<std::complex<float>> c;
  Codes<std::complex<double>> z;
};
extern const Level plain, avx2, avx512;

}  // namespace heddle::cublas::small
