#include "exec/interp/matrix/tensor_row.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace heddle::exec::interp {

namespace {

// As std::trunc, of numbers below 2^51, on hosts without an instruction for it.
[[gnu::always_inline]] inline double cut(double value) {
  constexpr double big = 0x1.8p52;
  const double nearest = value + big - big;
  const double away = nearest - value;
  const double back = value < 0 ? (away < 0 ? 1.0 : 0.0) : (away > 0 ? -1.0 : 0.0);
  return nearest + back;
}

[[gnu::always_inline]] inline double two_to(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

// Loops over columns, of which compilers make vectors. `most` is at first the sums' own.
[[gnu::always_inline]] inline void row(std::span<const RowTerm> terms, int term_bits, int columns,
                                       double* __restrict sums, int* __restrict most) {
  constexpr int chunk = 64;
  for (int first = 0; first < columns; first += chunk) {
    const int count = std::min(chunk, columns - first);
    double* const sum = sums + first;
    int* const largest = most + first;
    for (const RowTerm& term : terms)
      for (int i = 0; i < count; ++i)
        largest[i] = std::max(largest[i], term.exponent + term.b_exponents[first + i]);
    double scale[chunk];
    for (int i = 0; i < count; ++i) {
      largest[i] = std::max(largest[i], -900);  // only zeros
      scale[i] = two_to(term_bits - largest[i]);
      sum[i] = cut(sum[i] * scale[i]) + 0.0;  // a zero is positive
    }
    for (const RowTerm& term : terms)
      for (int i = 0; i < count; ++i) sum[i] += cut(term.value * term.b[first + i] * scale[i]);
    for (int i = 0; i < count; ++i) sum[i] = (sum[i] + 0.0) * two_to(largest[i] - term_bits);
  }
}

using Row = void (*)(std::span<const RowTerm>, int, int, double*, int*);

void plain_row(std::span<const RowTerm> terms, int term_bits, int columns, double* sums, int* most) {
  row(terms, term_bits, columns, sums, most);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] void avx2_row(std::span<const RowTerm> terms, int term_bits, int columns,
                                      double* sums, int* most) {
  row(terms, term_bits, columns, sums, most);
}
[[gnu::target("avx512f,avx512dq,avx512vl")]] void avx512_row(std::span<const RowTerm> terms, int term_bits,
                                                             int columns, double* sums, int* most) {
  row(terms, term_bits, columns, sums, most);
}
#endif

Row find_row() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return avx512_row;
  if (__builtin_cpu_supports("avx2")) return avx2_row;
#endif
  return plain_row;
}

}  // namespace

void tensor_row(std::span<const RowTerm> terms, int term_bits, std::span<double> sums,
                std::span<int> exponents) {
  static const Row best = find_row();
  best(terms, term_bits, static_cast<int>(sums.size()), sums.data(), exponents.data());
}

}  // namespace heddle::exec::interp
