// A triangle of a sparse matrix, and systems with it.
#pragma once

#include "libs/cusparse/compressed.h"

namespace heddle::cusparse {

// op(A) x = b, where A is the lower or upper triangle of `a`; what lies outside it is not there. Rows of
// op(A) one after the other.
template <class N, class I>
class Triangle {
 public:
  Triangle(const Csr<N, I>& a, bool lower, bool unit, char op)
      : lower_(op == 'N' ? lower : !lower), unit_(unit), rows_(a) {
    if (op == 'N') {
      check_places(a.places, a.count(), a.base, a.columns);
      return;
    }
    turned_ = transposed(a, [op](const N& value) { return op == 'C' ? conjugate(value) : value; });
    rows_ = turned_.view(a.columns, a.rows);
  }
  Triangle(const Triangle&) = delete;
  Triangle& operator=(const Triangle&) = delete;

  // x is b before.
  void solve(N* x, int64_t step) const {
    for (int64_t k = 0; k < rows_.rows; ++k) {
      const int64_t i = lower_ ? k : rows_.rows - 1 - k;
      N sum = x[i * step], diagonal{};
      for (int64_t p = rows_.begin(i); p < rows_.end(i); ++p) {
        const int64_t j = rows_.column(p);
        if (j == i)
          diagonal += rows_.values[p];
        else if (lower_ ? j < i : j > i)
          sum -= times(rows_.values[p], x[j * step]);
      }
      x[i * step] = unit_ ? sum : sum / diagonal;
    }
  }

 private:
  const bool lower_, unit_;
  Csr<N, I> rows_;
  Owned<N, I> turned_;
};

// The first row without an element on its diagonal, or with a zero there; -1: there is none.
template <class N, class I>
int64_t missing_pivot(const Csr<N, I>& a, bool look_at_values) {
  for (int64_t i = 0; i < a.rows; ++i) {
    bool found = false;
    for (int64_t p = a.begin(i); !found && p < a.end(i); ++p)
      found = a.column(p) == i && (!look_at_values || a.values[p] != N(0));
    if (!found) return i;
  }
  return -1;
}

}  // namespace heddle::cusparse
