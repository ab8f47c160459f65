// LU, Cholesky and QR, and what they solve.
#include <algorithm>

#include "libs/common/parallel.h"
#include "libs/cublas/lapack.h"
#include "libs/cusolver/dense.h"
#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/handle.h"

namespace heddle::cusolver {
namespace {

using cublas::leading;
using cublas::letter;
using libs::is_complex;

template <class T>
char op_of(cublasOperation_t op) {
  const char found = letter(op);
  return !is_complex<T> && found == 'C' ? 'T' : found;
}

// LAPACK's workspaces are the host's own; what a program brings has the size that it was told.
int room(int64_t lines) { return static_cast<int>(std::clamp<int64_t>(lines * 64, 1, INT32_MAX)); }
void check_room(int given, int64_t lines) {
  require(given >= room(lines), "the workspace is less than bufferSize says");
}

}  // namespace

// ---- LU

template <class T>
void getrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T*, int lda, int* Lwork) {
  use(handle);
  size(m, "m is negative");
  size(n, "n is negative");
  leading(lda, m, "lda is less than m");
  *Lwork = room(n);
}
template <class T>
void getrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, T*, int* devIpiv, int* devInfo) {
  const Call call(handle);
  size(m, "m is negative");
  size(n, "n is negative");
  leading(lda, m, "lda is less than m");
  call.submit("getrf", [=](Access& access) {
    access.write(A, m, n, lda);
    const int count = std::min(m, n);
    std::vector<int> pivots(static_cast<std::size_t>(count));
    if (devIpiv != nullptr) access.write(devIpiv, static_cast<uint64_t>(count));
    Matrix<native_of<T>> a(native(A), m, n, lda);
    int info = 0;
    if (count > 0) {
      if (devIpiv == nullptr)
        info = lu_without_pivots(m, n, a.data(), a.ld());
      else
        fortran::getrf<native_of<T>>(m, n, a.data(), a.ld(), pivots.data(), &info);
    }
    a.put_back(native(A), lda);
    if (devIpiv != nullptr) std::copy(pivots.begin(), pivots.end(), devIpiv);
    *access.write(devInfo, 1) = info;
  });
}
template <class T>
void getrs(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs, const T* A, int lda,
           const int* devIpiv, T* B, int ldb, int* devInfo) {
  const Call call(handle);
  const char op = op_of<T>(trans);
  size(n, "n is negative");
  size(nrhs, "nrhs is negative");
  leading(lda, n, "lda is less than n");
  leading(ldb, n, "ldb is less than n");
  call.submit("getrs", [=](Access& access) {
    access.read(A, n, n, lda);
    access.write(B, n, nrhs, ldb);
    std::vector<int> pivots(static_cast<std::size_t>(n));
    if (devIpiv != nullptr) {
      std::copy_n(access.read(devIpiv, static_cast<uint64_t>(n)), n, pivots.begin());
      for (const int one : pivots)
        if (one < 1 || one > n) refuse(Why::execution_failed, "a pivot is none of 1 to n");
    } else {
      for (int i = 0; i < n; ++i) pivots[static_cast<std::size_t>(i)] = i + 1;
    }
    int info = 0;
    if (n > 0 && nrhs > 0) {
      Matrix<native_of<T>> a(native(A), n, n, lda), b(native(B), n, nrhs, ldb);
      fortran::getrs<native_of<T>>(op, n, nrhs, a.data(), a.ld(), pivots.data(), b.data(), b.ld(), &info);
      b.put_back(native(B), ldb);
    }
    *access.write(devInfo, 1) = info;
  });
}

// ---- Cholesky

