// What Jacobi's methods compute, and batches of singular values: by LAPACK's methods, which are as exact, so
// that tolerances are met and sweeps never run out.
#include <atomic>
#include <cmath>
#include <new>

#include "libs/common/parallel.h"
#include "libs/cusolver/dense.h"
#include "libs/cusolver/functions.gen.h"

namespace heddle::cusolver {
namespace {

using cublas::leading;
using cublas::letter;

int room(int64_t m, int64_t n) { return static_cast<int>(std::clamp<int64_t>(64 * (m + n), 1, INT32_MAX)); }
void check_room(int given, int64_t m, int64_t n) {
  require(given >= room(m, n), "the workspace is less than bufferSize says");
}
bool vectors(cusolverEigMode_t jobz) {
  require(jobz == CUSOLVER_EIG_MODE_NOVECTOR || jobz == CUSOLVER_EIG_MODE_VECTOR, "jobz is no such mode");
  return jobz == CUSOLVER_EIG_MODE_VECTOR;
}

// Every problem of a batch, on all threads. A piece may run out of memory.
template <class Piece>
void each(int64_t count, const Piece& piece) {
  std::atomic<bool> good{true};
  libs::parallel(count, [&](int64_t i) {
    try {
      piece(i);
    } catch (...) {
      good = false;
    }
  });
  if (!good) throw std::bad_alloc();
}

void check_eigen(cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, int lda, int batch) {
  vectors(jobz), letter(uplo);
  size(n, "n is negative");
  leading(lda, n, "lda is less than n");
  size(batch, "batchSize is negative");
}

// A residual is a part of the matrix's own norm (tests/hw/h200/libraries/cusolver.md).
double part(double difference, double whole) { return whole > 0 ? std::sqrt(difference / whole) : 0; }

// The norm of what A and the matrix of its values and vectors differ by.
template <class N>
double eigen_residual(Matrix<N>& a_before, Matrix<N>& vectors_of, const std::vector<Real<N>>& w, char half,
                      int n) {
  const N* const a = a_before.data();
  const N* const v = vectors_of.data();
  const int ld = vectors_of.ld();
  double sum = 0, whole = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      if (half == 'L' ? i < j : i > j) continue;
      // A diagonal is real, whatever stands beside it.
      const N element = i == j ? N(std::real(a[i + j * ld])) : a[i + j * ld];
      N value{};
      for (int k = 0; k < n; ++k) {
        const N other = v[j + k * ld];
        N conjugated = other;
        if constexpr (complex_number<N>) conjugated = std::conj(other);
        value += v[i + k * ld] * w[static_cast<std::size_t>(k)] * conjugated;
      }
      sum += std::norm(element - value) * (i == j ? 1 : 2);
      whole += std::norm(element) * (i == j ? 1 : 2);
    }
  return part(sum, whole);
}

template <class T>
void eigen_batch(cusolverDnHandle_t handle, const char* name, cusolverEigMode_t jobz, cublasFillMode_t uplo,
                 int n, T* A, int lda, real_of<T>* W, int lwork, int* info, syevjInfo_t params, int batch,
                 bool single) {
  using N = native_of<T>;
  using R = real_of<T>;
  const Call call(handle);
  check_eigen(jobz, uplo, n, lda, batch);
  check_room(lwork, n, n);
  const char job = vectors(jobz) ? 'V' : 'N', half = letter(uplo);
  const auto kept = object<JacobiEigen>(params);
  call.submit(name, [=](Access& access) {
    const int64_t stride = int64_t{lda} * n;
    access.write(A, n, int64_t{n} * batch, lda);
    access.write(W, static_cast<uint64_t>(n) * static_cast<uint64_t>(batch));
    access.write(info, static_cast<uint64_t>(batch));
    each(batch, [&](int64_t b) {
      info[b] = 0;
      if (n == 0) return;
      Matrix<N> before(native(A) + b * stride, n, n, lda);
      Matrix<N> a(native(A) + b * stride, n, n, lda);
      std::vector<R> w(static_cast<std::size_t>(n));
      info[b] = eigenvalues<N>(job, half, n, a.data(), a.ld(), w.data());
      if (job == 'V') a.put_back(native(A) + b * stride, lda);
      std::copy(w.begin(), w.end(), W + b * n);
      if (single && job == 'V') kept->residual = eigen_residual(before, a, w, half, n);
    });
    kept->sweeps = 1;
  });
}

int kind_of(cusolverEigType_t type) {
  require(type >= CUSOLVER_EIG_TYPE_1 && type <= CUSOLVER_EIG_TYPE_3, "itype is none of 1, 2, 3");
  return type;
}
template <class T>
void general_eigen(cusolverDnHandle_t handle, const char* name, cusolverEigType_t type,
                   cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, int lda, T* B, int ldb,
                   real_of<T>* W, int lwork, int* info, syevjInfo_t params) {
  using N = native_of<T>;
  const Call call(handle);
  const int kind = kind_of(type);
  check_eigen(jobz, uplo, n, lda, 1);
  leading(ldb, n, "ldb is less than n");
  check_room(lwork, n, n);
  const char job = vectors(jobz) ? 'V' : 'N', half = letter(uplo);
  const auto kept = object<JacobiEigen>(params);
  call.submit(name, [=](Access& access) {
    access.write(A, n, n, lda);
    access.write(B, n, n, ldb);
    access.write(W, static_cast<uint64_t>(n));
    int state = 0;
    if (n > 0) {
      Matrix<N> a(native(A), n, n, lda), b(native(B), n, n, ldb);
      std::vector<real_of<T>> w(static_cast<std::size_t>(n));
      state = general_eigenvalues<N>(kind, job, half, n, a.data(), a.ld(), b.data(), b.ld(), w.data());
      if (job == 'V') a.put_back(native(A), lda);
      b.put_back(native(B), ldb);
      std::copy(w.begin(), w.end(), W);
    }
    kept->sweeps = 1;
    *access.write(info, 1) = state;
  });
}

}  // namespace

