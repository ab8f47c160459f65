// Products of the older interface: matrices in blocks, and a dense one by a sparse vector.
#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/products.h"
#include "libs/cusparse/rows.h"

namespace heddle::cusparse {

template <class T>
void gemvi_bufferSize(cusparseHandle_t handle, cusparseOperation_t transA, int m, int n, int nnz,
                      int* pBufferSize) {
  use(handle);
  op_of(transA);
  size(m, "m is negative");
  size(n, "n is negative");
  size(nnz, "nnz is negative");
  tell_workspace(pBufferSize);
}
template <class T>
void gemvi(cusparseHandle_t handle, cusparseOperation_t transA, int m, int n, const T* alpha, const T* A,
           int lda, int nnz, const T* xVal, const int* xInd, const T* beta, T* y, cusparseIndexBase_t idxBase,
           void*) {
  using N = native_of<T>;
  const Call call(handle);
  const char op = op_of(transA);
  size(m, "m is negative");
  size(n, "n is negative");
  size(nnz, "nnz is negative");
  require(lda >= std::max(m, 1), "lda is less than m");
  const int base = base_of(idxBase);
  const auto first = call.scalar(alpha, "alpha"), second = call.scalar(beta, "beta");
  const int64_t length = op == 'N' ? m : n, places = op == 'N' ? n : m;
  call.submit("gemvi", [=](Access& access) {
    const Scales<N> s{first.get(access), second.get(access)};
    const N* const a = access.read(native(A), m, n, lda);
    const N* const x = access.read(native(xVal), static_cast<uint64_t>(nnz));
    const int* const at = access.read(xInd, static_cast<uint64_t>(nnz));
    check_places(at, nnz, base, places);
    N* const to = access.write(native(y), static_cast<uint64_t>(length));
    for (int64_t i = 0; i < length; ++i) {
      N sum{};
      for (int p = 0; p < nnz; ++p) {
        const int64_t k = at[p] - base;
        const N value = op == 'N' ? a[i + k * lda] : a[k + i * lda];
        sum += times(op == 'C' ? conjugate(value) : value, x[p]);
      }
      to[i] = combined(s, sum, to[i]);
    }
  });
}

template <class T>
void bsrmv(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int mb, int nb,
           int nnzb, const T* alpha, const cusparseMatDescr_t descrA, const T* bsrSortedValA,
           const int* bsrSortedRowPtrA, const int* bsrSortedColIndA, int blockDim, const T* x, const T* beta,
           T* y) {
  using N = native_of<T>;
  const Call call(handle);
  const char op = op_of(transA);
  general(descrA);
  size(mb, "mb is negative");
  size(nb, "nb is negative");
  size(nnzb, "nnzb is negative");
  require(blockDim > 0, "blockDim is not positive");
  const auto first = call.scalar(alpha, "alpha"), second = call.scalar(beta, "beta");
  const SparseMatrix m = bsr_matrix(by_rows(dirA), mb, nb, nnzb, blockDim, blockDim, bsrSortedValA,
                                    bsrSortedRowPtrA, bsrSortedColIndA, base_of(descrA));
  call.submit("bsrmv", [=](Access& access) {
    const Scales<N> s{first.get(access), second.get(access)};
    const Compressed<N, int> a(access, m);
    const N* const from = access.read(native(x), static_cast<uint64_t>(op == 'N' ? m.columns : m.rows));
    N* const to = access.write(native(y), static_cast<uint64_t>(op == 'N' ? m.rows : m.columns));
    if (op == 'N')
      by_rows_of<N, int, false>(a.rows(), from, to, s);
    else
      by_columns_of(a.rows(), op == 'C', from, to, s);
  });
}

// Rows of blocks that a mask names; each has a begin and an end.
template <class T>
void bsrxmv(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA, int sizeOfMask,
            int mb, int nb, int nnzb, const T* alpha, const cusparseMatDescr_t descrA, const T* bsrSortedValA,
            const int* bsrSortedMaskPtrA, const int* bsrSortedRowPtrA, const int* bsrSortedEndPtrA,
            const int* bsrSortedColIndA, int blockDim, const T* x, const T* beta, T* y) {
  using N = native_of<T>;
  const Call call(handle);
  if (op_of(transA) != 'N') refuse(Why::not_supported, "a transposed matrix");
  general(descrA);
  size(sizeOfMask, "sizeOfMask is negative");
  size(mb, "mb is negative");
  size(nb, "nb is negative");
  size(nnzb, "nnzb is negative");
  require(sizeOfMask <= mb, "sizeOfMask is more than mb");
  require(blockDim > 1, "blockDim is less than 2");
  const bool rows_first = by_rows(dirA);
  const int base = base_of(descrA);
  const auto first = call.scalar(alpha, "alpha"), second = call.scalar(beta, "beta");
  call.submit("bsrxmv", [=](Access& access) {
    const Scales<N> s{first.get(access), second.get(access)};
    const int64_t d = blockDim;
    const int* const mask = access.read(bsrSortedMaskPtrA, static_cast<uint64_t>(sizeOfMask));
    check_places(mask, sizeOfMask, base, mb);
    const int* const begins = access.read(bsrSortedRowPtrA, static_cast<uint64_t>(mb));
    const int* const ends = access.read(bsrSortedEndPtrA, static_cast<uint64_t>(mb));
    const int* const places = access.read(bsrSortedColIndA, static_cast<uint64_t>(nnzb));
    const N* const a = access.read(native(bsrSortedValA), static_cast<uint64_t>(nnzb * d * d));
    const N* const from = access.read(native(x), static_cast<uint64_t>(nb * d));
    N* const to = access.write(native(y), static_cast<uint64_t>(mb * d));
    for (int k = 0; k < sizeOfMask; ++k) {
      const int64_t row = mask[k] - base, begin = begins[row] - base, end = ends[row] - base;
      if (begin < 0 || end > nnzb) bad_index(begins + row, sizeof(int), "an offset leaves the matrix");
      for (int64_t i = 0; i < d; ++i) {
        N sum{};
        for (int64_t p = begin; p < end; ++p) {
          check_places(places + p, 1, base, nb);
          for (int64_t j = 0; j < d; ++j)
            sum +=
                times(a[p * d * d + (rows_first ? i * d + j : i + j * d)], from[(places[p] - base) * d + j]);
        }
        N& result = to[row * d + i];
        result = combined(s, sum, result);
      }
    }
  });
}

template <class T>
void bsrmm(cusparseHandle_t handle, cusparseDirection_t dirA, cusparseOperation_t transA,
           cusparseOperation_t transB, int mb, int n, int kb, int nnzb, const T* alpha,
           const cusparseMatDescr_t descrA, const T* bsrSortedValA, const int* bsrSortedRowPtrA,
           const int* bsrSortedColIndA, const int blockSize, const T* B, const int ldb, const T* beta, T* C,
           int ldc) {
  using N = native_of<T>;
  const Call call(handle);
  if (op_of(transA) != 'N') refuse(Why::not_supported, "a transposed sparse matrix");
  const char opb = op_of(transB);
  general(descrA);
  size(mb, "mb is negative");
  size(n, "n is negative");
  size(kb, "kb is negative");
  size(nnzb, "nnzb is negative");
  require(blockSize > 0, "blockSize is not positive");
  const int64_t rows = int64_t{mb} * blockSize, depth = int64_t{kb} * blockSize;
  require(ldb >= std::max<int64_t>(opb == 'N' ? depth : n, 1), "ldb is less than the rows of B");
  require(ldc >= std::max<int64_t>(rows, 1), "ldc is less than the rows of C");
  const auto first = call.scalar(alpha, "alpha"), second = call.scalar(beta, "beta");
  const SparseMatrix m = bsr_matrix(by_rows(dirA), mb, kb, nnzb, blockSize, blockSize, bsrSortedValA,
                                    bsrSortedRowPtrA, bsrSortedColIndA, base_of(descrA));
  call.submit("bsrmm", [=](Access& access) {
    const Scales<N> s{first.get(access), second.get(access)};
    const Compressed<N, int> a(access, m);
    const N* const b = access.read(native(B), opb == 'N' ? depth : n, opb == 'N' ? n : depth, ldb);
    N* const c = access.write(native(C), rows, n, ldc);
    const Lines<const N> right = opb == 'N' ? Lines<const N>{b, 1, ldb} : Lines<const N>{b, ldb, 1};
    multiply(a.rows(), false, right, opb == 'C', Lines<N>{c, 1, ldc}, n, s);
  });
}

}  // namespace heddle::cusparse

#include "libs/cusparse/block_products.gen.h"
