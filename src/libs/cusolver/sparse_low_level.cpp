// Sparse systems in steps: LU on the host; QR and Cholesky on the host and on the device.
#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/sparse_steps.h"

namespace heddle::cusolver {
using namespace steps;

// ---- LU, on the host

void cusolverSpCreateCsrluInfoHost(csrluInfoHost_t* info) { create<LuHost>(info); }
void cusolverSpDestroyCsrluInfoHost(csrluInfoHost_t info) { destroy<LuHost>(info); }
void cusolverSpXcsrluAnalysisHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                                  const int* csrRowPtrA, const int* csrColIndA, csrluInfoHost_t info) {
  analyse_host<LuHost>(handle, n, n, nnzA, descrA, csrRowPtrA, csrColIndA, info);
}
template <class T>
void low_csrluBufferInfoHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                             const T*, const int*, const int*, csrluInfoHost_t info,
                             size_t* internalDataInBytes, size_t* workspaceInBytes) {
  tell_sizes<LuHost, T>(handle, n, n, nnzA, descrA, info, internalDataInBytes, workspaceInBytes);
}
template <class T>
void low_csrluFactorHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                         const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, csrluInfoHost_t info,
                         real_of<T> pivot_threshold, void*) {
  const auto found = analysed_info<LuHost>(handle, info, n, n, nnzA);
  require(pivot_threshold >= 0 && pivot_threshold <= 1, "pivot_threshold is not within 0 and 1");
  const Pattern pattern = pattern_of(n, n, nnzA, descrA, csrRowPtrA, csrColIndA);
  check_arrays(pattern);
  if (nnzA > 0 && csrValA == nullptr) libs::refuse_null("csrValA");
  pattern.check();
  using Factors = SparseLu<native_of<T>>;
  keep(*found, std::make_shared<const Factors>(rows_of(pattern, native(csrValA)), pivot_threshold));
}
template <class T>
void low_csrluZeroPivotHost(cusolverSpHandle_t handle, csrluInfoHost_t info, real_of<T> tol, int* position) {
  zero_pivot<SparseLu<native_of<T>>, LuHost>(handle, info, tol, position);
}
template <class T>
void low_csrluSolveHost(cusolverSpHandle_t handle, int n, const T* b, T* x, csrluInfoHost_t info, void*) {
  solve_host<SparseLu<native_of<T>>, LuHost>(handle, info, n, n, count_of<LuHost>(handle, info), b, x);
}
void cusolverSpXcsrluNnzHost(cusolverSpHandle_t handle, int* nnzLRef, int* nnzURef, csrluInfoHost_t info) {
  use_sparse(handle);
  const auto found = object<LuHost>(info);
  if (nnzLRef == nullptr || nnzURef == nullptr) libs::refuse_null("nnzLRef or nnzURef");
  const std::lock_guard lock(found->mutex);
  const auto of = [&]<class N>() {
    const auto* const factors = std::any_cast<std::shared_ptr<const SparseLu<N>>>(&found->factors);
    if (factors == nullptr) return false;
    *nnzLRef = static_cast<int>((*factors)->lower_count());
    *nnzURef = static_cast<int>((*factors)->upper_count());
    return true;
  };
  require(of.template operator()<float>() || of.template operator()<double>() ||
              of.template operator()<std::complex<float>>() || of.template operator()<std::complex<double>>(),
          "the info has no factors");
}

namespace {

template <class N>
void write_rows(const Rows<N>& rows, const void* description, N* values, int* offsets, int* places) {
  cusparse::general(description);
  const int base = cusparse::base_of(description);
  int next = 0;
  *offsets = base;
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) {
      places[next] = column + base;
      values[next++] = value;
    }
    *++offsets = next + base;
  }
}

}  // namespace

