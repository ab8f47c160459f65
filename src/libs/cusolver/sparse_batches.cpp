// Batches of sparse systems by QR: of one pattern, each with its values.
#include "libs/common/parallel.h"
#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/sparse_steps.h"

namespace heddle::cusolver {
using namespace steps;

void cusolverSpCreateCsrqrInfo(csrqrInfo_t* info) { create<QrDevice>(info); }
void cusolverSpDestroyCsrqrInfo(csrqrInfo_t info) { destroy<QrDevice>(info); }
// A pattern, many values, b and x of each behind the other.
void cusolverSpXcsrqrAnalysisBatched(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                     const cusparseMatDescr_t descrA, const int* csrRowPtrA,
                                     const int* csrColIndA, csrqrInfo_t info) {
  check_tall(m, n);
  analyse_device<QrDevice>(handle, "csrqrAnalysisBatched", m, n, nnzA, descrA, csrRowPtrA, csrColIndA, info);
}
template <class T>
void sp_csrqrBufferInfoBatched(cusolverSpHandle_t handle, int m, int n, int nnz,
                               const cusparseMatDescr_t descrA, const T*, const int*, const int*,
                               int batchSize, csrqrInfo_t info, size_t* internalDataInBytes,
                               size_t* workspaceInBytes) {
  size(batchSize, "batchSize is negative");
  tell_sizes<QrDevice, T>(handle, m, n, nnz, descrA, info, internalDataInBytes, workspaceInBytes);
}
template <class T>
void sp_csrqrsvBatched(cusolverSpHandle_t handle, int m, int n, int nnz, const cusparseMatDescr_t descrA,
                       const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, const T* b, T* x,
                       int batchSize, csrqrInfo_t info, void*) {
  size(batchSize, "batchSize is negative");
  analysed_info<QrDevice>(handle, info, m, n, nnz);
  const Pattern pattern = pattern_of(m, n, nnz, descrA, csrRowPtrA, csrColIndA);
  libs::Target(use_sparse(handle)->stream).submit("csrqrsvBatched", [=](Access& access) {
    const auto many = static_cast<uint64_t>(batchSize);
    see(access, pattern);
    pattern.check();
    access.read(csrValA, static_cast<uint64_t>(nnz) * many);
    access.read(b, static_cast<uint64_t>(m) * many);
    access.write(x, static_cast<uint64_t>(n) * many);
    libs::parallel(batchSize, [&](int64_t k) {
      const SparseQr<native_of<T>> factors(rows_of(pattern, native(csrValA) + k * nnz), n);
      solve(factors, m, n, native(b) + k * m, native(x) + k * n);
    });
  });
}

}  // namespace heddle::cusolver

#include "libs/cusolver/sparse_batches.gen.h"
