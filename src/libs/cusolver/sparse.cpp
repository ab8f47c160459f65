// Sparse systems, and orders of rows and columns for them.
#include <algorithm>

#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/sparse_factors.h"
#include "libs/cusolver/sparse_handle.h"

namespace heddle::cusolver {
namespace {

enum class By : uint8_t { qr, cholesky, lu };

std::vector<int> ordered(const Pattern& pattern, int reorder) {
  switch (reorder) {
    case 0: return in_order(pattern.rows);
    case 1: return reverse_cuthill_mckee(neighbours(pattern));
    default: return minimum_degree(neighbours(pattern));
  }
}

// P A P^T y = P b, x = P^T y.
template <class N>
int solve(By by, const Pattern& pattern, const N* values, const N* b, Real<N> tolerance, int reorder, N* x) {
  pattern.check();
  const std::vector<int> p = ordered(pattern, reorder);
  const Rows<N> a = rows_of(pattern, values, p, inverse(p));
  const auto with = [&](const auto& factors) {
    const int singular = factors.singular(tolerance);
    if (singular >= 0) return singular;
    std::vector<N> y(p.size());
    for (std::size_t i = 0; i < p.size(); ++i) y[i] = b[p[i]];
    factors.solve(y);
    for (std::size_t i = 0; i < p.size(); ++i) x[p[i]] = y[i];
    return -1;
  };
  switch (by) {
    case By::qr: return with(SparseQr<N>(a, pattern.columns));
    case By::cholesky: return with(SparseCholesky<N>(a));
    default: return with(SparseLu<N>(a));
  }
}

template <class T>
void check(cusolverSpHandle_t handle, int reorder, const int* singularity) {
  use_sparse(handle);
  require(reorder >= 0 && reorder <= 3, "reorder is none of 0 to 3");
  if (singularity == nullptr) libs::refuse_null("singularity");
}

template <class T>
void on_host(By by, cusolverSpHandle_t handle, int m, int nnz, const void* description, const T* values,
             const int* offsets, const int* places, const T* b, real_of<T> tolerance, int reorder, T* x,
             int* singularity) {
  check<T>(handle, reorder, singularity);
  const Pattern pattern = pattern_of(m, m, nnz, description, offsets, places);
  if (offsets == nullptr || (nnz > 0 && (places == nullptr || values == nullptr)) ||
      (m > 0 && (b == nullptr || x == nullptr)))
    libs::refuse_null("an array");
  *singularity = solve(by, pattern, native(values), native(b), tolerance, reorder, native(x));
}
// Blocks: where it is singular is the host's.
template <class T>
void on_device(By by, const char* name, cusolverSpHandle_t handle, int m, int nnz, const void* description,
               const T* values, const int* offsets, const int* places, const T* b, real_of<T> tolerance,
               int reorder, T* x, int* singularity) {
  check<T>(handle, reorder, singularity);
  const Pattern pattern = pattern_of(m, m, nnz, description, offsets, places);
  if (offsets == nullptr || places == nullptr) refuse(Why::internal_error, "an array of A is NULL");
  int singular = -1;
  libs::Target(use_sparse(handle)->stream).submit_and_wait(name, [=, &singular](Access& access) {
    access.read(offsets, static_cast<uint64_t>(m) + 1);
    access.read(places, static_cast<uint64_t>(nnz));
    access.read(values, static_cast<uint64_t>(nnz));
    access.read(b, static_cast<uint64_t>(m));
    access.write(x, static_cast<uint64_t>(m));
    singular = solve(by, pattern, native(values), native(b), tolerance, reorder, native(x));
  });
  *singularity = singular;
}

}  // namespace

std::shared_ptr<SparseHandle> use_sparse(const void* handle) {
  auto found = libs::Handles<SparseHandle>::all().find(handle);
  if (found == nullptr)
    refuse(Why::not_initialized, handle == nullptr ? "the handle is NULL" : "no such handle");
  return found;
}
Pattern pattern_of(int rows, int columns, int count, const void* description, const int* offsets,
                   const int* places) {
  require(rows >= 1 && columns >= 1 && count >= 1, "a number of rows, columns or entries is below 1");
  // As an H200 answers, where cuSPARSE has an invalid value.
  if (description == nullptr)
    libs::refuse_code(CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED, "the description of the matrix is NULL");
  cusparse::general(description);
  return {rows, columns, count, cusparse::base_of(description), offsets, nullptr, places};
}

void cusolverSpCreate(cusolverSpHandle_t* handle) {
  if (handle == nullptr) libs::refuse_null("handle");
  *handle = libs::Handles<SparseHandle>::all().add<cusolverSpHandle_t>(std::make_shared<SparseHandle>());
}
void cusolverSpDestroy(cusolverSpHandle_t handle) {
  if (!libs::Handles<SparseHandle>::all().remove(handle)) refuse(Why::not_initialized, "no such handle");
}
void cusolverSpSetStream(cusolverSpHandle_t handle, cudaStream_t streamId) {
  use_sparse(handle)->stream = streamId;
}
void cusolverSpGetStream(cusolverSpHandle_t handle, cudaStream_t* streamId) {
  const auto found = use_sparse(handle);
  if (streamId == nullptr) libs::refuse_null("streamId");
  *streamId = static_cast<cudaStream_t>(found->stream.load());
}

template <class T>
void sp_csrlsvluHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                     const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, const T* b,
                     real_of<T> tol, int reorder, T* x, int* singularity) {
  on_host(By::lu, handle, n, nnzA, descrA, csrValA, csrRowPtrA, csrColIndA, b, tol, reorder, x, singularity);
}
template <class T>
void sp_csrlsvqrHost(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                     const T* csrValA, const int* csrRowPtrA, const int* csrColIndA, const T* b,
                     real_of<T> tol, int reorder, T* x, int* singularity) {
  on_host(By::qr, handle, m, nnz, descrA, csrValA, csrRowPtrA, csrColIndA, b, tol, reorder, x, singularity);
}
template <class T>
void sp_csrlsvcholHost(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                       const T* csrVal, const int* csrRowPtr, const int* csrColInd, const T* b,
                       real_of<T> tol, int reorder, T* x, int* singularity) {
  on_host(By::cholesky, handle, m, nnz, descrA, csrVal, csrRowPtr, csrColInd, b, tol, reorder, x,
          singularity);
}
template <class T>
void sp_csrlsvqr(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA, const T* csrVal,
                 const int* csrRowPtr, const int* csrColInd, const T* b, real_of<T> tol, int reorder, T* x,
                 int* singularity) {
  on_device(By::qr, "csrlsvqr", handle, m, nnz, descrA, csrVal, csrRowPtr, csrColInd, b, tol, reorder, x,
            singularity);
}
template <class T>
void sp_csrlsvchol(cusolverSpHandle_t handle, int m, int nnz, const cusparseMatDescr_t descrA,
                   const T* csrVal, const int* csrRowPtr, const int* csrColInd, const T* b, real_of<T> tol,
                   int reorder, T* x, int* singularity) {
  on_device(By::cholesky, "csrlsvchol", handle, m, nnz, descrA, csrVal, csrRowPtr, csrColInd, b, tol, reorder,
            x, singularity);
}