// ---- what is asked of the methods, and about them

void cusolverDnXsyevjSetTolerance(syevjInfo_t info, double tolerance) {
  object<JacobiEigen>(info)->tolerance = tolerance;
}
void cusolverDnXsyevjSetMaxSweeps(syevjInfo_t info, int max_sweeps) {
  size(max_sweeps, "max_sweeps is negative");
  object<JacobiEigen>(info)->most_sweeps = max_sweeps;
}
void cusolverDnXsyevjSetSortEig(syevjInfo_t info, int sort_eig) {
  object<JacobiEigen>(info)->sorted = sort_eig != 0;
}
void cusolverDnXgesvdjSetTolerance(gesvdjInfo_t info, double tolerance) {
  object<JacobiSingular>(info)->tolerance = tolerance;
}
void cusolverDnXgesvdjSetMaxSweeps(gesvdjInfo_t info, int max_sweeps) {
  size(max_sweeps, "max_sweeps is negative");
  object<JacobiSingular>(info)->most_sweeps = max_sweeps;
}
void cusolverDnXgesvdjSetSortEig(gesvdjInfo_t info, int sort_svd) {
  object<JacobiSingular>(info)->sorted = sort_svd != 0;
}

namespace {

template <class Kind, class Value, class Member>
void tell(cusolverDnHandle_t handle, const void* info, Value* out, const Member& member) {
  const Call call(handle);
  const auto kept = object<Kind>(info);
  if (out == nullptr) libs::refuse_null("the place for the answer");
  call.submit_and_wait("jacobi", [](Access&) {});
  *out = member(*kept);
}

}  // namespace

void cusolverDnXsyevjGetResidual(cusolverDnHandle_t handle, syevjInfo_t info, double* residual) {
  tell<JacobiEigen>(handle, info, residual, [](const Jacobi& j) { return j.residual.load(); });
}
void cusolverDnXsyevjGetSweeps(cusolverDnHandle_t handle, syevjInfo_t info, int* executed_sweeps) {
  tell<JacobiEigen>(handle, info, executed_sweeps, [](const Jacobi& j) { return j.sweeps.load(); });
}
void cusolverDnXgesvdjGetResidual(cusolverDnHandle_t handle, gesvdjInfo_t info, double* residual) {
  tell<JacobiSingular>(handle, info, residual, [](const Jacobi& j) { return j.residual.load(); });
}
void cusolverDnXgesvdjGetSweeps(cusolverDnHandle_t handle, gesvdjInfo_t info, int* executed_sweeps) {
  tell<JacobiSingular>(handle, info, executed_sweeps, [](const Jacobi& j) { return j.sweeps.load(); });
}

