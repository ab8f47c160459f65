// Conversions between rows of elements and rows of blocks.
#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/rows.h"

namespace heddle::cusparse {
namespace {

struct Blocks {
  int64_t rows, columns;  // of one
  bool by_rows;
  int64_t elements() const { return rows * columns; }
  int64_t at(int64_t i, int64_t j) const { return by_rows ? i * columns + j : i + j * rows; }
};
Blocks blocks_of(cusparseDirection_t direction, int rows, int columns) {
  require(rows > 0 && columns > 0, "the size of a block is not positive");
  return {rows, columns, by_rows(direction)};
}
int64_t whole(int64_t size, int64_t block) { return (size + block - 1) / block; }

void check_sizes(int m, int n) {
  size(m, "the number of rows is negative");
  size(n, "the number of columns is negative");
}

// The blocks that rows of elements touch: visit(row of blocks, its columns of blocks in order).
template <class Rows, class Visit>
void over_blocks(const Rows& rows, const Blocks& blocks, const Visit& visit) {
  std::vector<int64_t> touched;
  for (int64_t r = 0; r < whole(rows.rows, blocks.rows); ++r) {
    touched.clear();
    for (int64_t i = r * blocks.rows; i < std::min(rows.rows, (r + 1) * blocks.rows); ++i)
      for (int64_t p = rows.begin(i); p < rows.end(i); ++p)
        touched.push_back(rows.column(p) / blocks.columns);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    visit(r, touched);
  }
}

template <class Rows>
int count_blocks(Access& access, const Rows& rows, const Blocks& blocks, int* offsets, int base) {
  access.write(offsets, static_cast<uint64_t>(whole(rows.rows, blocks.rows)) + 1);
  int64_t count = 0;
  offsets[0] = base;
  over_blocks(rows, blocks, [&](int64_t r, const std::vector<int64_t>& touched) {
    count += static_cast<int64_t>(touched.size());
    offsets[r + 1] = static_cast<int>(count) + base;
  });
  return static_cast<int>(count);
}

// Elements into the blocks whose offsets are there; what no element fills is zero.
template <class N>
void fill_blocks(Access& access, const Csr<N, int>& rows, const Blocks& blocks, N* values, const int* offsets,
                 int* places, int base) {
  check_places(rows.places, rows.count(), rows.base, rows.columns);
  const int64_t lines = whole(rows.rows, blocks.rows), count = count_of(access, offsets, lines, base);
  if (lines == 0) return;
  access.read(offsets, static_cast<uint64_t>(lines) + 1);
  check_offsets(offsets, lines, base, count);
  access.write(places, static_cast<uint64_t>(count));
  access.write(values, static_cast<uint64_t>(count * blocks.elements()));
  std::fill_n(values, count * blocks.elements(), N(0));
  over_blocks(rows, blocks, [&](int64_t r, const std::vector<int64_t>& touched) {
    const int64_t first = offsets[r] - base;
    if (static_cast<int64_t>(touched.size()) != offsets[r + 1] - offsets[r])
      refuse(Why::execution_failed, "the offsets are not those of this matrix");
    for (std::size_t k = 0; k < touched.size(); ++k)
      places[first + static_cast<int64_t>(k)] = static_cast<int>(touched[k]) + base;
    for (int64_t i = r * blocks.rows; i < std::min(rows.rows, (r + 1) * blocks.rows); ++i)
      for (int64_t p = rows.begin(i); p < rows.end(i); ++p) {
        const int64_t column = rows.column(p);
        const int64_t k =
            std::lower_bound(touched.begin(), touched.end(), column / blocks.columns) - touched.begin();
        values[(first + k) * blocks.elements() + blocks.at(i % blocks.rows, column % blocks.columns)] =
            rows.values[p];
      }
  });
}

// Blocks as rows of elements; all elements of a block are there.
template <class N>
void spread(Access& access, const SparseMatrix& m, N* values, int* offsets, int* places, int base) {
  const Compressed<N, int> from(access, m);
  const auto& rows = from.rows();
  access.write(offsets, static_cast<uint64_t>(rows.rows) + 1);
  access.write(places, static_cast<uint64_t>(rows.count()));
  if (values != nullptr) access.write(values, static_cast<uint64_t>(rows.count()));
  for (int64_t i = 0; i <= rows.rows; ++i) offsets[i] = static_cast<int>(rows.offsets[i]) - rows.base + base;
  for (int64_t p = 0; p < rows.count(); ++p) {
    places[p] = static_cast<int>(rows.column(p)) + base;
    if (values != nullptr) values[p] = rows.values[p];
  }
}

// Rows of elements that all blocks have, without values.
struct SpreadPattern {
  SpreadPattern(Access& access, const Blocks& blocks, int mb, int nb, const int* block_offsets,
                const int* block_places, int base) {
    const Pattern pattern(access, mb, nb, block_offsets, block_places, base);
    const auto& rows = pattern.rows();
    offsets.push_back(0);
    for (int64_t r = 0; r < mb; ++r)
      for (int64_t i = 0; i < blocks.rows; ++i) {
        for (int64_t p = rows.begin(r); p < rows.end(r); ++p)
          for (int64_t j = 0; j < blocks.columns; ++j)
            places.push_back(static_cast<int>(rows.column(p) * blocks.columns + j));
        offsets.push_back(static_cast<int>(places.size()));
      }
    view = {mb * blocks.rows, nb * blocks.columns, offsets.data(), places.data(), nullptr, 0};
  }
  std::vector<int> offsets, places;
  Csr<char, int> view;
};

}  // namespace

// ---- square blocks

void cusparseXcsr2bsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                         const cusparseMatDescr_t descrA, const int* csrSortedRowPtrA,
                         const int* csrSortedColIndA, int blockDim, const cusparseMatDescr_t descrC,
                         int* bsrSortedRowPtrC, int* nnzTotalDevHostPtr) {
  const Call call(handle);
  check_sizes(m, n);
  general(descrA), general(descrC);
  const Blocks blocks = blocks_of(dirA, blockDim, blockDim);
  const int from = base_of(descrA), to = base_of(descrC);
  call.give("csr2bsrNnz", nnzTotalDevHostPtr, [=](Access& access) {
    const Pattern a(access, m, n, csrSortedRowPtrA, csrSortedColIndA, from);
    return count_blocks(access, a.rows(), blocks, bsrSortedRowPtrC, to);
  });
}