template <class T>
void potrf_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T*, int lda, int* Lwork) {
  use(handle);
  letter(uplo);
  size(n, "n is negative");
  leading(lda, n, "lda is less than n");
  *Lwork = room(n);
}
template <class T>
void potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, T*, int Lwork,
           int* devInfo) {
  const Call call(handle);
  const char half = letter(uplo);
  size(n, "n is negative");
  leading(lda, n, "lda is less than n");
  check_room(Lwork, n);
  call.submit("potrf", [=](Access& access) {
    access.write(A, n, n, lda);
    int info = 0;
    if (n > 0) {
      Matrix<native_of<T>> a(native(A), n, n, lda);
      fortran::potrf<native_of<T>>(half, n, a.data(), a.ld(), &info);
      a.put_back(native(A), lda);
    }
    *access.write(devInfo, 1) = info;
  });
}
template <class T>
void potrs(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, const T* A, int lda, T* B,
           int ldb, int* devInfo) {
  const Call call(handle);
  const char half = letter(uplo);
  size(n, "n is negative");
  size(nrhs, "nrhs is negative");
  leading(lda, n, "lda is less than n");
  leading(ldb, n, "ldb is less than n");
  call.submit("potrs", [=](Access& access) {
    access.read(A, n, n, lda);
    access.write(B, n, nrhs, ldb);
    int info = 0;
    if (n > 0 && nrhs > 0) {
      Matrix<native_of<T>> a(native(A), n, n, lda), b(native(B), n, nrhs, ldb);
      fortran::potrs<native_of<T>>(half, n, nrhs, a.data(), a.ld(), b.data(), b.ld(), &info);
      b.put_back(native(B), ldb);
    }
    *access.write(devInfo, 1) = info;
  });
}
template <class T>
void potri_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, int* lwork) {
  potrf_bufferSize(handle, uplo, n, A, lda, lwork);
}
template <class T>
void potri(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, T*, int lwork,
           int* devInfo) {
  const Call call(handle);
  const char half = letter(uplo);
  size(n, "n is negative");
  leading(lda, n, "lda is less than n");
  check_room(lwork, n);
  call.submit("potri", [=](Access& access) {
    access.write(A, n, n, lda);
    int info = 0;
    if (n > 0) {
      Matrix<native_of<T>> a(native(A), n, n, lda);
      fortran::potri<native_of<T>>(half, n, a.data(), a.ld(), &info);
      a.put_back(native(A), lda);
    }
    *access.write(devInfo, 1) = info;
  });
}

template <class T>
void potrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* Aarray[], int lda,
                  int* infoArray, int batchSize) {
  const Call call(handle);
  const char half = letter(uplo);
  size(n, "n is negative");
  size(batchSize, "batchSize is negative");
  leading(lda, n, "lda is less than n");
  if (n == 0 || batchSize == 0) return;
  call.submit("potrfBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchSize);
    T* const* as = access.read(Aarray, count);
    access.write(infoArray, count);
    for (int i = 0; i < batchSize; ++i) access.write(as[i], n, n, lda);
    libs::parallel(batchSize, [&](int64_t i) {
      Matrix<native_of<T>> a(native(as[i]), n, n, lda);
      fortran::potrf<native_of<T>>(half, n, a.data(), a.ld(), infoArray + i);
      a.put_back(native(as[i]), lda);
    });
  });
}
template <class T>
void potrsBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs, T* A[], int lda, T* B[],
                  int ldb, int* d_info, int batchSize) {
  const Call call(handle);
  const char half = letter(uplo);
  size(n, "n is negative");
  size(batchSize, "batchSize is negative");
  if (nrhs != 1) refuse(Why::not_supported, "potrsBatched solves for one right side");
  leading(lda, n, "lda is less than n");
  leading(ldb, n, "ldb is less than n");
  if (n == 0 || batchSize == 0) return;
  call.submit("potrsBatched", [=](Access& access) {
    const auto count = static_cast<uint64_t>(batchSize);
    T* const* as = access.read(A, count);
    T* const* bs = access.read(B, count);
    for (int i = 0; i < batchSize; ++i) {
      access.read(as[i], n, n, lda);
      access.write(bs[i], n, 1, ldb);
    }
    libs::parallel(batchSize, [&](int64_t i) {
      Matrix<native_of<T>> a(native(as[i]), n, n, lda), b(native(bs[i]), n, 1, ldb);
      int unused = 0;
      fortran::potrs<native_of<T>>(half, n, 1, a.data(), a.ld(), b.data(), b.ld(), &unused);
      b.put_back(native(bs[i]), ldb);
    });
    if (d_info != nullptr) *access.write(d_info, 1) = 0;
  });
}

