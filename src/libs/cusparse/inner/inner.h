// The inner loops of sparse matrices by rows: one file for each level of hosts; which one runs is chosen
// once.
#pragma once

#include <complex>
#include <cstdint>

namespace heddle::cusparse::inner {

// y = alpha A x + beta y, of rows `first` to `last`.
template <class N, class I>
struct ByVector {
  const I* offsets = nullptr;
  const I* places = nullptr;
  const N* values = nullptr;
  I base = 0;
  const N* x = nullptr;
  N* y = nullptr;
  N alpha{}, beta{};
  int64_t first = 0, last = 0;
};

template <class N, class I>
struct Products {
  void (*plain)(const ByVector<N, I>&) = nullptr;
  void (*conjugated)(const ByVector<N, I>&) = nullptr;
};

template <class I>
struct Loops {
  // Offsets 0 to `rows` do not fall.
  bool (*rise)(const I* offsets, int64_t rows) = nullptr;
  // Every place is at least `base`, and less than `columns` above it.
  bool (*fit)(const I* places, int64_t count, int64_t base, int64_t columns) = nullptr;
  Products<int32_t, I> whole;
  Products<float, I> s;
  Products<double, I> d;
  Products<std::complex<float>, I> c;
  Products<std::complex<double>, I> z;

  template <class N>
  const Products<N, I>& of() const {
    if constexpr (std::is_same_v<N, int32_t>)
      return whole;
    else if constexpr (std::is_same_v<N, float>)
      return s;
    else if constexpr (std::is_same_v<N, double>)
      return d;
    else if constexpr (std::is_same_v<N, std::complex<float>>)
      return c;
    else
      return z;
  }
};

struct Level {
  Loops<int32_t> narrow;
  Loops<int64_t> wide;
  template <class I>
  const Loops<I>& of() const {
    if constexpr (sizeof(I) == 4)
      return narrow;
    else
      return wide;
  }
};
extern const Level plain, avx2, avx512;

const Level& of_host();

}  // namespace heddle::cusparse::inner