// P A Q^T = L U, where L's ones are not written. No columns are exchanged.
template <class T>
void low_csrluExtractHost(cusolverSpHandle_t handle, int* P, int* Q, const cusparseMatDescr_t descrL,
                          T* csrValL, int* csrRowPtrL, int* csrColIndL, const cusparseMatDescr_t descrU,
                          T* csrValU, int* csrRowPtrU, int* csrColIndU, csrluInfoHost_t info, void*) {
  use_sparse(handle);
  const auto factors = kept<SparseLu<native_of<T>>, LuHost>(info);
  if (P == nullptr || Q == nullptr || csrRowPtrL == nullptr || csrRowPtrU == nullptr)
    libs::refuse_null("P, Q or an array of a factor");
  if ((factors->lower_count() > 0 && (csrValL == nullptr || csrColIndL == nullptr)) ||
      (factors->upper_count() > 0 && (csrValU == nullptr || csrColIndU == nullptr)))
    libs::refuse_null("an array of a factor");
  write_rows(factors->lower_rows(), descrL, native(csrValL), csrRowPtrL, csrColIndL);
  write_rows(factors->upper_rows(), descrU, native(csrValU), csrRowPtrU, csrColIndU);
  std::ranges::copy(factors->order(), P);
  std::ranges::copy(in_order(static_cast<int>(factors->order().size())), Q);
}

// ---- QR: A - mu I, with at least as many rows as columns

namespace {

template <class N>
void shift(Rows<N>& rows, int columns, const N& mu) {
  if (mu == N(0)) return;
  for (int i = 0; i < std::min(static_cast<int>(rows.size()), columns); ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    const auto at = std::ranges::lower_bound(row, i, {}, &Entry<N>::column);
    if (at != row.end() && at->column == i)
      at->value -= mu;
    else
      row.insert(at, {i, -mu});
  }
}
template <class N, class Kind>
void keep_matrix(Kind& info, Rows<N> rows, const N& mu) {
  shift(rows, info.columns, mu);
  const std::lock_guard lock(info.mutex);
  info.matrix = std::make_shared<const Rows<N>>(std::move(rows));
  info.factors.reset();
}
template <class N>
void factor_kept(Info& info) {
  std::shared_ptr<const Rows<N>> rows;
  {
    const std::lock_guard lock(info.mutex);
    const auto* const found = std::any_cast<std::shared_ptr<const Rows<N>>>(&info.matrix);
    require(found != nullptr, "the info has no matrix of this type");
    rows = *found;
  }
  keep(info, std::make_shared<const SparseQr<N>>(*rows, info.columns));
}

}  // namespace

void cusolverSpCreateCsrqrInfoHost(csrqrInfoHost_t* info) { create<QrHost>(info); }
void cusolverSpDestroyCsrqrInfoHost(csrqrInfoHost_t info) { destroy<QrHost>(info); }
void cusolverSpXcsrqrAnalysisHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                  const cusparseMatDescr_t descrA, const int* csrRowPtrA,
                                  const int* csrColIndA, csrqrInfoHost_t info) {
  check_tall(m, n);
  analyse_host<QrHost>(handle, m, n, nnzA, descrA, csrRowPtrA, csrColIndA, info);
}
template <class T>
void low_csrqrBufferInfoHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                             const cusparseMatDescr_t descrA, const T*, const int*, const int*,
                             csrqrInfoHost_t info, size_t* internalDataInBytes, size_t* workspaceInBytes) {
  tell_sizes<QrHost, T>(handle, m, n, nnzA, descrA, info, internalDataInBytes, workspaceInBytes);
}
template <class T>
void low_csrqrSetupHost(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
                        const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, T mu,
                        csrqrInfoHost_t info) {
  const auto found = analysed_info<QrHost>(handle, info, m, n, nnzA);
  const Pattern pattern = pattern_of(m, n, nnzA, descrA, csrRowPtrA, csrColIndA);
  check_arrays(pattern);
  if (nnzA > 0 && csrValA == nullptr) libs::refuse_null("csrValA");
  pattern.check();
  keep_matrix(*found, rows_of(pattern, native(csrValA)), *native(&mu));
}
template <class T>
void low_csrqrFactorHost(cusolverSpHandle_t handle, int m, int n, int nnzA, T* b, T* x, csrqrInfoHost_t info,
                         void*) {
  const auto found = analysed_info<QrHost>(handle, info, m, n, nnzA);
  factor_kept<native_of<T>>(*found);
  if (b != nullptr && x != nullptr)
    solve_host<SparseQr<native_of<T>>, QrHost>(handle, info, m, n, nnzA, b, x);
}
template <class T>
void low_csrqrZeroPivotHost(cusolverSpHandle_t handle, csrqrInfoHost_t info, real_of<T> tol, int* position) {
  zero_pivot<SparseQr<native_of<T>>, QrHost>(handle, info, tol, position);
}
template <class T>
void low_csrqrSolveHost(cusolverSpHandle_t handle, int m, int n, T* b, T* x, csrqrInfoHost_t info, void*) {
  solve_host<SparseQr<native_of<T>>, QrHost>(handle, info, m, n, count_of<QrHost>(handle, info), b, x);
}