// ---- QR

template <class T>
void geqrf_bufferSize(cusolverDnHandle_t handle, int m, int n, T*, int, int* lwork) {
  use(handle);
  // lda is not looked at: CuPy gives that of the transpose here, and NVIDIA's library takes it.
  size(m, "m is negative");
  size(n, "n is negative");
  *lwork = room(n);
}
template <class T>
void geqrf(cusolverDnHandle_t handle, int m, int n, T* A, int lda, T* TAU, T*, int Lwork, int* devInfo) {
  const Call call(handle);
  size(m, "m is negative");
  size(n, "n is negative");
  leading(lda, m, "lda is less than m");
  check_room(Lwork, n);
  call.submit("geqrf", [=](Access& access) {
    access.write(A, m, n, lda);
    access.write(TAU, static_cast<uint64_t>(std::min(m, n)));
    int info = 0;
    if (m > 0 && n > 0) {
      Matrix<native_of<T>> a(native(A), m, n, lda);
      std::vector<native_of<T>> work(static_cast<std::size_t>(room(n)));
      fortran::geqrf<native_of<T>>(m, n, a.data(), a.ld(), native(TAU), work.data(), room(n), &info);
      a.put_back(native(A), lda);
    }
    *access.write(devInfo, 1) = info;
  });
}

namespace {

void check_q(int m, int n, int k, int lda) {
  size(m, "m is negative");
  require(n >= 0 && n <= m, "n is negative or more than m");
  require(k >= 0 && k <= n, "k is negative or more than n");
  leading(lda, m, "lda is less than m");
}
template <class T>
void make_q(cusolverDnHandle_t handle, const char* name, int m, int n, int k, T* A, int lda, const T* tau,
            int lwork, int* info) {
  const Call call(handle);
  check_q(m, n, k, lda);
  check_room(lwork, n);
  call.submit(name, [=](Access& access) {
    access.write(A, m, n, lda);
    access.read(tau, static_cast<uint64_t>(k));
    int state = 0;
    if (n > 0) {
      Matrix<native_of<T>> a(native(A), m, n, lda);
      std::vector<native_of<T>> work(static_cast<std::size_t>(room(n)));
      fortran::orgqr<native_of<T>>(m, n, k, a.data(), a.ld(), native(tau), work.data(), room(n), &state);
      a.put_back(native(A), lda);
    }
    *access.write(info, 1) = state;
  });
}
struct Applied {
  char side, op;
  int rows;  // of A
};
template <class T>
Applied check_apply(cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k, int lda, int ldc) {
  const Applied found{letter(side), letter(trans), side == CUBLAS_SIDE_LEFT ? m : n};
  size(m, "m is negative");
  size(n, "n is negative");
  require(k >= 0 && k <= found.rows, "k is negative or more than the rows of A");
  leading(lda, found.rows, "lda is less than the rows of A");
  leading(ldc, m, "ldc is less than m");
  return found;
}
template <class T>
void apply_q(cusolverDnHandle_t handle, const char* name, cublasSideMode_t side, cublasOperation_t trans,
             int m, int n, int k, const T* A, int lda, const T* tau, T* C, int ldc, int lwork, int* devInfo) {
  const Call call(handle);
  const Applied how = check_apply<T>(side, trans, m, n, k, lda, ldc);
  check_transposed<T>(trans);
  check_room(lwork, std::max(m, n));
  require(m == 0 || n == 0 || k == 0 || (A != nullptr && tau != nullptr && C != nullptr), "a matrix is NULL");
  call.submit(name, [=](Access& access) {
    access.read(A, how.rows, k, lda);
    access.read(tau, static_cast<uint64_t>(k));
    access.write(C, m, n, ldc);
    int state = 0;
    if (m > 0 && n > 0 && k > 0) {
      Matrix<native_of<T>> a(native(A), how.rows, k, lda), c(native(C), m, n, ldc);
      const int count = room(std::max(m, n)) + 64 * 80;
      std::vector<native_of<T>> work(static_cast<std::size_t>(count));
      fortran::ormqr<native_of<T>>(how.side, how.op, m, n, k, a.data(), a.ld(), native(tau), c.data(), c.ld(),
                                   work.data(), count, &state);
      c.put_back(native(C), ldc);
    }
    *access.write(devInfo, 1) = state;
  });
}

}  // namespace

