// A sparse matrix by rows, whatever format it has: what all arithmetic here works on.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <vector>

#include "libs/common/parallel.h"
#include "libs/cusparse/handle.h"
#include "libs/cusparse/inner/inner.h"
#include "libs/cusparse/values.h"

namespace heddle::cusparse {

// Elements p of row i: begin(i) <= p < end(i).
template <class N, class I>
struct Csr {
  int64_t rows = 0, columns = 0;
  const I* offsets = nullptr;
  const I* places = nullptr;
  const N* values = nullptr;
  I base = 0;
  int64_t begin(int64_t row) const { return static_cast<int64_t>(offsets[row]) - base; }
  int64_t end(int64_t row) const { return static_cast<int64_t>(offsets[row + 1]) - base; }
  int64_t count() const { return rows == 0 ? 0 : end(rows - 1); }
  int64_t column(int64_t p) const { return static_cast<int64_t>(places[p]) - base; }
};

// A kernel that followed such an index would leave the matrix's memory.
[[noreturn]] void bad_index(const void* place, std::size_t bytes, const char* words);

// Offsets that do not fall and stay within `count` elements.
template <class I>
void check_offsets(const I* offsets, int64_t rows, int64_t base, int64_t count) {
  if (offsets[0] == base && offsets[rows] - base <= count && inner::of_host().of<I>().rise(offsets, rows))
    return;
  int64_t last = base;
  for (int64_t i = 0; i <= rows; ++i) {
    const int64_t next = offsets[i];
    if (next < last || next - base > count || (i == 0 && next != base))
      bad_index(offsets + i, sizeof(I), "an offset of a sparse matrix falls, or leaves it");
    last = next;
  }
}
// Indices from 0 to `columns`: before the loops that use them.
template <class I>
bool places_fit(const I* places, int64_t count, int64_t base, int64_t columns) {
  return inner::of_host().of<I>().fit(places, count, base, columns);
}
template <class I>
void check_places(const I* places, int64_t count, int64_t base, int64_t columns) {
  if (places_fit(places, count, base, columns)) return;
  for (int64_t p = 0; p < count; ++p)
    if (places[p] < base || places[p] - base >= columns)
      bad_index(places + p, sizeof(I), "an index of a sparse matrix leaves it");
}

// Rows in pieces of about the same number of elements; `work(first, last)` returns whether all was well.
template <class N, class I, class Work>
void over_rows(const Csr<N, I>& a, int64_t cost, const Work& work) {
  const int64_t all = a.count() + a.rows;
  const int64_t pieces = std::clamp<int64_t>(all * cost / 32768, 1, int64_t{libs::parallel_threads()} * 8);
  std::atomic<bool> good{true};
  const auto first_of = [&](int64_t piece) {
    const int64_t share = piece * (all / pieces);
    int64_t low = 0, high = a.rows;
    while (low < high) {  // the first row at whose begin that much was done
      const int64_t middle = (low + high) / 2;
      if (a.begin(middle) + middle < share)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  libs::parallel(pieces, [&](int64_t piece) {
    const int64_t first = first_of(piece), last = piece + 1 == pieces ? a.rows : first_of(piece + 1);
    // About so many rows at a time that their indices are still in the cache when they are used after the
    // check.
    const int64_t count = first < last ? a.end(last - 1) - a.begin(first) : 0;
    const int64_t step = std::max<int64_t>(1, 2048 * (last - first) / (count + 1));
    for (int64_t i = first; i < last; i += step) {
      const int64_t begin = a.begin(i), to = std::min(last, i + step);
      if (!places_fit(a.places + begin, a.end(to - 1) - begin, a.base, a.columns)) {
        good = false;
        return;
      }
      work(i, to);
    }
  });
  if (!good) check_places(a.places, a.count(), a.base, a.columns);
}

// A matrix that owns what it is made of.
template <class N, class I>
struct Owned {
  std::vector<I> offsets, places;
  std::vector<N> values;
  Csr<N, I> view(int64_t rows, int64_t columns) const {
    return {rows, columns, offsets.data(), places.data(), values.data(), 0};
  }
};

// Rows become columns; `map(value)` is applied to each. Columns of a row stay in the order of rows.
template <class N, class I, class Map>
Owned<N, I> transposed(const Csr<N, I>& a, const Map& map) {
  check_places(a.places, a.count(), a.base, a.columns);
  Owned<N, I> t;
  const int64_t count = a.count();
  t.offsets.assign(static_cast<std::size_t>(a.columns + 1), 0);
  t.places.resize(static_cast<std::size_t>(count));
  t.values.resize(static_cast<std::size_t>(count));
  for (int64_t p = 0; p < count; ++p) ++t.offsets[static_cast<std::size_t>(a.column(p)) + 1];
  std::partial_sum(t.offsets.begin(), t.offsets.end(), t.offsets.begin());
  std::vector<I> next(t.offsets.begin(), t.offsets.end() - 1);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t p = a.begin(i); p < a.end(i); ++p) {
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(a.column(p))]++);
      t.places[to] = static_cast<I>(i);
      t.values[to] = map(a.values[p]);
    }
  return t;
}

// Any sparse matrix, as rows. What memory has in this form is not copied.
template <class N, class I>
class Compressed {
 public:
  Compressed(Access& access, const SparseMatrix& m, int batch = 0);
  const Csr<N, I>& rows() const { return view_; }
  // CSC: the rows are the matrix's columns.
  bool turned() const { return turned_; }
  // Each row's columns in order; a copy where they are not.
  void sort();
  // So that turned() is false.
  void turn();
  // For element p of rows(): its place among the values that memory has.
  const std::vector<int64_t>& sources() const { return sources_; }

 private:
  void take(Owned<N, I> owned, int64_t rows, int64_t columns);
  void coordinates(Access& access, const SparseMatrix& m, const void* rows);
  void blocks(Access& access, const SparseMatrix& m, const void* offsets);
  void blocked_ell(const SparseMatrix& m);
  void sliced_ell(Access& access, const SparseMatrix& m, const void* offsets);
  // Elements that lie somewhere, row by row: add_row() after those of each.
  void begin(int64_t rows, std::size_t expected);
  void add(int64_t column, int64_t source) {
    owned_.places.push_back(static_cast<I>(column));
    sources_.push_back(source);
  }
  void add_row() { owned_.offsets.push_back(static_cast<I>(owned_.places.size())); }
  void finish(int64_t rows, int64_t columns);

  Csr<N, I> view_;
  bool turned_ = false;
  std::unique_ptr<Indices<I>> offsets_, places_;
  std::unique_ptr<Values<N>> values_;
  Owned<N, I> owned_;
  std::vector<int64_t> sources_;
};

// Where the pieces of a batch begin.
SparseMatrix of_batch(SparseMatrix m, int batch);

}  // namespace heddle::cusparse
