// Inverses of triangular and symmetric matrices, and what else is made of factors.
#include <algorithm>

#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/generic.h"

namespace heddle::cusolver {
namespace {

using cublas::letter;

int room(int64_t lines) { return static_cast<int>(std::clamp<int64_t>(lines * 64, 1, INT32_MAX)); }
void check_room(int given, int64_t lines) {
  require(given >= room(lines), "the workspace is less than bufferSize says");
}
char check(cublasFillMode_t uplo, int n, int lda) {
  const char half = letter(uplo);
  size(n, "n is negative");
  cublas::leading(lda, n, "lda is less than n");
  return half;
}
// As LAPACK's factorisations leave them: the numbers of rows from 1, negative ones of blocks of two.
template <class Index>
std::vector<int> pivots(Access& access, const Index* ipiv, int n) {
  access.read(ipiv, static_cast<uint64_t>(n));
  std::vector<int> found(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    const int64_t one = ipiv[i];
    if (one == 0 || one > n || one < -n) refuse(Why::execution_failed, "a pivot is none of 1 to n");
    found[static_cast<std::size_t>(i)] = static_cast<int>(one);
  }
  // Blocks of two are pairs: a single one would be read past the end.
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] < 0) {
      if (i + 1 == found.size() || found[i + 1] >= 0)
        refuse(Why::execution_failed, "the pivot of a block of two stands alone");
      ++i;
    }
  return found;
}

}  // namespace

// ---- triangular matrices