// ---- patterns, on the host

namespace {

Pattern checked(cusolverSpHandle_t handle, int m, int n, int count, const void* description,
                const int* offsets, const int* places) {
  use_sparse(handle);
  const Pattern pattern = pattern_of(m, n, count, description, offsets, places);
  if (offsets == nullptr || (count > 0 && places == nullptr)) libs::refuse_null("an array of A");
  pattern.check();
  return pattern;
}
void give(const std::vector<int>& order, int* p) {
  if (p == nullptr) libs::refuse_null("p");
  std::ranges::copy(order, p);
}
void check_order(const int* p, int n, const char* words) {
  std::vector<bool> seen(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    require(p[i] >= 0 && p[i] < n && !seen[static_cast<std::size_t>(p[i])], words);
    seen[static_cast<std::size_t>(p[i])] = true;
  }
}

}  // namespace

void cusolverSpXcsrissymHost(cusolverSpHandle_t handle, int m, int nnzA, const cusparseMatDescr_t descrA,
                             const int* csrRowPtrA, const int* csrEndPtrA, const int* csrColIndA,
                             int* issym) {
  use_sparse(handle);
  if (issym == nullptr) libs::refuse_null("issym");
  Pattern pattern = pattern_of(m, m, nnzA, descrA, csrRowPtrA, csrColIndA);
  if (csrRowPtrA == nullptr || csrEndPtrA == nullptr || (nnzA > 0 && csrColIndA == nullptr))
    libs::refuse_null("an array of A");
  pattern.ends = csrEndPtrA;
  pattern.check();
  std::vector<std::pair<int, int>> forth, back;
  for (int i = 0; i < m; ++i)
    for (int k = pattern.begin(i); k < pattern.end(i); ++k) {
      forth.emplace_back(i, pattern.column(k));
      back.emplace_back(pattern.column(k), i);
    }
  std::ranges::sort(forth);
  std::ranges::sort(back);
  *issym = forth == back ? 1 : 0;
}
void cusolverSpXcsrsymrcmHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                              const int* csrRowPtrA, const int* csrColIndA, int* p) {
  give(reverse_cuthill_mckee(neighbours(checked(handle, n, n, nnzA, descrA, csrRowPtrA, csrColIndA))), p);
}
void cusolverSpXcsrsymmdqHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                              const int* csrRowPtrA, const int* csrColIndA, int* p) {
  give(minimum_degree(neighbours(checked(handle, n, n, nnzA, descrA, csrRowPtrA, csrColIndA))), p);
}
void cusolverSpXcsrsymamdHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                              const int* csrRowPtrA, const int* csrColIndA, int* p) {
  cusolver::cusolverSpXcsrsymmdqHost(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p);
}
// METIS's options are of its nested dissection, and change nothing here.
void cusolverSpXcsrmetisndHost(cusolverSpHandle_t handle, int n, int nnzA, const cusparseMatDescr_t descrA,
                               const int* csrRowPtrA, const int* csrColIndA, const int64_t*, int* p) {
  cusolver::cusolverSpXcsrsymmdqHost(handle, n, nnzA, descrA, csrRowPtrA, csrColIndA, p);
}