namespace {

template <class T>
void to_blocks(const Call& call, const char* name, const Blocks& blocks, int m, int n, const void* descr_a,
               const T* values, const int* offsets, const int* places, const void* descr_c, T* block_values,
               const int* block_offsets, int* block_places) {
  using N = native_of<T>;
  check_sizes(m, n);
  general(descr_a), general(descr_c);
  const int from = base_of(descr_a), to = base_of(descr_c);
  call.submit(name, [=](Access& access) {
    const int64_t count = count_of(access, offsets, m, from);
    const Compressed<N, int> a(access, csr_matrix(m, n, count, values, offsets, places, from));
    fill_blocks(access, a.rows(), blocks, native(block_values), block_offsets, block_places, to);
  });
}
template <class T>
void from_blocks(const Call& call, const char* name, const Blocks& blocks, int mb, int nb,
                 const void* descr_a, const T* values, const int* offsets, const int* places,
                 const void* descr_c, T* row_values, int* row_offsets, int* row_places) {
  using N = native_of<T>;
  check_sizes(mb, nb);
  general(descr_a), general(descr_c);
  const int from = base_of(descr_a), to = base_of(descr_c);
  call.submit(name, [=](Access& access) {
    const int64_t count = count_of(access, offsets, mb, from);
    spread<N>(
        access,
        bsr_matrix(blocks.by_rows, mb, nb, count, blocks.rows, blocks.columns, values, offsets, places, from),
        native(row_values), row_offsets, row_places, to);
  });
}

}  // namespace

