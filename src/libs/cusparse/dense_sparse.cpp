// Dense matrices to sparse ones and back.
#include "libs/cusparse/compressed.h"
#include "libs/cusparse/dense.h"
#include "libs/cusparse/functions.gen.h"

namespace heddle::cusparse {
namespace {

void match(const SparseMatrix& a, const DenseMatrix& b) {
  require(a.rows == b.rows && a.columns == b.columns, "the matrices have different sizes");
  require(a.type == b.type, "the matrices have different types");
}
// Elements are only moved and compared with zero, which widening leaves as they are.
template <class Body>
void with_elements(cudaDataType type, const Body& body) {
  with_sums(type == CUDA_R_8I ? CUDA_R_32F : type, body);
}

}  // namespace

void cusparseSparseToDense_bufferSize(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA,
                                      cusparseDnMatDescr_t matB, cusparseSparseToDenseAlg_t,
                                      size_t* bufferSize) {
  use_generic(handle);
  match(sparse_matrix(matA), dense_matrix(matB));
  *bufferSize = 8;
}
void cusparseSparseToDense(cusparseHandle_t handle, cusparseConstSpMatDescr_t matA, cusparseDnMatDescr_t matB,
                           cusparseSparseToDenseAlg_t, void* externalBuffer) {
  given("externalBuffer is NULL", externalBuffer);
  const Call call = Call::generic(handle);
  const SparseMatrix a = sparse_matrix(matA);
  const DenseMatrix b = dense_matrix(matB);
  match(a, b);
  with_elements(a.type, [&]<class N>() {
    call.submit("cusparseSparseToDense", [=](Access& access) {
      with_index(a.place_index, [&]<class I>() {
        const Compressed<N, I> sparse(access, a);
        Results<N> to(access, b.values, b.extent(), b.type);
        const auto lines = lines_of(to.data(), b, false);
        for (int64_t j = 0; j < b.columns; ++j)
          for (int64_t i = 0; i < b.rows; ++i) lines.at(i, j) = N(0);
        const auto& rows = sparse.rows();
        check_places(rows.places, rows.count(), rows.base, rows.columns);
        for (int64_t i = 0; i < rows.rows; ++i)
          for (int64_t p = rows.begin(i); p < rows.end(i); ++p)
            (sparse.turned() ? lines.at(rows.column(p), i) : lines.at(i, rows.column(p))) = rows.values[p];
        to.store();
      });
    });
  });
}

namespace {

// The elements of a dense matrix that are not zero, by rows or by columns: visit(line, place in it, value).
template <class N, class Visit>
void over_elements(const Lines<const N>& b, int64_t rows, int64_t columns, bool by_columns,
                   const Visit& visit) {
  const int64_t lines = by_columns ? columns : rows, length = by_columns ? rows : columns;
  for (int64_t i = 0; i < lines; ++i)
    for (int64_t j = 0; j < length; ++j) {
      const N value = by_columns ? b.at(j, i) : b.at(i, j);
      if (value != N(0)) visit(i, j, value);
    }
}
// Blocks with an element that is not zero, row by row: visit(row, column) in blocks.
template <class N, class Visit>
void over_blocks(const Lines<const N>& b, const SparseMatrix& m, const Visit& visit) {
  for (int64_t r = 0; r < m.rows / m.block_rows; ++r)
    for (int64_t c = 0; c < m.columns / m.block_columns; ++c) {
      bool any = false;
      for (int64_t i = 0; !any && i < m.block_rows; ++i)
        for (int64_t j = 0; !any && j < m.block_columns; ++j)
          any = b.at(r * m.block_rows + i, c * m.block_columns + j) != N(0);
      if (any) visit(r, c);
    }
}

template <class N>
void convert(Access& access, const DenseMatrix& b, const SparseMatrix& m) {
  const Values<N> from(access, b.values, b.extent(), b.type);
  const auto lines = lines_of(from.data(), b, false);
  const int64_t block = m.block_rows * m.block_columns;
  const bool in_blocks = m.format == CUSPARSE_FORMAT_BSR;
  int64_t next = 0;
  const auto room = [&] {
    if (next >= m.count / block)
      refuse(Why::execution_failed, "the matrix has more elements than its analysis");
  };
  if (m.format == CUSPARSE_FORMAT_BLOCKED_ELL) {  // the program says which blocks there are
    const int64_t in_row = m.width / m.block_columns;
    const Indices<int64_t> places(access, m.places, (m.rows / m.block_rows) * in_row, m.place_index);
    Results<N> to(access, m.values, m.count, m.type);
    for (int64_t i = 0; i < m.rows; ++i)
      for (int64_t k = 0; k < in_row; ++k) {
        const int64_t* const place = places.data() + (i / m.block_rows) * in_row + k;
        if (*place != -1) check_places(place, 1, m.base, m.columns / m.block_columns);
        for (int64_t j = 0; j < m.block_columns; ++j)
          to.data()[i * m.width + k * m.block_columns + j] =
              *place == -1 ? N(0) : lines.at(i, (*place - m.base) * m.block_columns + j);
      }
    return to.store();
  }
  const bool by_columns = m.format == CUSPARSE_FORMAT_CSC;
  const int64_t compressed_lines = by_columns ? m.columns : m.rows / m.block_rows;
  access.write_bytes(m.places, static_cast<uint64_t>(m.count / block), bytes_of(m.place_index));
  access.write_bytes(m.offsets,
                     static_cast<uint64_t>(m.format == CUSPARSE_FORMAT_COO ? m.count : compressed_lines + 1),
                     bytes_of(m.offset_index));
  Results<N> to(access, m.values, m.count, m.type);
  std::vector<int64_t> ends(static_cast<std::size_t>(compressed_lines));
  if (in_blocks) {
    over_blocks(lines, m, [&](int64_t r, int64_t c) {
      room();
      store_index(m.places, next, m.place_index, c + m.base);
      for (int64_t i = 0; i < m.block_rows; ++i)
        for (int64_t j = 0; j < m.block_columns; ++j)
          to.data()[next * block + (m.blocks_by_rows ? i * m.block_columns + j : i + j * m.block_rows)] =
              lines.at(r * m.block_rows + i, c * m.block_columns + j);
      ends[static_cast<std::size_t>(r)] = ++next;
    });
  } else {
    over_elements(lines, m.rows, m.columns, by_columns, [&](int64_t line, int64_t place, const N& value) {
      room();
      store_index(m.places, next, m.place_index, place + m.base);
      if (m.format == CUSPARSE_FORMAT_COO) store_index(m.offsets, next, m.offset_index, line + m.base);
      to.data()[next] = value;
      ends[static_cast<std::size_t>(line)] = ++next;
    });
  }
  if (m.format != CUSPARSE_FORMAT_COO) {
    store_index(m.offsets, 0, m.offset_index, m.base);
    int64_t end = 0;
    for (int64_t i = 0; i < compressed_lines; ++i) {
      end = std::max(end, ends[static_cast<std::size_t>(i)]);
      store_index(m.offsets, i + 1, m.offset_index, end + m.base);
    }
  }
  to.store();
}

void check(const DenseMatrix& a, const SparseMatrix& b) {
  match(b, a);
  if (b.format == CUSPARSE_FORMAT_SLICED_ELLPACK) refuse(Why::not_supported, "to sliced ELL");
}

}  // namespace

void cusparseDenseToSparse_bufferSize(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                      cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t,
                                      size_t* bufferSize) {
  use_generic(handle);
  check(dense_matrix(matA), sparse_matrix(matB));
  *bufferSize = 8;
}
void cusparseDenseToSparse_analysis(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                    cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t,
                                    void* externalBuffer) {
  given("externalBuffer is NULL", externalBuffer);
  const Call call = Call::generic(handle);
  const DenseMatrix a = dense_matrix(matA);
  const auto b = sparse_matrix_to_set(matB);
  check(a, *b);
  if (b->format == CUSPARSE_FORMAT_BLOCKED_ELL) return;
  int64_t count = 0;  // for the host: the program allocates by it
  with_elements(a.type, [&]<class N>() {
    call.submit_and_wait("cusparseDenseToSparse_analysis", [a, m = *b, out = &count](Access& access) {
      const Values<N> from(access, a.values, a.extent(), a.type);
      const auto lines = lines_of(from.data(), a, false);
      if (m.format == CUSPARSE_FORMAT_BSR)
        over_blocks(lines, m, [&](int64_t, int64_t) { *out += m.block_rows * m.block_columns; });
      else
        over_elements(lines, a.rows, a.columns, false, [&](int64_t, int64_t, const N&) { ++*out; });
    });
  });
  b->count = count;
}
void cusparseDenseToSparse_convert(cusparseHandle_t handle, cusparseConstDnMatDescr_t matA,
                                   cusparseSpMatDescr_t matB, cusparseDenseToSparseAlg_t,
                                   void* externalBuffer) {
  given("externalBuffer is NULL", externalBuffer);
  const Call call = Call::generic(handle);
  const DenseMatrix a = dense_matrix(matA);
  const SparseMatrix b = sparse_matrix(matB);
  check(a, b);
  with_elements(a.type, [&]<class N>() {
    call.submit("cusparseDenseToSparse_convert", [=](Access& access) { convert<N>(access, a, b); });
  });
}

}  // namespace heddle::cusparse
