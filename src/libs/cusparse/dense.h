// Elements of a dense matrix, however it lies.
#pragma once

#include <cstdint>

#include "libs/cusparse/descriptors.h"

namespace heddle::cusparse {

template <class N>
struct Lines {
  N* first;
  int64_t row_step, column_step;
  N& at(int64_t row, int64_t column) const { return first[row * row_step + column * column_step]; }
};
// `turned`: rows for columns.
template <class N>
Lines<N> lines_of(N* first, const DenseMatrix& m, bool turned) {
  return m.by_rows != turned ? Lines<N>{first, m.ld, 1} : Lines<N>{first, 1, m.ld};
}

}  // namespace heddle::cusparse
