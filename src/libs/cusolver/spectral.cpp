// Singular values, and eigenvalues of symmetric and hermitian matrices.
#include "libs/cusolver/spectral.h"

#include <algorithm>

#include "libs/cublas/lapack.h"
#include "libs/cusolver/functions.gen.h"

namespace heddle::cusolver {
namespace {

using cublas::leading;
using cublas::letter;
using namespace spectral;

void check_svd(int m, int n) {
  require(m >= 0 && n >= 0, "m or n is negative");
  require(m >= n, "m is less than n");  // as documented: the transpose has the same singular values
}

template <class T>
void size_of_eigen(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, int lda,
                   int* lwork) {
  use(handle);
  job_of(jobz);
  letter(uplo);
  require(n >= 0, "n is negative");
  leading(lda, n, "lda is less than n");
  *lwork = room(n, n);
}
template <class T, class R>
void eigen(cusolverDnHandle_t handle, const char* name, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,
           T* A, int lda, R* W, int lwork, int* info) {
  const Call call(handle);
  const char job = job_of(jobz), half = letter(uplo);
  require(n >= 0, "n is negative");
  leading(lda, n, "lda is less than n");
  require(lwork >= room(n, n), "the workspace is less than bufferSize says");
  call.submit(name, [=](Access& access) {
    using N = native_of<T>;
    access.write(A, n, n, lda);
    access.write(W, static_cast<uint64_t>(n));
    int state = 0;
    if (n > 0) {
      Matrix<N> a(native(A), n, n, lda);
      std::vector<R> w(static_cast<std::size_t>(n));
      state = eigenvalues<N>(job, half, n, a.data(), a.ld(), w.data());
      if (job == 'V') a.put_back(native(A), lda);
      std::copy(w.begin(), w.end(), W);
    }
    *access.write(info, 1) = state;
  });
}

}  // namespace

template <class T>
void gesvd_bufferSize(cusolverDnHandle_t handle, int m, int n, int* lwork) {
  use(handle);
  check_svd(m, n);
  *lwork = room(m, n);
}

template <class T>
void gesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T* A, int lda,
           real_of<T>* S, T* U, int ldu, T* VT, int ldvt, T*, int lwork, real_of<T>* rwork, int* info) {
  const Call call(handle);
  const auto known = [](signed char job) { return job == 'A' || job == 'S' || job == 'O' || job == 'N'; };
  require(known(jobu) && known(jobvt), "jobu or jobvt is none of A, S, O, N");
  require(jobu != 'O' || jobvt != 'O', "jobu and jobvt are both O");
  check_svd(m, n);
  leading(lda, m, "lda is less than m");
  const int u_columns = jobu == 'A' ? m : jobu == 'S' ? n : 0, v_rows = jobvt == 'A' || jobvt == 'S' ? n : 0;
  if (u_columns > 0) leading(ldu, m, "ldu is less than m");
  if (v_rows > 0) leading(ldvt, n, "ldvt is less than n");
  require(lwork >= room(m, n), "the workspace is less than bufferSize says");
  call.submit("gesvd", [=](Access& access) {
    using N = native_of<T>;
    using R = real_of<T>;
    access.write(A, m, n, lda);
    access.write(S, static_cast<uint64_t>(n));
    if (u_columns > 0) access.write(U, m, u_columns, ldu);
    if (v_rows > 0) access.write(VT, n, n, ldvt);
    int state = 0;
    if (n > 0) {
      Matrix<N> a(native(A), m, n, lda), u(nullptr, m, u_columns, m),
          v(nullptr, v_rows > 0 ? n : 1, v_rows, n);
      std::vector<R> s(static_cast<std::size_t>(n)), rest;
      state = singular_values<N>(static_cast<char>(jobu), static_cast<char>(jobvt), m, n, a.data(), a.ld(),
                                 s.data(), u.data(), u.ld(), v.data(), v.ld(), &rest);
      a.put_back(native(A), lda);
      if (u_columns > 0) u.put_back(native(U), ldu);
      if (v_rows > 0) v.put_back(native(VT), ldvt);
      std::copy(s.begin(), s.end(), S);
      if (state > 0 && rwork != nullptr && n > 1) {  // what did not converge to zero
        access.write(rwork, static_cast<uint64_t>(n - 1));
        std::copy(rest.begin(), rest.end(), rwork);
      }
    }
    *access.write(info, 1) = state;
  });
}