// ---- eigenvalues. Of real matrices sy..., of complex ones he...

#define HEDDLE_EIGEN(SY, R)                                                                                  \
  template <class T>                                                                                         \
  void SY##evjBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,   \
                                 int n, const T*, int lda, const R*, int* lwork, syevjInfo_t params,         \
                                 int batchSize) {                                                            \
    use(handle);                                                                                             \
    check_eigen(jobz, uplo, n, lda, batchSize);                                                              \
    object<JacobiEigen>(params);                                                                             \
    *lwork = room(n, n);                                                                                     \
  }                                                                                                          \
  template <class T>                                                                                         \
  void SY##evjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A, \
                      int lda, R* W, T*, int lwork, int* info, syevjInfo_t params, int batchSize) {          \
    eigen_batch(handle, #SY "evjBatched", jobz, uplo, n, A, lda, W, lwork, info, params, batchSize, false);  \
  }                                                                                                          \
  template <class T>                                                                                         \
  void SY##evj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n,   \
                          const T*, int lda, const R*, int* lwork, syevjInfo_t params) {                     \
    use(handle);                                                                                             \
    check_eigen(jobz, uplo, n, lda, 1);                                                                      \
    object<JacobiEigen>(params);                                                                             \
    *lwork = room(n, n);                                                                                     \
  }                                                                                                          \
  template <class T>                                                                                         \
  void SY##evj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T* A,        \
               int lda, R* W, T*, int lwork, int* info, syevjInfo_t params) {                                \
    eigen_batch(handle, #SY "evj", jobz, uplo, n, A, lda, W, lwork, info, params, 1, true);                  \
  }                                                                                                          \
  template <class T>                                                                                         \
  void SY##gvj_bufferSize(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,        \
                          cublasFillMode_t uplo, int n, const T*, int lda, const T*, int ldb, const R*,      \
                          int* lwork, syevjInfo_t params) {                                                  \
    use(handle);                                                                                             \
    kind_of(itype);                                                                                          \
    check_eigen(jobz, uplo, n, lda, 1);                                                                      \
    leading(ldb, n, "ldb is less than n");                                                                   \
    object<JacobiEigen>(params);                                                                             \
    *lwork = room(n, n);                                                                                     \
  }                                                                                                          \
  template <class T>                                                                                         \
  void SY##gvj(cusolverDnHandle_t handle, cusolverEigType_t itype, cusolverEigMode_t jobz,                   \
               cublasFillMode_t uplo, int n, T* A, int lda, T* B, int ldb, R* W, T*, int lwork, int* info,   \
               syevjInfo_t params) {                                                                         \
    general_eigen(handle, #SY "gvj", itype, jobz, uplo, n, A, lda, B, ldb, W, lwork, info, params);          \
  }
HEDDLE_EIGEN(sy, T)
HEDDLE_EIGEN(he, real_of<T>)
#undef HEDDLE_EIGEN

// ---- singular values

namespace {

// One matrix: V comes as rows from LAPACK and is given as columns. The norm of what the product lacks of A.
template <class N>
struct Svd {
  Svd(const N* from, int m_, int n_, int lda, bool with_vectors, bool thin)
      : m(m_),
        n(n_),
        least(std::min(m_, n_)),
        before(from, m_, n_, lda),
        a(from, m_, n_, lda),
        u(nullptr, with_vectors ? m_ : 1, with_vectors ? (thin ? least : m_) : 1, m_),
        vt(nullptr, with_vectors ? (thin ? least : n_) : 1, with_vectors ? n_ : 1, n_),
        s(static_cast<std::size_t>(least)) {
    const char job = !with_vectors ? 'N' : thin ? 'S' : 'A';
    if (least > 0)
      state = singular_values<N>(job, job, m, n, a.data(), a.ld(), s.data(), u.data(), u.ld(), vt.data(),
                                 vt.ld());
  }
  void give(Real<N>* to_s, N* to_u, int ldu, N* to_v, int ldv, int columns_u, int columns_v, int values,
            bool with_vectors) {
    std::copy_n(s.begin(), values, to_s);
    if (!with_vectors) return;
    for (int j = 0; j < columns_u; ++j)
      std::copy_n(u.data() + int64_t{j} * u.ld(), m, to_u + int64_t{j} * ldu);
    for (int j = 0; j < columns_v; ++j)
      for (int i = 0; i < n; ++i) {
        const N value = vt.data()[j + int64_t{i} * vt.ld()];
        if constexpr (complex_number<N>)
          to_v[i + int64_t{j} * ldv] = std::conj(value);
        else
          to_v[i + int64_t{j} * ldv] = value;
      }
  }
  // The norm of what U S V' leaves, and of the matrix.
  std::pair<double, double> left(int rank) {
    double sum = 0, whole = 0;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) {
        N value = before.data()[i + int64_t{j} * before.ld()];
        whole += std::norm(value);
        for (int k = 0; k < rank; ++k)
          value -= u.data()[i + int64_t{k} * u.ld()] * s[static_cast<std::size_t>(k)] *
                   vt.data()[k + int64_t{j} * vt.ld()];
        sum += std::norm(value);
      }
    return {sum, whole};
  }
  double residual(int rank) {
    const auto [sum, whole] = left(rank);
    return part(sum, whole);
  }
  const int m, n, least;
  Matrix<N> before, a, u, vt;
  std::vector<Real<N>> s;
  int state = 0;
};

void check_svd(cusolverEigMode_t jobz, int m, int n, int lda, int ldu, int ldv) {
  size(m, "m is negative");
  size(n, "n is negative");
  leading(lda, m, "lda is less than m");
  if (!vectors(jobz)) return;
  leading(ldu, m, "ldu is less than m");
  leading(ldv, n, "ldv is less than n");
}

}  // namespace

