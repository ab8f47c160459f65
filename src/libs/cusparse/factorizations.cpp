// Incomplete factorisations: the factors have the matrix's own pattern. Blocks are factored element by
// element, which is the same, since a block has all its elements.
#include <cmath>

#include "libs/cusparse/functions.gen.h"
#include "libs/cusparse/rows.h"
#include "libs/cusparse/triangle.h"

namespace heddle::cusparse {
namespace {

// A matrix whose rows are in order, and its values, to be changed.
template <class N>
struct Factored {
  Factored(Access& access, const SparseMatrix& m) : matrix(access, m), memory(static_cast<N*>(m.values)) {
    access.write(memory, static_cast<uint64_t>(m.count));
    matrix.sort();
    const auto& rows = matrix.rows();
    values.assign(rows.values, rows.values + rows.count());
    diagonal.assign(static_cast<std::size_t>(rows.rows), -1);
    for (int64_t i = 0; i < rows.rows; ++i)
      for (int64_t p = rows.begin(i); p < rows.end(i); ++p)
        if (rows.column(p) == i) diagonal[static_cast<std::size_t>(i)] = p;
  }
  void store() {
    const auto& from = matrix.sources();
    for (std::size_t p = 0; p < values.size(); ++p)
      memory[from.empty() ? static_cast<int64_t>(p) : from[p]] = values[p];
  }
  N pivot(int64_t row) const {
    const int64_t p = diagonal[static_cast<std::size_t>(row)];
    return p < 0 ? N(0) : values[static_cast<std::size_t>(p)];
  }
  Compressed<N, int> matrix;
  N* memory;
  std::vector<N> values;
  std::vector<int64_t> diagonal;
};

// Places of a row's elements by their columns, one row at a time.
class Places {
 public:
  explicit Places(int64_t columns) : at_(static_cast<std::size_t>(columns), -1) {}
  template <class Rows>
  void enter(const Rows& rows, int64_t row) {
    for (int64_t p = rows.begin(row); p < rows.end(row); ++p)
      at_[static_cast<std::size_t>(rows.column(p))] = p;
  }
  template <class Rows>
  void leave(const Rows& rows, int64_t row) {
    for (int64_t p = rows.begin(row); p < rows.end(row); ++p)
      at_[static_cast<std::size_t>(rows.column(p))] = -1;
  }
  int64_t of(int64_t column) const { return at_[static_cast<std::size_t>(column)]; }