void cusolverDnXtrtri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag,
                                 int64_t n, cudaDataType dataTypeA, void*, int64_t lda,
                                 size_t* workspaceInBytesOnDevice, size_t* workspaceInBytesOnHost) {
  use(handle);
  letter(uplo), letter(diag), generic::narrow(n, "n is negative");
  generic::leading(lda, n, "lda is less than n");
  generic::with_type(dataTypeA, [&]<class N>() {});
  if (workspaceInBytesOnDevice == nullptr || workspaceInBytesOnHost == nullptr) libs::refuse_null("a size");
  generic::tell_room(n, n, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXtrtri(cusolverDnHandle_t handle, cublasFillMode_t uplo, cublasDiagType_t diag, int64_t n,
                      cudaDataType dataTypeA, void* A, int64_t lda, void*, size_t workspaceInBytesOnDevice,
                      void*, size_t, int* devInfo) {
  const Call call(handle);
  const char half = letter(uplo), ones = letter(diag);
  const int order = generic::narrow(n, "n is negative"), ld = generic::leading(lda, n, "lda is less than n");
  generic::check_room(workspaceInBytesOnDevice, n, n);
  generic::with_type(dataTypeA, [&]<class N>() {
    call.submit("Xtrtri", [=](Access& access) {
      N* const memory = access.write(static_cast<N*>(A), order, order, ld);
      int state = 0;
      if (order > 0) {
        Matrix<N> a(memory, order, order, ld);
        fortran::trtri<N>(half, ones, order, a.data(), a.ld(), &state);
        a.put_back(memory, ld);
      }
      *access.write(devInfo, 1) = state;
    });
  });
}

// U U^H or L^H L.
template <class T>
void lauum_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T*, int lda, int* lwork) {
  use(handle);
  check(uplo, n, lda);
  *lwork = room(n);
}
template <class T>
void lauum(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, T*, int lwork,
           int* devInfo) {
  const Call call(handle);
  const char half = check(uplo, n, lda);
  check_room(lwork, n);
  call.submit("lauum", [=](Access& access) {
    access.write(A, n, n, lda);
    int state = 0;
    if (n > 0) {
      Matrix<native_of<T>> a(native(A), n, n, lda);
      fortran::lauum<native_of<T>>(half, n, a.data(), a.ld(), &state);
      a.put_back(native(A), lda);
    }
    *access.write(devInfo, 1) = state;
  });
}

// Exchanges of rows k1 to k2, with those that pivots name; from the last one on where incx is negative.
template <class T>
void laswp(cusolverDnHandle_t handle, int n, T* A, int lda, int k1, int k2, const int* devIpiv, int incx) {
  const Call call(handle);
  size(n, "n is negative");
  require(k1 >= 1 && k1 <= k2, "k1 and k2 are not 1 <= k1 <= k2");
  require(lda >= k2, "lda is less than k2");
  require(incx != 0, "incx is 0");
  call.submit("laswp", [=](Access& access) {
    const int64_t step = incx < 0 ? -int64_t{incx} : incx;
    access.read(devIpiv, static_cast<uint64_t>(k1 + (int64_t{k2} - k1) * step));
    int rows = k2;
    for (int64_t k = k1; k <= k2; ++k) {
      const int with = devIpiv[k1 - 1 + (k - k1) * step];
      if (with < 1 || with > lda) refuse(Why::execution_failed, "a pivot is none of 1 to lda");
      rows = std::max(rows, with);
    }
    access.write(A, rows, n, lda);
    const auto exchange = [&](int64_t k) {
      const int64_t with = devIpiv[k1 - 1 + (k - k1) * step];
      for (int64_t j = 0; with != k && j < n; ++j) std::swap(A[k - 1 + j * lda], A[with - 1 + j * lda]);
    };
    if (incx > 0)
      for (int64_t k = k1; k <= k2; ++k) exchange(k);
    else
      for (int64_t k = k2; k >= k1; --k) exchange(k);
  });
}

// ---- symmetric matrices, after sytrf

void cusolverDnXsytrs_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                                 cudaDataType dataTypeA, const void*, int64_t lda, const int64_t*,
                                 cudaDataType dataTypeB, void*, int64_t ldb, size_t* workspaceInBytesOnDevice,
                                 size_t* workspaceInBytesOnHost) {
  use(handle);
  letter(uplo), generic::narrow(n, "n is negative"), generic::narrow(nrhs, "nrhs is negative");
  generic::leading(lda, n, "lda is less than n"), generic::leading(ldb, n, "ldb is less than n");
  generic::same(dataTypeA, dataTypeB);
  generic::with_type(dataTypeA, [&]<class N>() {});
  if (workspaceInBytesOnDevice == nullptr || workspaceInBytesOnHost == nullptr) libs::refuse_null("a size");
  generic::tell_room(n, nrhs, workspaceInBytesOnDevice, workspaceInBytesOnHost);
}
void cusolverDnXsytrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int64_t n, int64_t nrhs,
                      cudaDataType dataTypeA, const void* A, int64_t lda, const int64_t* ipiv,
                      cudaDataType dataTypeB, void* B, int64_t ldb, void*, size_t workspaceInBytesOnDevice,
                      void*, size_t, int* info) {
  const Call call(handle);
  const char half = letter(uplo);
  const int order = generic::narrow(n, "n is negative"), sides = generic::narrow(nrhs, "nrhs is negative"),
            ld = generic::leading(lda, n, "lda is less than n"),
            ld_b = generic::leading(ldb, n, "ldb is less than n");
  generic::same(dataTypeA, dataTypeB);
  generic::check_room(workspaceInBytesOnDevice, n, nrhs);
  if (ipiv == nullptr && n > 0) refuse(Why::not_supported, "a factorisation without exchanges");
  generic::with_type(dataTypeA, [&]<class N>() {
    call.submit("Xsytrs", [=](Access& access) {
      const N* const factors = access.read(static_cast<const N*>(A), order, order, ld);
      N* const memory = access.write(static_cast<N*>(B), order, sides, ld_b);
      const std::vector<int> exchanges = pivots(access, ipiv, order);
      int state = 0;
      if (order > 0 && sides > 0) {
        Matrix<N> a(factors, order, order, ld), b(memory, order, sides, ld_b);
        fortran::sytrs<N>(half, order, sides, a.data(), a.ld(), exchanges.data(), b.data(), b.ld(), &state);
        b.put_back(memory, ld_b);
      }
      *access.write(info, 1) = state;
    });
  });
}

template <class T>
void sytri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T*, int lda, const int*,
                      int* lwork) {
  use(handle);
  check(uplo, n, lda);
  *lwork = room(n);
}
template <class T>
void sytri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, const int* ipiv, T*,
           int lwork, int* info) {
  const Call call(handle);
  const char half = check(uplo, n, lda);
  check_room(lwork, n);
  if (ipiv == nullptr && n > 0) refuse(Why::not_supported, "a factorisation without exchanges");
  call.submit("sytri", [=](Access& access) {
    using N = native_of<T>;
    access.write(A, n, n, lda);
    const std::vector<int> exchanges = pivots(access, ipiv, n);
    int state = 0;
    if (n > 0) {
      Matrix<N> a(native(A), n, n, lda);
      std::vector<N> work(2 * static_cast<std::size_t>(n) + 8);
      fortran::sytri<N>(half, n, a.data(), a.ld(), exchanges.data(), work.data(), &state);
      a.put_back(native(A), lda);
    }
    *access.write(info, 1) = state;
  });
}

}  // namespace heddle::cusolver

#include "libs/cusolver/inverses.gen.h"