void cusolverSpXcsrqrAnalysis(cusolverSpHandle_t handle, int m, int n, int nnzA,
                              const cusparseMatDescr_t descrA, const int* csrRowPtrA, const int* csrColIndA,
                              csrqrInfo_t info) {
  check_tall(m, n);
  analyse_device<QrDevice>(handle, "csrqrAnalysis", m, n, nnzA, descrA, csrRowPtrA, csrColIndA, info);
}
template <class T>
void low_csrqrBufferInfo(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
                         const T*, const int*, const int*, csrqrInfo_t info, size_t* internalDataInBytes,
                         size_t* workspaceInBytes) {
  tell_sizes<QrDevice, T>(handle, m, n, nnzA, descrA, info, internalDataInBytes, workspaceInBytes);
}
template <class T>
void low_csrqrSetup(cusolverSpHandle_t handle, int m, int n, int nnzA, const cusparseMatDescr_t descrA,
                    const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, T mu, csrqrInfo_t info) {
  const auto found = analysed_info<QrDevice>(handle, info, m, n, nnzA);
  const Pattern pattern = pattern_of(m, n, nnzA, descrA, csrRowPtrA, csrColIndA);
  Rows<native_of<T>> rows;
  on_device(handle, "csrqrSetup", [&](Access& access) {
    see(access, pattern);
    pattern.check();
    rows = rows_of(pattern, native(access.read(csrValA, static_cast<uint64_t>(nnzA))));
  });
  keep_matrix(*found, std::move(rows), *native(&mu));
}
template <class T>
void low_csrqrFactor(cusolverSpHandle_t handle, int m, int n, int nnzA, T* b, T* x, csrqrInfo_t info, void*) {
  const auto found = analysed_info<QrDevice>(handle, info, m, n, nnzA);
  factor_kept<native_of<T>>(*found);
  if (b != nullptr && x != nullptr)
    solve_device<SparseQr<native_of<T>>, QrDevice>(handle, "csrqrFactor", info, m, n, nnzA, b, x);
}
template <class T>
void low_csrqrZeroPivot(cusolverSpHandle_t handle, csrqrInfo_t info, real_of<T> tol, int* position) {
  zero_pivot<SparseQr<native_of<T>>, QrDevice>(handle, info, tol, position);
}
template <class T>
void low_csrqrSolve(cusolverSpHandle_t handle, int m, int n, T* b, T* x, csrqrInfo_t info, void*) {
  solve_device<SparseQr<native_of<T>>, QrDevice>(handle, "csrqrSolve", info, m, n,
                                                 count_of<QrDevice>(handle, info), b, x);
}

// ---- Cholesky