 private:
  std::vector<int64_t> at_;
};

template <class N>
N number(double real, [[maybe_unused]] double imaginary) {
  if constexpr (requires(N n) { n.imag(); })
    return {static_cast<typename N::value_type>(real), static_cast<typename N::value_type>(imaginary)};
  else
    return static_cast<N>(real);
}

// L has ones on its diagonal, U is the rest. The first row whose pivot is zero, or -1.
template <class N>
int64_t factor_lu(Factored<N>& f, const Pivots& how) {
  const auto& rows = f.matrix.rows();
  Places places(rows.columns);
  int64_t zero = -1;
  for (int64_t i = 0; i < rows.rows; ++i) {
    places.enter(rows, i);
    for (int64_t p = rows.begin(i); p < rows.end(i); ++p) {
      const int64_t k = rows.column(p);
      if (k >= i) break;
      N& factor = f.values[static_cast<std::size_t>(p)];
      factor /= f.pivot(k);
      for (int64_t q = rows.end(k) - 1; q >= rows.begin(k) && rows.column(q) > k; --q) {
        const int64_t to = places.of(rows.column(q));
        if (to >= 0)
          f.values[static_cast<std::size_t>(to)] -= times(factor, f.values[static_cast<std::size_t>(q)]);
      }
    }
    places.leave(rows, i);
    const int64_t at = f.diagonal[static_cast<std::size_t>(i)];
    if (at >= 0 && how.boosted && std::abs(f.values[static_cast<std::size_t>(at)]) <= how.tolerance)
      f.values[static_cast<std::size_t>(at)] = number<N>(how.real, how.imaginary);
    if (zero < 0 && at >= 0 && f.pivot(i) == N(0)) zero = i;
  }
  return zero;
}

// L of L L^H, in the lower triangle; the rest stays. The first row whose pivot is not positive, or -1.
template <class N>
int64_t factor_cholesky(Factored<N>& f) {
  const auto& rows = f.matrix.rows();
  Places places(rows.columns);
  int64_t bad = -1;
  for (int64_t i = 0; i < rows.rows; ++i) {
    places.enter(rows, i);
    for (int64_t p = rows.begin(i); p < rows.end(i) && rows.column(p) <= i; ++p) {
      const int64_t k = rows.column(p);
      N sum = f.values[static_cast<std::size_t>(p)];
      for (int64_t q = rows.begin(k); q < rows.end(k) && rows.column(q) < k; ++q) {
        const int64_t other = places.of(rows.column(q));
        if (other >= 0)
          sum -= times(f.values[static_cast<std::size_t>(other)],
                       conjugate(f.values[static_cast<std::size_t>(q)]));
      }
      if (k < i) {
        f.values[static_cast<std::size_t>(p)] = sum / f.pivot(k);
        continue;
      }
      if (bad < 0 && !(std::real(sum) > 0)) bad = i;
      f.values[static_cast<std::size_t>(p)] = N(std::sqrt(std::real(sum)));
    }
    places.leave(rows, i);
  }
  return bad;
}

void check_csr(const void* descriptor, int m, int nnz) {
  general(descriptor);
  size(m, "m is negative");
  size(nnz, "nnz is negative");
}
void check_bsr(const void* descriptor, int mb, int nnzb, int block) {
  general(descriptor);
  size(mb, "mb is negative");
  size(nnzb, "nnzb is negative");
  require(block > 0, "the size of a block is not positive");
}

template <class Kind, class T>
void analyse(const Call& call, const void* info, const SparseMatrix& m) {
  const auto kept = object<Kind>(info);
  call.submit("analysis", [=](Access& access) {
    const Compressed<native_of<T>, int> a(access, m);
    check_places(a.rows().places, a.rows().count(), a.rows().base, a.rows().columns);
    const int64_t row = missing_pivot(a.rows(), false);
    kept->structural = row < 0 ? -1 : row / m.block_rows + m.base;
    kept->numerical = -1;
  });
}
template <class Kind, class T>
void factor(const Call& call, const void* info, const SparseMatrix& m, bool cholesky) {
  const auto kept = object<Kind>(info);
  call.submit(cholesky ? "ic02" : "ilu02", [=](Access& access) {
    Factored<native_of<T>> f(access, m);
    const int64_t row = cholesky ? factor_cholesky(f) : factor_lu(f, *kept);
    f.store();
    kept->numerical = row < 0 ? -1 : row / m.block_rows + m.base;
  });
}

template <class Kind, class T>
void boost(const void* handle, const void* info, int enable, const double* tol, const T* value) {
  const Call call(handle);
  const auto kept = object<Kind>(info);
  if (enable == 0) {
    kept->boosted = false;
    return;
  }
  const auto tolerance = call.scalar(tol, "tol");
  const auto number = call.scalar(value, "boost_val");
  const auto set = [=](Access& access) {
    kept->tolerance = tolerance.get(access);
    const auto found = number.get(access);
    kept->real = static_cast<double>(std::real(found));
    kept->imaginary = static_cast<double>(std::imag(found));
    kept->boosted = true;
  };
  call.submit("numericBoost", set);
}

}  // namespace

// ---- LU by rows

void cusparseXcsrilu02_zeroPivot(cusparseHandle_t handle, csrilu02Info_t info, int* position) {
  use(handle);
  tell_pivot(handle, *object<CsrIlu>(info), position);
}
template <class T>
void csrilu02_numericBoost(cusparseHandle_t handle, csrilu02Info_t info, int enable_boost, double* tol,
                           T* boost_val) {
  boost<CsrIlu>(handle, info, enable_boost, tol, boost_val);
}
template <class T>
void csrilu02_bufferSize(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T*,
                         const int*, const int*, csrilu02Info_t info, int* pBufferSizeInBytes) {
  use(handle);
  check_csr(descrA, m, nnz);
  object<CsrIlu>(info);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void csrilu02_bufferSizeExt(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T*,
                            const int*, const int*, csrilu02Info_t info, size_t* pBufferSize) {
  use(handle);
  check_csr(descrA, m, nnz);
  object<CsrIlu>(info);
  tell_workspace(pBufferSize);
}
template <class T>
void csrilu02_analysis(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                       const T* csrSortedValA, const int* csrSortedRowPtrA, const int* csrSortedColIndA,
                       csrilu02Info_t info, cusparseSolvePolicy_t, void*) {
  const Call call(handle);
  check_csr(descrA, m, nnz);
  analyse<CsrIlu, T>(
      call, info, csr_matrix(m, m, nnz, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, base_of(descrA)));
}
template <class T>
void csrilu02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T* csrSortedValA_valM,
              const int* csrSortedRowPtrA, const int* csrSortedColIndA, csrilu02Info_t info,
              cusparseSolvePolicy_t, void*) {
  const Call call(handle);
  check_csr(descrA, m, nnz);
  factor<CsrIlu, T>(
      call, info,
      csr_matrix(m, m, nnz, csrSortedValA_valM, csrSortedRowPtrA, csrSortedColIndA, base_of(descrA)), false);
}

// ---- LU by blocks

void cusparseXbsrilu02_zeroPivot(cusparseHandle_t handle, bsrilu02Info_t info, int* position) {
  use(handle);
  tell_pivot(handle, *object<BsrIlu>(info), position);
}
template <class T>
void bsrilu02_numericBoost(cusparseHandle_t handle, bsrilu02Info_t info, int enable_boost, double* tol,
                           T* boost_val) {
  boost<BsrIlu>(handle, info, enable_boost, tol, boost_val);
}
template <class T>
void bsrilu02_bufferSize(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,
                         const cusparseMatDescr_t descrA, T*, const int*, const int*, int blockDim,
                         bsrilu02Info_t info, int* pBufferSizeInBytes) {
  use(handle);
  by_rows(dirA), check_bsr(descrA, mb, nnzb, blockDim), object<BsrIlu>(info);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void bsrilu02_bufferSizeExt(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,
                            const cusparseMatDescr_t descrA, T*, const int*, const int*, int blockSize,
                            bsrilu02Info_t info, size_t* pBufferSize) {
  use(handle);
  by_rows(dirA), check_bsr(descrA, mb, nnzb, blockSize), object<BsrIlu>(info);
  tell_workspace(pBufferSize);
}
template <class T>
void bsrilu02_analysis(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,
                       const cusparseMatDescr_t descrA, T* bsrSortedVal, const int* bsrSortedRowPtr,
                       const int* bsrSortedColInd, int blockDim, bsrilu02Info_t info, cusparseSolvePolicy_t,
                       void*) {
  const Call call(handle);
  check_bsr(descrA, mb, nnzb, blockDim);
  analyse<BsrIlu, T>(call, info,
                     bsr_matrix(by_rows(dirA), mb, mb, nnzb, blockDim, blockDim, bsrSortedVal,
                                bsrSortedRowPtr, bsrSortedColInd, base_of(descrA)));
}
template <class T>
void bsrilu02(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,
              const cusparseMatDescr_t descrA, T* bsrSortedVal, const int* bsrSortedRowPtr,
              const int* bsrSortedColInd, int blockDim, bsrilu02Info_t info, cusparseSolvePolicy_t, void*) {
  const Call call(handle);
  check_bsr(descrA, mb, nnzb, blockDim);
  factor<BsrIlu, T>(call, info,
                    bsr_matrix(by_rows(dirA), mb, mb, nnzb, blockDim, blockDim, bsrSortedVal, bsrSortedRowPtr,
                               bsrSortedColInd, base_of(descrA)),
                    false);
}

// ---- Cholesky's by rows

void cusparseXcsric02_zeroPivot(cusparseHandle_t handle, csric02Info_t info, int* position) {
  use(handle);
  tell_pivot(handle, *object<CsrCholesky>(info), position);
}
template <class T>
void csric02_bufferSize(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T*,
                        const int*, const int*, csric02Info_t info, int* pBufferSizeInBytes) {
  use(handle);
  check_csr(descrA, m, nnz);
  object<CsrCholesky>(info);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void csric02_bufferSizeExt(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T*,
                           const int*, const int*, csric02Info_t info, size_t* pBufferSize) {
  use(handle);
  check_csr(descrA, m, nnz);
  object<CsrCholesky>(info);
  tell_workspace(pBufferSize);
}
template <class T>
void csric02_analysis(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                      const T* csrSortedValA, const int* csrSortedRowPtrA, const int* csrSortedColIndA,
                      csric02Info_t info, cusparseSolvePolicy_t, void*) {
  const Call call(handle);
  check_csr(descrA, m, nnz);
  analyse<CsrCholesky, T>(
      call, info, csr_matrix(m, m, nnz, csrSortedValA, csrSortedRowPtrA, csrSortedColIndA, base_of(descrA)));
}
template <class T>
void csric02(cusparseHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, T* csrSortedValA_valM,
             const int* csrSortedRowPtrA, const int* csrSortedColIndA, csric02Info_t info,
             cusparseSolvePolicy_t, void*) {
  const Call call(handle);
  check_csr(descrA, m, nnz);
  factor<CsrCholesky, T>(
      call, info,
      csr_matrix(m, m, nnz, csrSortedValA_valM, csrSortedRowPtrA, csrSortedColIndA, base_of(descrA)), true);
}

// ---- Cholesky's by blocks

void cusparseXbsric02_zeroPivot(cusparseHandle_t handle, bsric02Info_t info, int* position) {
  use(handle);
  tell_pivot(handle, *object<BsrCholesky>(info), position);
}
template <class T>
void bsric02_bufferSize(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,
                        const cusparseMatDescr_t descrA, T*, const int*, const int*, int blockDim,
                        bsric02Info_t info, int* pBufferSizeInBytes) {
  use(handle);
  by_rows(dirA), check_bsr(descrA, mb, nnzb, blockDim), object<BsrCholesky>(info);
  tell_workspace(pBufferSizeInBytes);
}
template <class T>
void bsric02_bufferSizeExt(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,
                           const cusparseMatDescr_t descrA, T*, const int*, const int*, int blockSize,
                           bsric02Info_t info, size_t* pBufferSize) {
  use(handle);
  by_rows(dirA), check_bsr(descrA, mb, nnzb, blockSize), object<BsrCholesky>(info);
  tell_workspace(pBufferSize);
}
template <class T>
void bsric02_analysis(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,
                      const cusparseMatDescr_t descrA, const T* bsrSortedVal, const int* bsrSortedRowPtr,
                      const int* bsrSortedColInd, int blockDim, bsric02Info_t info, cusparseSolvePolicy_t,
                      void*) {
  const Call call(handle);
  check_bsr(descrA, mb, nnzb, blockDim);
  analyse<BsrCholesky, T>(call, info,
                          bsr_matrix(by_rows(dirA), mb, mb, nnzb, blockDim, blockDim, bsrSortedVal,
                                     bsrSortedRowPtr, bsrSortedColInd, base_of(descrA)));
}
template <class T>
void bsric02(cusparseHandle_t handle, cusparseDirection_t dirA, int mb, int nnzb,
             const cusparseMatDescr_t descrA, T* bsrSortedVal, const int* bsrSortedRowPtr,
             const int* bsrSortedColInd, int blockDim, bsric02Info_t info, cusparseSolvePolicy_t, void*) {
  const Call call(handle);
  check_bsr(descrA, mb, nnzb, blockDim);
  factor<BsrCholesky, T>(call, info,
                         bsr_matrix(by_rows(dirA), mb, mb, nnzb, blockDim, blockDim, bsrSortedVal,
                                    bsrSortedRowPtr, bsrSortedColInd, base_of(descrA)),
                         true);
}

}  // namespace heddle::cusparse

#include "libs/cusparse/factorizations.gen.h"
