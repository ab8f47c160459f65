// What each level of hosts gives: the transforms over its vectors.
#pragma once

#include <cstdint>

#include "libs/fft/columns.h"

namespace heddle::fft {

inline constexpr int most_lanes = 16;

// Where the lines of a group lie: element j of lane l is at base[offset[l] + j * step], its imaginary part
// `imaginary` behind it. All in numbers, not in complex ones. imaginary = 0: there is none.
struct Lines {
  int64_t offset[most_lanes];
  int64_t step = 0, imaginary = 0;
  int count = 0;  // lanes that are lines; the others repeat the first
};

// What a group of lines goes through.
enum class Shape : uint8_t {
  complex,
  real_to_complex_even,  // length 2n from n complex numbers
  complex_to_real_even,
  real_to_complex_odd,
  complex_to_real_odd,
};

template <class T>
struct GroupJob {
  const Columns<T>* columns;
  const T* half_roots = nullptr;  // exp(-2 pi i k / 2n), of the even real shapes
  const T* in;
  T* out;
  Lines from, to;
  Shape shape = Shape::complex;
  bool inverse = false;
  T* scratch;  // 2 * (n + 1) + columns->work complex vectors
  const RealColumns<T>* real_columns =
      nullptr;  // of the odd real shapes, instead of columns where it is there
};

// One line of n = n1 * n2 numbers, in two steps over columns (Bailey 1990).
template <class T>
struct LineJob {
  const Columns<T>*first, *second;  // of n1 and n2
  const T* lane_roots;              // [k1]: w^(k1 * lane), a vector re, a vector im
  const T* block_roots;             // [block][k1]: w^(k1 * block * lanes), re and im
  const T* in;                      // interleaved, contiguous
  T* out;
  T* between;  // blocks * rounded(n1) complex vectors
  bool inverse = false;
};

// One real line of odd length n1 * n2, or back: rows are the first n1 / 2 + 1 ones.
template <class T>
struct RealLineJob {
  const Columns<T>*first, *second;    // of n1 and n2
  const T *lane_roots, *block_roots;  // forward as LineJob's; back of rows' blocks: [j2], [block][j2]
  const T* in;                        // contiguous
  T* out;
  T* between;
};

template <class T>
struct Codes {
  int lanes = 0;
  void (*group)(const GroupJob<T>&) = nullptr;
  void (*step1)(const LineJob<T>&, int64_t block, T* scratch) = nullptr;  // one block of columns
  void (*step2)(const LineJob<T>&, int64_t block, T* scratch) = nullptr;  // one block of rows
  // Forward a pair of blocks of columns, then a block of rows; [1]: back, a block of rows, then a pair.
  void (*real_step1[2])(const RealLineJob<T>&, int64_t block, T* scratch) = {};
  void (*real_step2[2])(const RealLineJob<T>&, int64_t block, T* scratch) = {};
  // The same transform of `lanes` vectors already split: result where it returns.
  T* (*columns)(const Columns<T>&, T* x, T* y, T* work) = nullptr;
};

namespace plain {
void codes(Codes<float>&, Codes<double>&);
}
namespace avx2 {
void codes(Codes<float>&, Codes<double>&);
}
namespace avx512 {
void codes(Codes<float>&, Codes<double>&);
}

}  // namespace heddle::fft
