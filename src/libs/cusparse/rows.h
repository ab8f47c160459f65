// Matrices of the older functions, as descriptors of the generic interface have them.
#pragma once

#include "libs/cusparse/compressed.h"

namespace heddle::cusparse {

// Elements that the offsets' last one says. No rows: none.
inline int64_t count_of(Access& access, const int* offsets, int64_t rows, int base) {
  if (rows == 0) return 0;
  const int64_t count = int64_t{*access.read(offsets + rows, 1)} - base;
  if (count < 0) bad_index(offsets + rows, sizeof(int), "the last offset of a sparse matrix is negative");
  return count;
}

template <class T>
SparseMatrix csr_matrix(int64_t rows, int64_t columns, int64_t count, const T* values, const int* offsets,
                        const int* places, int base) {
  SparseMatrix m;
  m.rows = rows, m.columns = columns, m.count = count;
  m.offsets = const_cast<int*>(offsets), m.places = const_cast<int*>(places);
  m.values = const_cast<T*>(values);
  m.base = base, m.type = type_of<native_of<T>>();
  return m;
}
// Sizes in blocks.
template <class T>
SparseMatrix bsr_matrix(bool blocks_by_rows, int64_t rows, int64_t columns, int64_t count, int64_t block_rows,
                        int64_t block_columns, const T* values, const int* offsets, const int* places,
                        int base) {
  SparseMatrix m = csr_matrix(rows * block_rows, columns * block_columns, count * block_rows * block_columns,
                              values, offsets, places, base);
  m.format = CUSPARSE_FORMAT_BSR;
  m.block_rows = block_rows, m.block_columns = block_columns, m.blocks_by_rows = blocks_by_rows;
  return m;
}

// Where elements are, and nothing about their values.
class Pattern {
 public:
  Pattern(Access& access, int64_t rows, int64_t columns, const int* offsets, const int* places, int base)
      : offsets_{base} {
    view_ = {rows, columns, offsets_.data(), nullptr, nullptr, base};
    if (rows == 0) return;
    const int64_t count = count_of(access, offsets, rows, base);
    view_.offsets = access.read(offsets, static_cast<uint64_t>(rows) + 1);
    check_offsets(offsets, rows, base, count);
    view_.places = access.read(places, static_cast<uint64_t>(count));
    check_places(places, count, base, columns);
  }
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  const Csr<char, int>& rows() const { return view_; }

 private:
  const std::vector<int> offsets_;
  Csr<char, int> view_;
};

// Of what programs are told about workspaces, which are the host's own: a little, since some expect a
// pointer.
template <class Size>
void tell_workspace(Size* bytes) {
  if (bytes == nullptr) libs::refuse_null("the size of the buffer");
  *bytes = 1024;
}
// What a zero pivot's function answers, when all work before it is done.
void tell_pivot(const void* handle, const Pivots& found, int* position);

}  // namespace heddle::cusparse
