// A transform of length n of many lines at once: line l is lane l of a vector, and every step does the same
// to all lanes. Stockham's order: each stage of radix r reads one buffer and writes the other, and the last
// one leaves the result in natural order. Only forward: the inverse swaps real and imaginary parts on its way
// in and out.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::fft {

// The largest prime whose butterfly is computed as it is defined, in r * r steps. Above, Bluestein's
// convolution is faster.
inline constexpr int largest_direct_prime = 61;
// The largest prime whose butterfly has code of its own.
inline constexpr int largest_own_prime = 13;

template <class T>
struct Chirp;

template <class T>
struct Stage {
  int64_t radix = 1, m = 1, s = 1;  // y[q + s (radix p + k)] = sum of x[q + s (p + m j)], p < m, q < s
  std::size_t twiddles = 0;         // of this stage in Columns::twiddles: [p][k - 1], re and im
  std::size_t direct = 0;           // of a radix without code of its own: the radix roots, re and im
  const Chirp<T>* chirp = nullptr;  // of one too large for that
};

template <class T>
struct Columns {
  int64_t n = 1;
  std::vector<Stage<T>> stages;
  std::vector<T> twiddles;
  std::vector<std::unique_ptr<Chirp<T>>> chirps;
  int64_t work = 0;  // vectors of complex numbers that chirps need beside the two buffers of n
};

// The same of real lines of odd length, at half the cost: what a stage takes and gives are the first halves
// of spectra, (m + 1) / 2 complex vectors for a length m. Backwards, from a spectrum, the stages run from the
// last to the first.
template <class T>
struct RealStage {
  // X[k + m q] = sum of w^(i (k + m q)) A_i[k], w = exp(-2 pi i / (radix m)). Element k of s spectra lies at
  // k s.
  int64_t radix = 1, m = 1, s = 1;
  std::size_t twiddles = 0;  // w^(i k) in RealColumns::twiddles: [k - 1][i - 1], re and im
};
template <class T>
struct RealColumns {
  int64_t n = 1;
  std::vector<RealStage<T>> stages;  // none: a length that has no such stages
  std::vector<T> twiddles;
};

// A transform of prime length r as a convolution of length `by.n` (Bluestein 1970): jk = (j^2 + k^2 - (k -
// j)^2) / 2.
template <class T>
struct Chirp {
  int64_t r = 1;
  Columns<T> by;
  std::vector<T> chirp;     // exp(-pi i j^2 / r), re and im
  std::vector<T> spectrum;  // of the conjugate chirp, over by.n
};

}  // namespace heddle::fft