void cusolverSpXcsrperm_bufferSizeHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                                       const cusparseMatDescr_t descrA, const int* csrRowPtrA,
                                       const int* csrColIndA, const int*, const int*,
                                       size_t* bufferSizeInBytes) {
  checked(handle, m, n, nnzA, descrA, csrRowPtrA, csrColIndA);
  if (bufferSizeInBytes == nullptr) libs::refuse_null("bufferSizeInBytes");
  *bufferSizeInBytes =
      (static_cast<size_t>(m) + static_cast<size_t>(n) + 2 * static_cast<size_t>(nnzA) + 2) * sizeof(int);
}
// A(p, q): row i of the result is row p[i] of A, and column j its column q[j].
void cusolverSpXcsrpermHost(cusolverSpHandle_t handle, int m, int n, int nnzA,
                            const cusparseMatDescr_t descrA, int* csrRowPtrA, int* csrColIndA, const int* p,
                            const int* q, int* map, void* pBuffer) {
  const Pattern pattern = checked(handle, m, n, nnzA, descrA, csrRowPtrA, csrColIndA);
  if (p == nullptr || q == nullptr || map == nullptr || pBuffer == nullptr)
    libs::refuse_null("p, q, map or pBuffer");
  check_order(p, m, "p is no order of the rows");
  check_order(q, n, "q is no order of the columns");
  const std::vector<int> place = inverse(std::vector<int>(q, q + n));
  std::vector<int> offsets{pattern.base}, places, sources;
  std::vector<std::pair<int, int>> row;
  for (int i = 0; i < m; ++i) {
    row.clear();
    for (int k = pattern.begin(p[i]); k < pattern.end(p[i]); ++k)
      row.emplace_back(place[static_cast<std::size_t>(pattern.column(k))], map[k]);
    std::ranges::sort(row);
    for (const auto& [column, source] : row) {
      places.push_back(column + pattern.base);
      sources.push_back(source);
    }
    offsets.push_back(static_cast<int>(places.size()) + pattern.base);
  }
  std::ranges::copy(offsets, csrRowPtrA);
  std::ranges::copy(places, csrColIndA);
  std::ranges::copy(sources, map);
}

}  // namespace heddle::cusolver

#include "libs/cusolver/sparse.gen.h"
