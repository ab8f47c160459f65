// The loops of one level: HEDDLE_INNER_LEVEL.
#include <type_traits>

#include "libs/cusparse/inner/inner.h"

namespace heddle::cusparse::inner {
namespace {

template <class I>
bool rise(const I* offsets, int64_t rows) {
  bool falls = false;
  for (int64_t i = 0; i < rows; ++i) falls |= offsets[i + 1] < offsets[i];
  return !falls;
}

// Without branches: what lies below `base` becomes a large number.
template <class I>
bool fit(const I* places, int64_t count, int64_t base, int64_t columns) {
  using U = std::make_unsigned_t<I>;
  U most = 0;
  for (int64_t p = 0; p < count; ++p) {
    const U place = static_cast<U>(places[p]) - static_cast<U>(base);
    most = place > most ? place : most;
  }
  return count == 0 || static_cast<uint64_t>(most) < static_cast<uint64_t>(columns);
}

template <class N>
inline constexpr bool is_complex = !std::is_arithmetic_v<N>;

// Without the care for infinities that std::complex takes.
template <class N>
[[gnu::always_inline]] inline N times(const N& a, const N& b) {
  if constexpr (is_complex<N>)
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  else
    return a * b;
}
template <class N>
[[gnu::always_inline]] inline void add_product(N& sum, const N& a, const N& b) {
#ifdef __FMA__
  if constexpr (std::is_floating_point_v<N>) {
    sum = __builtin_elementwise_fma(a, b, sum);
    return;
  }
#endif
  sum += times(a, b);
}

// A row after the other. Short rows overlap by themselves; in long ones four sums need not wait for each
// other.
template <class N, class I, bool conjugated, bool keeps>
void rows_by_vector(const ByVector<N, I>& job) {
  const I* const places = job.places;
  const N* const values = job.values;
  const N* const x = job.x - job.base;
  const N alpha = job.alpha, beta = job.beta;
  const auto value = [&](int64_t p) __attribute__((always_inline)) {
    if constexpr (conjugated && is_complex<N>)
      return N{values[p].real(), -values[p].imag()};
    else
      return values[p];
  };
  int64_t p = static_cast<int64_t>(job.offsets[job.first]) - job.base;
  for (int64_t i = job.first; i < job.last; ++i) {
    const int64_t end = static_cast<int64_t>(job.offsets[i + 1]) - job.base;
    N sum{};
    if (end - p >= 16) {
      N sums[4] = {};
      for (; p + 4 <= end; p += 4)
        for (int k = 0; k < 4; ++k) add_product(sums[k], value(p + k), x[places[p + k]]);
      sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
    for (; p < end; ++p) add_product(sum, value(p), x[places[p]]);
    const N scaled = times(alpha, sum);
    job.y[i] = keeps ? scaled + times(beta, job.y[i]) : scaled;
  }
}
template <class N, class I, bool conjugated>
void by_vector(const ByVector<N, I>& job) {
  if (job.beta == N(0)) return rows_by_vector<N, I, conjugated, false>(job);  // y is not read
  rows_by_vector<N, I, conjugated, true>(job);
}

template <class N, class I>
consteval Products<N, I> products() {
  return {by_vector<N, I, false>, by_vector<N, I, true>};
}
template <class I>
consteval Loops<I> loops() {
  return {rise<I>,
          fit<I>,
          products<int32_t, I>(),
          products<float, I>(),
          products<double, I>(),
          products<std::complex<float>, I>(),
          products<std::complex<double>, I>()};
}

}  // namespace

const Level HEDDLE_INNER_LEVEL = {loops<int32_t>(), loops<int64_t>()};

}  // namespace heddle::cusparse::inner