template <class T>
void csr2bsr(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n, const cusparseMatDescr_t descrA,
             const T* csrSortedValA, const int* csrSortedRowPtrA, const int* csrSortedColIndA, int blockDim,
             const cusparseMatDescr_t descrC, T* bsrSortedValC, int* bsrSortedRowPtrC,
             int* bsrSortedColIndC) {
  const Call call(handle);
  to_blocks(call, "csr2bsr", blocks_of(dirA, blockDim, blockDim), m, n, descrA, csrSortedValA,
            csrSortedRowPtrA, csrSortedColIndA, descrC, bsrSortedValC, bsrSortedRowPtrC, bsrSortedColIndC);
}
template <class T>
void bsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,
             const cusparseMatDescr_t descrA, const T* bsrSortedValA, const int* bsrSortedRowPtrA,
             const int* bsrSortedColIndA, int blockDim, const cusparseMatDescr_t descrC, T* csrSortedValC,
             int* csrSortedRowPtrC, int* csrSortedColIndC) {
  const Call call(handle);
  from_blocks(call, "bsr2csr", blocks_of(dirA, blockDim, blockDim), mb, nb, descrA, bsrSortedValA,
              bsrSortedRowPtrA, bsrSortedColIndA, descrC, csrSortedValC, csrSortedRowPtrC, csrSortedColIndC);
}

// ---- blocks of any shape