template <class T>
void gesvdj_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int, int m, int n, const T*,
                       int lda, const real_of<T>*, const T*, int ldu, const T*, int ldv, int* lwork,
                       gesvdjInfo_t params) {
  use(handle);
  check_svd(jobz, m, n, lda, ldu, ldv);
  object<JacobiSingular>(params);
  *lwork = room(m, n);
}
template <class T>
void gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, T* A, int lda,
            real_of<T>* S, T* U, int ldu, T* V, int ldv, T*, int lwork, int* info, gesvdjInfo_t params) {
  using N = native_of<T>;
  const Call call(handle);
  check_svd(jobz, m, n, lda, ldu, ldv);
  check_room(lwork, m, n);
  const auto kept = object<JacobiSingular>(params);
  const bool with_vectors = vectors(jobz), thin = econ != 0;
  const int least = std::min(m, n), columns_u = thin ? least : m, columns_v = thin ? least : n;
  call.submit("gesvdj", [=](Access& access) {
    access.write(A, m, n, lda);
    access.write(S, static_cast<uint64_t>(least));
    if (with_vectors) access.write(U, m, columns_u, ldu), access.write(V, n, columns_v, ldv);
    Svd<N> svd(native(A), m, n, lda, with_vectors, thin);
    svd.give(S, native(U), ldu, native(V), ldv, columns_u, columns_v, least, with_vectors);
    if (with_vectors) kept->residual = svd.residual(least);
    kept->sweeps = 1;
    *access.write(info, 1) = svd.state;
  });
}