// Of real matrices syevd, of complex ones heevd.
template <class T>
void heevd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,
                      const T*, int lda, const real_of<T>*, int* lwork) {
  size_of_eigen<T>(handle, jobz, uplo, n, lda, lwork);
}
template <class T>
void heevd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, int lda,
           real_of<T>* W, T*, int lwork, int* info) {
  eigen(handle, "heevd", jobz, uplo, n, A, lda, W, lwork, info);
}
template <class T>
void syevd_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,
                      const T*, int lda, const T*, int* lwork) {
  size_of_eigen<T>(handle, jobz, uplo, n, lda, lwork);
}
template <class T>
void syevd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, int lda,
           T* W, T*, int lwork, int* info) {
  eigen(handle, "syevd", jobz, uplo, n, A, lda, W, lwork, info);
}

namespace {

template <class T>
void size_of_general(cusolverDnHandle_t handle, cusolverEigType_t type, cusolverEigMode_t jobz,
                     cublasFillMode_t uplo, int n, int lda, int ldb, int* lwork) {
  use(handle);
  kind_of(type);
  leading(ldb, n, "ldb is less than n");
  size_of_eigen<T>(handle, jobz, uplo, n, lda, lwork);
}
template <class T, class R>
void general_eigen(cusolverDnHandle_t handle, const char* name, cusolverEigType_t type,
                   cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, int lda, T* B, int ldb, R* W,
                   int lwork, int* info) {
  const Call call(handle);
  const int kind = kind_of(type);
  const char job = job_of(jobz), half = letter(uplo);
  require(n >= 0, "n is negative");
  leading(lda, n, "lda is less than n");
  leading(ldb, n, "ldb is less than n");
  require(lwork >= room(n, n), "the workspace is less than bufferSize says");
  call.submit(name, [=](Access& access) {
    using N = native_of<T>;
    access.write(A, n, n, lda);
    access.write(B, n, n, ldb);
    access.write(W, static_cast<uint64_t>(n));
    int state = 0;
    if (n > 0) {
      Matrix<N> a(native(A), n, n, lda), b(native(B), n, n, ldb);
      std::vector<R> w(static_cast<std::size_t>(n));
      state = general_eigenvalues<N>(kind, job, half, n, a.data(), a.ld(), b.data(), b.ld(), w.data());
      if (job == 'V') a.put_back(native(A), lda);
      b.put_back(native(B), ldb);
      std::copy(w.begin(), w.end(), W);
    }
    *access.write(info, 1) = state;
  });
}

}  // namespace

template <class T>
void sygvd_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,
                      cublasFillMode_t uplo, int n, const T*, int lda, const T*, int ldb, const T*,
                      int* lwork) {
  size_of_general<T>(handle, itype, jobz, uplo, n, lda, ldb, lwork);
}
template <class T>
void hegvd_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,
                      cublasFillMode_t uplo, int n, const T*, int lda, const T*, int ldb, const real_of<T>*,
                      int* lwork) {
  size_of_general<T>(handle, itype, jobz, uplo, n, lda, ldb, lwork);
}
template <class T>
void sygvd(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo,
           int n, T* A, int lda, T* B, int ldb, T* W, T*, int lwork, int* info) {
  general_eigen(handle, "sygvd", itype, jobz, uplo, n, A, lda, B, ldb, W, lwork, info);
}
template <class T>
void hegvd(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz, cublasFillMode_t uplo,
           int n, T* A, int lda, T* B, int ldb, real_of<T>* W, T*, int lwork, int* info) {
  general_eigen(handle, "hegvd", itype, jobz, uplo, n, A, lda, B, ldb, W, lwork, info);
}

}  // namespace heddle::cusolver

#include "libs/cusolver/spectral.gen.h"
