// Rows of a sparse matrix by dense vectors and matrices.
#pragma once

#include "libs/cusparse/compressed.h"
#include "libs/cusparse/dense.h"

namespace heddle::cusparse {

template <class N>
struct Scales {
  N alpha, beta;
};

template <class N>
N combined(const Scales<N>& s, const N& sum, const N& old) {
  const N scaled = times(s.alpha, sum);
  return s.beta == N(0) ? scaled : scaled + times(s.beta, old);
}

// y = alpha A x + beta y.
template <class N, class I, bool conjugated>
void by_rows_of(const Csr<N, I>& a, const N* x, N* y, const Scales<N>& s) {
  const inner::Products<N, I>& loops = inner::of_host().of<I>().template of<N>();
  const auto product = conjugated ? loops.conjugated : loops.plain;
  over_rows(a, 1, [&](int64_t first, int64_t last) {
    product({a.offsets, a.places, a.values, a.base, x, y, s.alpha, s.beta, first, last});
  });
}

// y = alpha A^T x + beta y: each row of A is added to y.
template <class N, class I>
void by_columns_of(const Csr<N, I>& a, bool conjugated, const N* x, N* y, const Scales<N>& s) {
  check_places(a.places, a.count(), a.base, a.columns);
  for (int64_t j = 0; j < a.columns; ++j) y[j] = s.beta == N(0) ? N(0) : times(s.beta, y[j]);
  N* const to = y - a.base;
  for (int64_t i = 0; i < a.rows; ++i) {
    const N factor = times(s.alpha, x[i]);
    for (int64_t p = a.begin(i); p < a.end(i); ++p)
      to[a.places[p]] += times(conjugated ? conjugate(a.values[p]) : a.values[p], factor);
  }
}

// C = alpha A B + beta C, of which B and C may lie in any way; 16 columns of C at a time.
template <class N, class I>
void multiply(const Csr<N, I>& a, bool conjugated, const Lines<const N>& b, bool b_conjugated,
              const Lines<N>& c, int64_t columns, const Scales<N>& s) {
  constexpr int64_t width = 16;
  over_rows(a, columns, [&](int64_t first, int64_t last) {
    for (int64_t i = first; i < last; ++i)
      for (int64_t j = 0; j < columns; j += width) {
        const int64_t now = std::min(width, columns - j);
        N sum[width] = {};
        for (int64_t p = a.begin(i); p < a.end(i); ++p) {
          const N value = conjugated ? conjugate(a.values[p]) : a.values[p];
          const N* const row = &b.at(a.column(p), j);
          if (b_conjugated)
            for (int64_t k = 0; k < now; ++k) sum[k] += times(value, conjugate(row[k * b.column_step]));
          else if (b.column_step == 1 && now == width)
            for (int64_t k = 0; k < width; ++k) sum[k] += times(value, row[k]);
          else
            for (int64_t k = 0; k < now; ++k) sum[k] += times(value, row[k * b.column_step]);
        }
        for (int64_t k = 0; k < now; ++k) c.at(i, j + k) = combined(s, sum[k], c.at(i, j + k));
      }
  });
}

}  // namespace heddle::cusparse