template <class T>
void gesvdjBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, const T*,
                              int lda, const real_of<T>*, const T*, int ldu, const T*, int ldv, int* lwork,
                              gesvdjInfo_t params, int batchSize) {
  use(handle);
  check_svd(jobz, m, n, lda, ldu, ldv);
  size(batchSize, "batchSize is negative");
  require(m <= 32 && n <= 32, "m or n is above 32");
  object<JacobiSingular>(params);
  *lwork = room(m, n);
}
template <class T>
void gesvdjBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, T* A, int lda,
                   real_of<T>* S, T* U, int ldu, T* V, int ldv, T*, int lwork, int* info, gesvdjInfo_t params,
                   int batchSize) {
  using N = native_of<T>;
  const Call call(handle);
  check_svd(jobz, m, n, lda, ldu, ldv);
  size(batchSize, "batchSize is negative");
  require(m <= 32 && n <= 32, "m or n is above 32");
  check_room(lwork, m, n);
  const auto kept = object<JacobiSingular>(params);
  const bool with_vectors = vectors(jobz);
  const int least = std::min(m, n);
  call.submit("gesvdjBatched", [=](Access& access) {
    access.write(A, m, int64_t{n} * batchSize, lda);
    access.write(S, static_cast<uint64_t>(least) * static_cast<uint64_t>(batchSize));
    access.write(info, static_cast<uint64_t>(batchSize));
    if (with_vectors)
      access.write(U, m, int64_t{m} * batchSize, ldu), access.write(V, n, int64_t{n} * batchSize, ldv);
    each(batchSize, [&](int64_t b) {
      Svd<N> svd(native(A) + b * lda * n, m, n, lda, with_vectors, false);
      svd.give(S + b * least, with_vectors ? native(U) + b * ldu * m : nullptr, ldu,
               with_vectors ? native(V) + b * ldv * n : nullptr, ldv, m, n, least, with_vectors);
      info[b] = svd.state;
    });
    kept->sweeps = 1;
  });
}

namespace {

void check_approximate(cusolverEigMode_t jobz, int rank, int m, int n, int lda, int ldu, int ldv, int batch) {
  check_svd(jobz, m, n, lda, ldu, ldv);
  require(rank >= 1 && rank <= std::min(m, n), "rank is not between 1 and the least of m and n");
  size(batch, "batchSize is negative");
}

}  // namespace

template <class T>
void gesvdaStridedBatched_bufferSize(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m,
                                     int n, const T*, int lda, long long, const real_of<T>*, long long,
                                     const T*, int ldu, long long, const T*, int ldv, long long, int* lwork,
                                     int batchSize) {
  use(handle);
  check_approximate(jobz, rank, m, n, lda, ldu, ldv, batchSize);
  *lwork = room(m, n);
}
template <class T>
void gesvdaStridedBatched(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int rank, int m, int n,
                          const T* d_A, int lda, long long strideA, real_of<T>* d_S, long long strideS,
                          T* d_U, int ldu, long long strideU, T* d_V, int ldv, long long strideV, T*,
                          int lwork, int* d_info, double* h_R_nrmF, int batchSize) {
  using N = native_of<T>;
  const Call call(handle);
  check_approximate(jobz, rank, m, n, lda, ldu, ldv, batchSize);
  check_room(lwork, m, n);
  const bool with_vectors = vectors(jobz);
  const auto work = [=](Access& access) {
    access.write(d_info, static_cast<uint64_t>(batchSize));
    for (int b = 0; b < batchSize; ++b) {
      access.read(d_A + b * strideA, m, n, lda);
      access.write(d_S + b * strideS, static_cast<uint64_t>(rank));
      if (with_vectors)
        access.write(d_U + b * strideU, m, rank, ldu), access.write(d_V + b * strideV, n, rank, ldv);
    }
    each(batchSize, [&](int64_t b) {
      Svd<N> svd(native(d_A) + b * strideA, m, n, lda, with_vectors, true);
      svd.give(d_S + b * strideS, with_vectors ? native(d_U) + b * strideU : nullptr, ldu,
               with_vectors ? native(d_V) + b * strideV : nullptr, ldv, rank, rank, rank, with_vectors);
      d_info[b] = svd.state;
      if (h_R_nrmF != nullptr) h_R_nrmF[b] = with_vectors ? std::sqrt(svd.left(rank).first) : 0;
    });
  };
  if (h_R_nrmF != nullptr)  // for the host
    call.submit_and_wait("gesvdaStridedBatched", work);
  else
    call.submit("gesvdaStridedBatched", work);
}

}  // namespace heddle::cusolver

#include "libs/cusolver/jacobi.gen.h"