template <class T>
void gebsr2gebsc_bufferSize(cusparseHandle_t handle, int mb, int nb, int nnzb, const T*, const int*,
                            const int*, int rowBlockDim, int colBlockDim, int* pBufferSizeInBytes) {
  use(handle);
  check_sizes(mb, nb), size(nnzb, "nnzb is negative"),
      blocks_of(CUSPARSE_DIRECTION_ROW, rowBlockDim, colBlockDim);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void gebsr2gebsc_bufferSizeExt(cusparseHandle_t handle, int mb, int nb, int nnzb, const T*, const int*,
                               const int*, int rowBlockDim, int colBlockDim, size_t* pBufferSize) {
  use(handle);
  check_sizes(mb, nb), size(nnzb, "nnzb is negative"),
      blocks_of(CUSPARSE_DIRECTION_ROW, rowBlockDim, colBlockDim);
  tell_workspace(pBufferSize);
}
// Blocks change places and stay as they are inside.
template <class T>
void gebsr2gebsc(cusparseHandle_t handle, int mb, int nb, int nnzb, const T* bsrSortedVal,
                 const int* bsrSortedRowPtr, const int* bsrSortedColInd, int rowBlockDim, int colBlockDim,
                 T* bscVal, int* bscRowInd, int* bscColPtr, cusparseAction_t copyValues,
                 cusparseIndexBase_t idxBase, void*) {
  using N = native_of<T>;
  const Call call(handle);
  check_sizes(mb, nb);
  size(nnzb, "nnzb is negative");
  const int64_t elements = blocks_of(CUSPARSE_DIRECTION_ROW, rowBlockDim, colBlockDim).elements();
  const int base = base_of(idxBase);
  const bool with_values = copyValues == CUSPARSE_ACTION_NUMERIC;
  call.submit("gebsr2gebsc", [=](Access& access) {
    const Pattern a(access, mb, nb, bsrSortedRowPtr, bsrSortedColInd, base);
    const auto& rows = a.rows();
    std::vector<int64_t> order(static_cast<std::size_t>(rows.count()));
    std::iota(order.begin(), order.end(), 0);
    Csr<int64_t, int> numbered{rows.rows, rows.columns, rows.offsets, rows.places, order.data(), rows.base};
    const auto turned = transposed(numbered, [](int64_t p) { return p; });
    access.write(bscColPtr, static_cast<uint64_t>(nb) + 1);
    access.write(bscRowInd, order.size());
    for (std::size_t j = 0; j < turned.offsets.size(); ++j) bscColPtr[j] = turned.offsets[j] + base;
    for (std::size_t p = 0; p < turned.places.size(); ++p) bscRowInd[p] = turned.places[p] + base;
    if (!with_values) return;
    const N* const from = access.read(native(bsrSortedVal), order.size() * static_cast<uint64_t>(elements));
    N* const to = access.write(native(bscVal), order.size() * static_cast<uint64_t>(elements));
    for (std::size_t p = 0; p < turned.values.size(); ++p)
      std::copy_n(from + turned.values[p] * elements, elements, to + static_cast<int64_t>(p) * elements);
  });
}

void cusparseXgebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,
                        const cusparseMatDescr_t descrA, const int* bsrSortedRowPtrA,
                        const int* bsrSortedColIndA, int rowBlockDim, int colBlockDim,
                        const cusparseMatDescr_t descrC, int* csrSortedRowPtrC, int* csrSortedColIndC) {
  const Call call(handle);
  check_sizes(mb, nb);
  general(descrA), general(descrC);
  const Blocks blocks = blocks_of(dirA, rowBlockDim, colBlockDim);
  const int from = base_of(descrA), to = base_of(descrC);
  call.submit("gebsr2csr", [=](Access& access) {
    const SpreadPattern rows(access, blocks, mb, nb, bsrSortedRowPtrA, bsrSortedColIndA, from);
    int* const offsets = access.write(csrSortedRowPtrC, rows.offsets.size());
    int* const places = access.write(csrSortedColIndC, rows.places.size());
    for (std::size_t i = 0; i < rows.offsets.size(); ++i) offsets[i] = rows.offsets[i] + to;
    for (std::size_t p = 0; p < rows.places.size(); ++p) places[p] = rows.places[p] + to;
  });
}
template <class T>
void gebsr2csr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb,
               const cusparseMatDescr_t descrA, const T* bsrSortedValA, const int* bsrSortedRowPtrA,
               const int* bsrSortedColIndA, int rowBlockDim, int colBlockDim, const cusparseMatDescr_t descrC,
               T* csrSortedValC, int* csrSortedRowPtrC, int* csrSortedColIndC) {
  const Call call(handle);
  from_blocks(call, "gebsr2csr", blocks_of(dirA, rowBlockDim, colBlockDim), mb, nb, descrA, bsrSortedValA,
              bsrSortedRowPtrA, bsrSortedColIndA, descrC, csrSortedValC, csrSortedRowPtrC, csrSortedColIndC);
}
template <class T>
void csr2gebsr_bufferSize(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                          const cusparseMatDescr_t descrA, const T*, const int*, const int*, int rowBlockDim,
                          int colBlockDim, int* pBufferSizeInBytes) {
  use(handle);
  check_sizes(m, n), general(descrA), blocks_of(dirA, rowBlockDim, colBlockDim);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void csr2gebsr_bufferSizeExt(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                             const cusparseMatDescr_t descrA, const T*, const int*, const int*,
                             int rowBlockDim, int colBlockDim, size_t* pBufferSize) {
  use(handle);
  check_sizes(m, n), general(descrA), blocks_of(dirA, rowBlockDim, colBlockDim);
  tell_workspace(pBufferSize);
}
void cusparseXcsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
                           const cusparseMatDescr_t descrA, const int* csrSortedRowPtrA,
                           const int* csrSortedColIndA, const cusparseMatDescr_t descrC,
                           int* bsrSortedRowPtrC, int rowBlockDim, int colBlockDim, int* nnzTotalDevHostPtr,
                           void*) {
  const Call call(handle);
  check_sizes(m, n);
  general(descrA), general(descrC);
  const Blocks blocks = blocks_of(dirA, rowBlockDim, colBlockDim);
  const int from = base_of(descrA), to = base_of(descrC);
  call.give("csr2gebsrNnz", nnzTotalDevHostPtr, [=](Access& access) {
    const Pattern a(access, m, n, csrSortedRowPtrA, csrSortedColIndA, from);
    return count_blocks(access, a.rows(), blocks, bsrSortedRowPtrC, to);
  });
}
template <class T>
void csr2gebsr(cusparseHandle_t handle, cusparseDirection_t dirA, int m, int n,
               const cusparseMatDescr_t descrA, const T* csrSortedValA, const int* csrSortedRowPtrA,
               const int* csrSortedColIndA, const cusparseMatDescr_t descrC, T* bsrSortedValC,
               int* bsrSortedRowPtrC, int* bsrSortedColIndC, int rowBlockDim, int colBlockDim, void*) {
  const Call call(handle);
  to_blocks(call, "csr2gebsr", blocks_of(dirA, rowBlockDim, colBlockDim), m, n, descrA, csrSortedValA,
            csrSortedRowPtrA, csrSortedColIndA, descrC, bsrSortedValC, bsrSortedRowPtrC, bsrSortedColIndC);
}