void cusolverSpCreateCsrcholInfoHost(csrcholInfoHost_t* info) { create<CholeskyHost>(info); }
void cusolverSpDestroyCsrcholInfoHost(csrcholInfoHost_t info) { destroy<CholeskyHost>(info); }
void cusolverSpXcsrcholAnalysisHost(cusolverSpHandle_t handle, int n, int nnzA,
                                    const cusparseMatDescr_t descrA, const int* csrRowPtrA,
                                    const int* csrColIndA, csrcholInfoHost_t info) {
  analyse_host<CholeskyHost>(handle, n, n, nnzA, descrA, csrRowPtrA, csrColIndA, info);
}
template <class T>
void low_csrcholBufferInfoHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                               const T*, const int*, const int*, csrcholInfoHost_t info,
                               size_t* internalDataInBytes, size_t* workspaceInBytes) {
  tell_sizes<CholeskyHost, T>(handle, n, n, nnzA, descrA, info, internalDataInBytes, workspaceInBytes);
}
template <class T>
void low_csrcholFactorHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                           const T* csrValA, const int* csrRowPtrA, const int* csrColIndA,
                           csrcholInfoHost_t info, void*) {
  const auto found = analysed_info<CholeskyHost>(handle, info, n, n, nnzA);
  const Pattern pattern = pattern_of(n, n, nnzA, descrA, csrRowPtrA, csrColIndA);
  check_arrays(pattern);
  if (nnzA > 0 && csrValA == nullptr) libs::refuse_null("csrValA");
  pattern.check();
  keep(*found, std::make_shared<const SparseCholesky<native_of<T>>>(rows_of(pattern, native(csrValA))));
}
template <class T>
void low_csrcholZeroPivotHost(cusolverSpHandle_t handle, csrcholInfoHost_t info, real_of<T> tol,
                              int* position) {
  zero_pivot<SparseCholesky<native_of<T>>, CholeskyHost>(handle, info, tol, position);
}
template <class T>
void low_csrcholSolveHost(cusolverSpHandle_t handle, int n, const T* b, T* x, csrcholInfoHost_t info, void*) {
  solve_host<SparseCholesky<native_of<T>>, CholeskyHost>(handle, info, n, n,
                                                         count_of<CholeskyHost>(handle, info), b, x);
}

void cusolverSpCreateCsrcholInfo(csrcholInfo_t* info) { create<CholeskyDevice>(info); }
void cusolverSpDestroyCsrcholInfo(csrcholInfo_t info) { destroy<CholeskyDevice>(info); }
void cusolverSpXcsrcholAnalysis(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                                const int* csrRowPtrA, const int* csrColIndA, csrcholInfo_t info) {
  analyse_device<CholeskyDevice>(handle, "csrcholAnalysis", n, n, nnzA, descrA, csrRowPtrA, csrColIndA, info);
}
template <class T>
void low_csrcholBufferInfo(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                           const T*, const int*, const int*, csrcholInfo_t info, size_t* internalDataInBytes,
                           size_t* workspaceInBytes) {
  tell_sizes<CholeskyDevice, T>(handle, n, n, nnzA, descrA, info, internalDataInBytes, workspaceInBytes);
}
template <class T>
void low_csrcholFactor(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                       const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, csrcholInfo_t info,
                       void*) {
  const auto found = analysed_info<CholeskyDevice>(handle, info, n, n, nnzA);
  const Pattern pattern = pattern_of(n, n, nnzA, descrA, csrRowPtrA, csrColIndA);
  on_device(handle, "csrcholFactor", [&](Access& access) {
    see(access, pattern);
    pattern.check();
    access.read(csrValA, static_cast<uint64_t>(nnzA));
    keep(*found, std::make_shared<const SparseCholesky<native_of<T>>>(rows_of(pattern, native(csrValA))));
  });
}
template <class T>
void low_csrcholZeroPivot(cusolverSpHandle_t handle, csrcholInfo_t info, real_of<T> tol, int* position) {
  zero_pivot<SparseCholesky<native_of<T>>, CholeskyDevice>(handle, info, tol, position);
}
template <class T>
void low_csrcholSolve(cusolverSpHandle_t handle, int n, const T* b, T* x, csrcholInfo_t info, void*) {
  solve_device<SparseCholesky<native_of<T>>, CholeskyDevice>(handle, "csrcholSolve", info, n, n,
                                                             count_of<CholeskyDevice>(handle, info), b, x);
}
// The squares of the factor's diagonal are what remained of A's: the diagonal of L.
template <class T>
void low_csrcholDiag(cusolverSpHandle_t handle, csrcholInfo_t info, real_of<T>* diag) {
  const auto own = use_sparse(handle);
  const auto factors = kept<SparseCholesky<native_of<T>>, CholeskyDevice>(info);
  libs::Target(own->stream).submit("csrcholDiag", [=](Access& access) {
    const auto& values = factors->diagonal();
    std::ranges::copy(values, access.write(diag, values.size()));
  });
}

}  // namespace heddle::cusolver

#include "libs/cusolver/sparse_low_level.gen.h"