// Of real matrices orgqr and ormqr, of complex ones ungqr and unmqr.
#define HEDDLE_Q(make, apply)                                                                                \
  template <class T>                                                                                         \
  void make##_bufferSize(cusolverDnHandle_t handle, int m, int n, int k, const T*, int lda, const T*,        \
                         int* lwork) {                                                                       \
    use(handle);                                                                                             \
    check_q(m, n, k, lda);                                                                                   \
    *lwork = room(n);                                                                                        \
  }                                                                                                          \
  template <class T>                                                                                         \
  void make(cusolverDnHandle_t handle, int m, int n, int k, T* A, int lda, const T* tau, T*, int lwork,      \
            int* info) {                                                                                     \
    make_q(handle, #make, m, n, k, A, lda, tau, lwork, info);                                                \
  }                                                                                                          \
  template <class T>                                                                                         \
  void apply##_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m,  \
                          int n, int k, const T*, int lda, const T*, const T*, int ldc, int* lwork) {        \
    use(handle);                                                                                             \
    check_apply<T>(side, trans, m, n, k, lda, ldc);                                                          \
    *lwork = room(std::max(m, n));                                                                           \
  }                                                                                                          \
  template <class T>                                                                                         \
  void apply(cusolverDnHandle_t handle, cublasSideMode_t side, cublasOperation_t trans, int m, int n, int k, \
             const T* A, int lda, const T* tau, T* C, int ldc, T*, int lwork, int* devInfo) {                \
    apply_q(handle, #apply, side, trans, m, n, k, A, lda, tau, C, ldc, lwork, devInfo);                      \
  }
HEDDLE_Q(orgqr, ormqr)
HEDDLE_Q(ungqr, unmqr)

// ---- symmetric, not definite (of complex matrices, symmetric too)

template <class T>
void sytrf_bufferSize(cusolverDnHandle_t handle, int n, T*, int lda, int* lwork) {
  use(handle);
  size(n, "n is negative");
  leading(lda, n, "lda is less than n");
  *lwork = room(n);
}
template <class T>
void sytrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, int* ipiv, T*, int lwork,
           int* info) {
  const Call call(handle);
  const char half = letter(uplo);
  size(n, "n is negative");
  leading(lda, n, "lda is less than n");
  check_room(lwork, n);
  if (ipiv == nullptr && n > 0) refuse(Why::not_supported, "a factorisation without exchanges");
  call.submit("sytrf", [=](Access& access) {
    using N = native_of<T>;
    access.write(A, n, n, lda);
    access.write(ipiv, static_cast<uint64_t>(n));
    int state = 0;
    if (n > 0) {
      Matrix<N> a(native(A), n, n, lda);
      std::vector<int> pivots(static_cast<std::size_t>(n));
      N answer{};
      fortran::sytrf<N>(half, n, a.data(), a.ld(), pivots.data(), &answer, -1, &state);
      std::vector<N> work(static_cast<std::size_t>(asked(answer)));
      fortran::sytrf<N>(half, n, a.data(), a.ld(), pivots.data(), work.data(), static_cast<int>(work.size()),
                        &state);
      a.put_back(native(A), lda);
      std::copy(pivots.begin(), pivots.end(), ipiv);
    }
    *access.write(info, 1) = state;
  });
}

}  // namespace heddle::cusolver

#include "libs/cusolver/factorizations.gen.h"