namespace {

void check_both(const void* descriptor, cusparseDirection_t direction, int mb, int nb, int nnzb, int ra,
                int ca, int rc, int cc) {
  check_sizes(mb, nb);
  size(nnzb, "nnzb is negative");
  general(descriptor);
  blocks_of(direction, ra, ca), blocks_of(direction, rc, cc);
}

}  // namespace

template <class T>
void gebsr2gebsr_bufferSize(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,
                            const cusparseMatDescr_t descrA, const T*, const int*, const int*,
                            int rowBlockDimA, int colBlockDimA, int rowBlockDimC, int colBlockDimC,
                            int* pBufferSizeInBytes) {
  use(handle);
  check_both(descrA, dirA, mb, nb, nnzb, rowBlockDimA, colBlockDimA, rowBlockDimC, colBlockDimC);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void gebsr2gebsr_bufferSizeExt(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,
                               const cusparseMatDescr_t descrA, const T*, const int*, const int*,
                               int rowBlockDimA, int colBlockDimA, int rowBlockDimC, int colBlockDimC,
                               size_t* pBufferSize) {
  use(handle);
  check_both(descrA, dirA, mb, nb, nnzb, rowBlockDimA, colBlockDimA, rowBlockDimC, colBlockDimC);
  tell_workspace(pBufferSize);
}
void cusparseXgebsr2gebsrNnz(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,
                             const cusparseMatDescr_t descrA, const int* bsrSortedRowPtrA,
                             const int* bsrSortedColIndA, int rowBlockDimA, int colBlockDimA,
                             const cusparseMatDescr_t descrC, int* bsrSortedRowPtrC, int rowBlockDimC,
                             int colBlockDimC, int* nnzTotalDevHostPtr, void*) {
  const Call call(handle);
  check_both(descrA, dirA, mb, nb, nnzb, rowBlockDimA, colBlockDimA, rowBlockDimC, colBlockDimC);
  general(descrC);
  const Blocks blocks_a = blocks_of(dirA, rowBlockDimA, colBlockDimA),
               blocks_c = blocks_of(dirA, rowBlockDimC, colBlockDimC);
  const int from = base_of(descrA), to = base_of(descrC);
  call.give("gebsr2gebsrNnz", nnzTotalDevHostPtr, [=](Access& access) {
    const SpreadPattern rows(access, blocks_a, mb, nb, bsrSortedRowPtrA, bsrSortedColIndA, from);
    return count_blocks(access, rows.view, blocks_c, bsrSortedRowPtrC, to);
  });
}
template <class T>
void gebsr2gebsr(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nb, int nnzb,
                 const cusparseMatDescr_t descrA, const T* bsrSortedValA, const int* bsrSortedRowPtrA,
                 const int* bsrSortedColIndA, int rowBlockDimA, int colBlockDimA,
                 const cusparseMatDescr_t descrC, T* bsrSortedValC, int* bsrSortedRowPtrC,
                 int* bsrSortedColIndC, int rowBlockDimC, int colBlockDimC, void*) {
  using N = native_of<T>;
  const Call call(handle);
  check_both(descrA, dirA, mb, nb, nnzb, rowBlockDimA, colBlockDimA, rowBlockDimC, colBlockDimC);
  general(descrC);
  const Blocks blocks_c = blocks_of(dirA, rowBlockDimC, colBlockDimC);
  const SparseMatrix m = bsr_matrix(by_rows(dirA), mb, nb, nnzb, rowBlockDimA, colBlockDimA, bsrSortedValA,
                                    bsrSortedRowPtrA, bsrSortedColIndA, base_of(descrA));
  const int to = base_of(descrC);
  call.submit("gebsr2gebsr", [=](Access& access) {
    const Compressed<N, int> a(access, m);
    fill_blocks(access, a.rows(), blocks_c, native(bsrSortedValC), bsrSortedRowPtrC, bsrSortedColIndC, to);
  });
}

}  // namespace heddle::cusparse

#include "libs/cusparse/block_conversions.gen.h"
