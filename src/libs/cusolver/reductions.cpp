// Matrices brought to two diagonals (A = Q B P^H) or, symmetric ones, to three (A = Q T Q^H), and the Q of
// that.
#include <algorithm>

#include "libs/cublas/lapack.h"
#include "libs/cusolver/dense.h"
#include "libs/cusolver/functions.gen.h"

namespace heddle::cusolver {
namespace {

using cublas::leading;
using cublas::letter;
using libs::is_complex;

int room(int64_t lines) { return static_cast<int>(std::clamp<int64_t>(lines * 64, 1, INT32_MAX)); }
void check_room(int given, int64_t lines) {
  require(given >= room(lines), "the workspace is less than bufferSize says");
}
// One of LAPACK's routines: asked for its workspace, and run.
template <class N, class Run>
void with_workspace(const Run& run) {
  N answer{};
  run(&answer, -1);
  std::vector<N> work(static_cast<std::size_t>(asked(answer)));
  run(work.data(), static_cast<int>(work.size()));
}

// Of Q (m by n, from k columns of an m by k matrix), and of P^H (m by n, from k rows of a k by n matrix).
char check_bidiagonal_q(cublasSideMode_t side, int m, int n, int k, int lda) {
  size(m, "m is negative");
  size(n, "n is negative");
  size(k, "k is negative");
  leading(lda, m, "lda is less than m");
  if (letter(side) == 'L') {
    require(n <= m && n >= std::min(m, k), "n is not within min(m, k) and m");
    return 'Q';
  }
  require(m <= n && m >= std::min(n, k), "m is not within min(n, k) and n");
  return 'P';
}
template <class T>
void make_bidiagonal_q(cusolverDnHandle_t handle, const char* name, cublasSideMode_t side, int m, int n,
                       int k, T* A, int lda, const T* tau, int lwork, int* info) {
  const Call call(handle);
  const char which = check_bidiagonal_q(side, m, n, k, lda);
  check_room(lwork, std::max(m, n));
  call.submit(name, [=](Access& access) {
    using N = native_of<T>;
    access.write(A, m, n, lda);
    access.read(tau, static_cast<uint64_t>(std::min(which == 'Q' ? m : n, k)));
    int state = 0;
    if (m > 0 && n > 0) {
      Matrix<N> a(native(A), m, n, lda);
      with_workspace<N>([&](N* work, int count) {
        fortran::orgbr<N>(which, m, n, k, a.data(), a.ld(), native(tau), work, count, &state);
      });
      a.put_back(native(A), lda);
    }
    *access.write(info, 1) = state;
  });
}

char check_symmetric(cublasFillMode_t uplo, int n, int lda) {
  const char half = letter(uplo);
  size(n, "n is negative");
  leading(lda, n, "lda is less than n");
  return half;
}
template <class T>
void tridiagonal(cusolverDnHandle_t handle, const char* name, cublasFillMode_t uplo, int n, T* A, int lda,
                 real_of<T>* d, real_of<T>* e, T* tau, int lwork, int* info) {
  const Call call(handle);
  const char half = check_symmetric(uplo, n, lda);
  check_room(lwork, n);
  call.submit(name, [=](Access& access) {
    using N = native_of<T>;
    const auto order = static_cast<uint64_t>(n), less = order > 0 ? order - 1 : 0;
    access.write(A, n, n, lda);
    access.write(d, order), access.write(e, less), access.write(tau, less);
    int state = 0;
    if (n > 0) {
      Matrix<N> a(native(A), n, n, lda);
      with_workspace<N>([&](N* work, int count) {
        fortran::sytrd<N>(half, n, a.data(), a.ld(), d, e, native(tau), work, count, &state);
      });
      a.put_back(native(A), lda);
    }
    *access.write(info, 1) = state;
  });
}
template <class T>
void make_tridiagonal_q(cusolverDnHandle_t handle, const char* name, cublasFillMode_t uplo, int n, T* A,
                        int lda, const T* tau, int lwork, int* info) {
  const Call call(handle);
  const char half = check_symmetric(uplo, n, lda);
  check_room(lwork, n);
  call.submit(name, [=](Access& access) {
    using N = native_of<T>;
    access.write(A, n, n, lda);
    access.read(tau, static_cast<uint64_t>(std::max(n - 1, 0)));
    int state = 0;
    if (n > 0) {
      Matrix<N> a(native(A), n, n, lda);
      with_workspace<N>([&](N* work, int count) {
        fortran::orgtr<N>(half, n, a.data(), a.ld(), native(tau), work, count, &state);
      });
      a.put_back(native(A), lda);
    }
    *access.write(info, 1) = state;
  });
}

struct Applied {
  char side, half, op;
  int order;  // of A
};
template <class T>
Applied check_apply(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, int m, int n,
                    int lda, int ldc) {
  size(m, "m is negative");
  size(n, "n is negative");
  const Applied found{letter(side), letter(uplo), letter(trans), side == CUBLAS_SIDE_LEFT ? m : n};
  leading(lda, found.order, "lda is less than the order of A");
  leading(ldc, m, "ldc is less than m");
  return found;
}
template <class T>
void apply_tridiagonal_q(cusolverDnHandle_t handle, const char* name, cublasSideMode_t side,
                         cublasFillMode_t uplo, cublasOperation_t trans, int m, int n, const T* A, int lda,
                         const T* tau, T* C, int ldc, int lwork, int* info) {
  const Call call(handle);
  const Applied how = check_apply<T>(side, uplo, trans, m, n, lda, ldc);
  check_transposed<T>(trans);
  check_room(lwork, std::max(m, n));
  call.submit(name, [=](Access& access) {
    using N = native_of<T>;
    access.read(A, how.order, how.order, lda);
    access.read(tau, static_cast<uint64_t>(std::max(how.order - 1, 0)));
    access.write(C, m, n, ldc);
    int state = 0;
    if (m > 0 && n > 0) {
      Matrix<N> a(native(A), how.order, how.order, lda), c(native(C), m, n, ldc);
      with_workspace<N>([&](N* work, int count) {
        fortran::ormtr<N>(how.side, how.half, how.op, m, n, a.data(), a.ld(), native(tau), c.data(), c.ld(),
                          work, count, &state);
      });
      c.put_back(native(C), ldc);
    }
    *access.write(info, 1) = state;
  });
}

}  // namespace

template <class T>
void gebrd_bufferSize(cusolverDnHandle_t handle, int m, int n, int* Lwork) {
  use(handle);
  size(m, "m is negative");
  size(n, "n is negative");
  *Lwork = room(int64_t{m} + n);
}
template <class T>
void gebrd(cusolverDnHandle_t handle, int m, int n, T* A, int lda, real_of<T>* D, real_of<T>* E, T* TAUQ,
           T* TAUP, T*, int Lwork, int* devInfo) {
  const Call call(handle);
  size(m, "m is negative");
  size(n, "n is negative");
  require(m >= n, "m is less than n");  // as documented
  leading(lda, m, "lda is less than m");
  check_room(Lwork, int64_t{m} + n);
  call.submit("gebrd", [=](Access& access) {
    using N = native_of<T>;
    const auto least = static_cast<uint64_t>(n);
    access.write(A, m, n, lda);
    access.write(D, least), access.write(E, least > 0 ? least - 1 : 0);
    access.write(TAUQ, least), access.write(TAUP, least);
    int state = 0;
    if (n > 0) {
      Matrix<N> a(native(A), m, n, lda);
      with_workspace<N>([&](N* work, int count) {
        fortran::gebrd<N>(m, n, a.data(), a.ld(), D, E, native(TAUQ), native(TAUP), work, count, &state);
      });
      a.put_back(native(A), lda);
    }
    *access.write(devInfo, 1) = state;
  });
}

// Of real matrices orgbr, sytrd, orgtr, ormtr, of complex ones ungbr, hetrd, ungtr, unmtr.
#define HEDDLE_REDUCED(gbr, trd, gtr, mtr)                                                                   \
  template <class T>                                                                                         \
  void gbr##_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n, int k, const T*,     \
                        int lda, const T*, int* lwork) {                                                     \
    use(handle);                                                                                             \
    check_bidiagonal_q(side, m, n, k, lda);                                                                  \
    *lwork = room(std::max(m, n));                                                                           \
  }                                                                                                          \
  template <class T>                                                                                         \
  void gbr(cusolverDnHandle_t handle, cublasSideMode_t side, int m, int n, int k, T* A, int lda,             \
           const T* tau, T*, int lwork, int* info) {                                                         \
    make_bidiagonal_q(handle, #gbr, side, m, n, k, A, lda, tau, lwork, info);                                \
  }                                                                                                          \
  template <class T>                                                                                         \
  void trd##_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, const T*, int lda,          \
                        const real_of<T>*, const real_of<T>*, const T*, int* lwork) {                        \
    use(handle);                                                                                             \
    check_symmetric(uplo, n, lda);                                                                           \
    *lwork = room(n);                                                                                        \
  }                                                                                                          \
  template <class T>                                                                                         \
  void trd(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, real_of<T>* d,            \
           real_of<T>* e, T* tau, T*, int lwork, int* info) {                                                \
    tridiagonal(handle, #trd, uplo, n, A, lda, d, e, tau, lwork, info);                                      \
  }                                                                                                          \
  template <class T>                                                                                         \
  void gtr##_bufferSize(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, const T*, int lda,          \
                        const T*, int* lwork) {                                                              \
    use(handle);                                                                                             \
    check_symmetric(uplo, n, lda);                                                                           \
    *lwork = room(n);                                                                                        \
  }                                                                                                          \
  template <class T>                                                                                         \
  void gtr(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* A, int lda, const T* tau, T*,         \
           int lwork, int* info) {                                                                           \
    make_tridiagonal_q(handle, #gtr, uplo, n, A, lda, tau, lwork, info);                                     \
  }                                                                                                          \
  template <class T>                                                                                         \
  void mtr##_bufferSize(cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,             \
                        cublasOperation_t trans, int m, int n, const T*, int lda, const T*, const T*,        \
                        int ldc, int* lwork) {                                                               \
    use(handle);                                                                                             \
    check_apply<T>(side, uplo, trans, m, n, lda, ldc);                                                       \
    *lwork = room(std::max(m, n));                                                                           \
  }                                                                                                          \
  template <class T>                                                                                         \
  void mtr(cusolverDnHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans, \
           int m, int n, T* A, int lda, T* tau, T* C, int ldc, T*, int lwork, int* info) {                   \
    apply_tridiagonal_q(handle, #mtr, side, uplo, trans, m, n, A, lda, tau, C, ldc, lwork, info);            \
  }
HEDDLE_REDUCED(orgbr, sytrd, orgtr, ormtr)
HEDDLE_REDUCED(ungbr, hetrd, ungtr, unmtr)

}  // namespace heddle::cusolver

#include "libs/cusolver/reductions.gen.h"
