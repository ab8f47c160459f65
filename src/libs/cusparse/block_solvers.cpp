// Triangular systems with matrices in blocks. They are solved element by element: the triangle of a block on
// the diagonal counts, as in the factors that bsrilu02 leaves.
#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/rows.h"
#include "libs/cusparse/triangle.h"

namespace heddle::cusparse {

void tell_pivot(const void* handle, const Pivots& found, int* position) {
  const Call call(handle);
  if (position == nullptr) libs::refuse_null("position");
  call.submit_and_wait("zeroPivot", [](Access&) {});
  const auto first = static_cast<int>(found.first());
  if (call.device_scalars())
    call.submit("zeroPivot", [=](Access& access) { *access.write(position, 1) = first; });
  else
    *position = first;
  if (first >= 0) libs::refuse_code(CUSPARSE_STATUS_ZERO_PIVOT, "a pivot is missing or zero");
}

namespace {

struct Shape {
  bool lower = true, unit = false;
};
Shape shape_of(const void* descriptor) {
  const auto d = description(descriptor);
  if (d->type != CUSPARSE_MATRIX_TYPE_GENERAL && d->type != CUSPARSE_MATRIX_TYPE_TRIANGULAR)
    libs::refuse_code(CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "the matrix is not a general one");
  return {d->fill == CUSPARSE_FILL_MODE_LOWER, d->diagonal == CUSPARSE_DIAG_TYPE_UNIT};
}

void check_sizes(int mb, int nnzb, int block) {
  size(mb, "mb is negative");
  size(nnzb, "nnzb is negative");
  require(block > 0, "the size of a block is not positive");
}

// Which row of blocks has no pivot, as the matrix counts; -1: none.
template <class N>
int64_t pivot_of(const Compressed<N, int>& a, int block, int base, bool values) {
  const int64_t row = missing_pivot(a.rows(), values);
  return row < 0 ? -1 : row / block + base;
}

template <class Kind, class T>
void analyse(const Call& call, const void* info, const SparseMatrix& m, const Shape& shape) {
  const auto kept = object<Kind>(info);
  call.submit("analysis", [=](Access& access) {
    const Compressed<native_of<T>, int> a(access, m);
    kept->structural = shape.unit ? -1 : pivot_of(a, static_cast<int>(m.block_rows), m.base, false);
    kept->numerical = -1;
  });
}

}  // namespace

void cusparseXbsrsv2_zeroPivot(cusparseHandle_t handle, bsrsv2Info_t info, int* position) {
  use(handle);
  tell_pivot(handle, *object<BsrVector>(info), position);
}
template <class T>
void bsrsv2_bufferSize(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,
                       int nnzb, const cusparseMatDescr_t descrA, T*, const int*, const int*, int blockDim,
                       bsrsv2Info_t info, int* pBufferSizeInBytes) {
  use(handle);
  by_rows(dirA), op_of(transA), shape_of(descrA), check_sizes(mb, nnzb, blockDim), object<BsrVector>(info);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void bsrsv2_bufferSizeExt(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,
                          int mb, int nnzb, const cusparseMatDescr_t descrA, T*, const int*, const int*,
                          int blockSize, bsrsv2Info_t info, size_t* pBufferSize) {
  use(handle);
  by_rows(dirA), op_of(transA), shape_of(descrA), check_sizes(mb, nnzb, blockSize), object<BsrVector>(info);
  tell_workspace(pBufferSize);
}
template <class T>
void bsrsv2_analysis(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,
                     int nnzb, const cusparseMatDescr_t descrA, const T* bsrSortedValA,
                     const int* bsrSortedRowPtrA, const int* bsrSortedColIndA, int blockDim,
                     bsrsv2Info_t info, cusparseSolvePolicy_t, void*) {
  const Call call(handle);
  op_of(transA), check_sizes(mb, nnzb, blockDim);
  analyse<BsrVector, T>(call, info,
                        bsr_matrix(by_rows(dirA), mb, mb, nnzb, blockDim, blockDim, bsrSortedValA,
                                   bsrSortedRowPtrA, bsrSortedColIndA, base_of(descrA)),
                        shape_of(descrA));
}
template <class T>
void bsrsv2_solve(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb,
                  int nnzb, const T* alpha, const cusparseMatDescr_t descrA, const T* bsrSortedValA,
                  const int* bsrSortedRowPtrA, const int* bsrSortedColIndA, int blockDim, bsrsv2Info_t info,
                  const T* f, T* x, cusparseSolvePolicy_t, void*) {
  using N = native_of<T>;
  const Call call(handle);
  const char op = op_of(transA);
  check_sizes(mb, nnzb, blockDim);
  const Shape shape = shape_of(descrA);
  const auto kept = object<BsrVector>(info);
  const auto factor = call.scalar(alpha, "alpha");
  const SparseMatrix m = bsr_matrix(by_rows(dirA), mb, mb, nnzb, blockDim, blockDim, bsrSortedValA,
                                    bsrSortedRowPtrA, bsrSortedColIndA, base_of(descrA));
  call.submit("bsrsv2_solve", [=](Access& access) {
    const Compressed<N, int> a(access, m);
    const N scale = factor.get(access);
    const N* const from = access.read(native(f), static_cast<uint64_t>(m.rows));
    N* const to = access.write(native(x), static_cast<uint64_t>(m.rows));
    if (!shape.unit) kept->numerical = pivot_of(a, blockDim, m.base, true);
    for (int64_t i = 0; i < m.rows; ++i) to[i] = times(scale, from[i]);
    Triangle<N, int>(a.rows(), shape.lower, shape.unit, op).solve(to, 1);
  });
}

void cusparseXbsrsm2_zeroPivot(cusparseHandle_t handle, bsrsm2Info_t info, int* position) {
  use(handle);
  tell_pivot(handle, *object<BsrMatrix>(info), position);
}
template <class T>
void bsrsm2_bufferSize(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,
                       cusparseOperation_t transXY, int mb, int n, int nnzb, const cusparseMatDescr_t descrA,
                       T*, const int*, const int*, int blockSize, bsrsm2Info_t info,
                       int* pBufferSizeInBytes) {
  use(handle);
  by_rows(dirA), op_of(transA), op_of(transXY), shape_of(descrA), check_sizes(mb, nnzb, blockSize);
  size(n, "n is negative");
  object<BsrMatrix>(info);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void bsrsm2_bufferSizeExt(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,
                          cusparseOperation_t transB, int mb, int n, int nnzb,
                          const cusparseMatDescr_t descrA, T*, const int*, const int*, int blockSize,
                          bsrsm2Info_t info, size_t* pBufferSize) {
  use(handle);
  by_rows(dirA), op_of(transA), op_of(transB), shape_of(descrA), check_sizes(mb, nnzb, blockSize);
  size(n, "n is negative");
  object<BsrMatrix>(info);
  tell_workspace(pBufferSize);
}
template <class T>
void bsrsm2_analysis(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,
                     cusparseOperation_t transXY, int mb, int n, int nnzb, const cusparseMatDescr_t descrA,
                     const T* bsrSortedVal, const int* bsrSortedRowPtr, const int* bsrSortedColInd,
                     int blockSize, bsrsm2Info_t info, cusparseSolvePolicy_t, void*) {
  const Call call(handle);
  op_of(transA), op_of(transXY), check_sizes(mb, nnzb, blockSize);
  size(n, "n is negative");
  analyse<BsrMatrix, T>(call, info,
                        bsr_matrix(by_rows(dirA), mb, mb, nnzb, blockSize, blockSize, bsrSortedVal,
                                   bsrSortedRowPtr, bsrSortedColInd, base_of(descrA)),
                        shape_of(descrA));
}
template <class T>
void bsrsm2_solve(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,
                  cusparseOperation_t transXY, int mb, int n, int nnzb, const T* alpha,
                  const cusparseMatDescr_t descrA, const T* bsrSortedVal, const int* bsrSortedRowPtr,
                  const int* bsrSortedColInd, int blockSize, bsrsm2Info_t info, const T* B, int ldb, T* X,
                  int ldx, cusparseSolvePolicy_t, void*) {
  using N = native_of<T>;
  const Call call(handle);
  const char op = op_of(transA), sides = op_of(transXY);
  check_sizes(mb, nnzb, blockSize);
  size(n, "n is negative");
  const Shape shape = shape_of(descrA);
  const auto kept = object<BsrMatrix>(info);
  const auto factor = call.scalar(alpha, "alpha");
  const SparseMatrix m = bsr_matrix(by_rows(dirA), mb, mb, nnzb, blockSize, blockSize, bsrSortedVal,
                                    bsrSortedRowPtr, bsrSortedColInd, base_of(descrA));
  const int64_t lines = sides == 'N' ? m.rows : n, columns = sides == 'N' ? n : m.rows;
  require(ldb >= std::max<int64_t>(lines, 1) && ldx >= std::max<int64_t>(lines, 1),
          "a leading dimension is less than the number of rows");
  call.submit("bsrsm2_solve", [=](Access& access) {
    const Compressed<N, int> a(access, m);
    const N scale = factor.get(access);
    const N* const from = access.read(native(B), lines, columns, ldb);
    N* const to = access.write(native(X), lines, columns, ldx);
    if (!shape.unit) kept->numerical = pivot_of(a, blockSize, m.base, true);
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t i = 0; i < lines; ++i) to[i + j * ldx] = times(scale, from[i + j * ldb]);
    const Triangle<N, int> triangle(a.rows(), shape.lower, shape.unit, op);
    libs::parallel(
        n, [&](int64_t j) { triangle.solve(to + (sides == 'N' ? j * ldx : j), sides == 'N' ? 1 : ldx); });
  });
}

}  // namespace heddle::cusparse

#include "libs/cusparse/block_solvers.gen.h"
