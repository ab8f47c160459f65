// LAPACK's drivers with workspaces of their own: what the typed, the 64-bit and Jacobi's interface all call.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "libs/cublas/lapack.h"
#include "libs/cusolver/handle.h"

namespace heddle::cusolver {

template <class N>
constexpr bool complex_number = !std::is_floating_point_v<N>;
template <class N>
struct RealOf {
  using Type = N;
};
template <class R>
struct RealOf<std::complex<R>> {
  using Type = R;
};
template <class N>
using Real = typename RealOf<N>::Type;

inline char job_of(cusolverEigMode_t jobz) {
  require(jobz == CUSOLVER_EIG_MODE_NOVECTOR || jobz == CUSOLVER_EIG_MODE_VECTOR, "jobz is no such mode");
  return jobz == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N';
}

// Multiplying by a Q that is transposed: a real one by T, a complex one by C, and the other letter is
// refused, though not by _bufferSize (tests/hw/h200/libraries/cusolver.md).
template <class T>
void check_transposed(cublasOperation_t trans) {
  require(trans != (libs::is_complex<T> ? CUBLAS_OP_T : CUBLAS_OP_C),
          libs::is_complex<T> ? "a complex Q is conjugated when it is transposed: CUBLAS_OP_C"
                              : "a real Q is transposed by CUBLAS_OP_T");
}

// What LAPACK answers when it is asked for a workspace, and a little more: OpenBLAS reads ahead.
template <class N>
int asked(const N& answer) {
  return static_cast<int>(std::real(answer)) + 8;
}

// A driver by divide and conquer: solve(work, count, real, count, whole, count) asks it for its workspaces
// with counts of -1, and then runs it.
template <class N, class Solve>
void with_workspaces(const Solve& solve) {
  N size{};
  Real<N> real_size{};
  int whole_size = 0;
  solve(&size, -1, &real_size, -1, &whole_size, -1);
  std::vector<N> work(static_cast<std::size_t>(asked(size)));
  std::vector<Real<N>> real(static_cast<std::size_t>(asked(real_size)));
  std::vector<int> whole(static_cast<std::size_t>(whole_size + 8));
  solve(work.data(), static_cast<int>(work.size()), real.data(), static_cast<int>(real.size()), whole.data(),
        static_cast<int>(whole.size()));
}

// Eigenvalues in rising order into w, eigenvectors over a with job 'V'. Returns LAPACK's info.
template <class N>
int eigenvalues(char job, char half, int n, N* a, int ld, Real<N>* w) {
  int state = 0;
  with_workspaces<N>([&](N* work, int count, Real<N>* real, int real_count, int* whole, int whole_count) {
    if constexpr (complex_number<N>)
      fortran::syevd<N>(job, half, n, a, ld, w, work, count, real, real_count, whole, whole_count, &state);
    else
      fortran::syevd<N>(job, half, n, a, ld, w, work, count, whole, whole_count, &state);
  });
  return state;
}

// The same of A x = w B x (kind 1), A B x = w x (2), B A x = w x (3); b becomes its Cholesky factor.
template <class N>
int general_eigenvalues(int kind, char job, char half, int n, N* a, int lda, N* b, int ldb, Real<N>* w) {
  int state = 0;
  with_workspaces<N>([&](N* work, int count, Real<N>* real, int real_count, int* whole, int whole_count) {
    if constexpr (complex_number<N>)
      fortran::sygvd<N>(kind, job, half, n, a, lda, b, ldb, w, work, count, real, real_count, whole,
                        whole_count, &state);
    else
      fortran::sygvd<N>(kind, job, half, n, a, lda, b, ldb, w, work, count, whole, whole_count, &state);
  });
  return state;
}

// Singular values in falling order into s; `rest`, if there, gets the superdiagonal that did not converge.
template <class N>
int singular_values(char job_u, char job_v, int m, int n, N* a, int lda, Real<N>* s, N* u, int ldu, N* v,
                    int ldv, std::vector<Real<N>>* rest = nullptr) {
  using R = Real<N>;
  const int least = std::min(m, n);
  std::vector<R> real(static_cast<std::size_t>(5 * least + 8));
  N size{};
  int state = 0;
  const auto solve = [&](N* work, int count) {
    if constexpr (complex_number<N>)
      fortran::gesvd<N>(job_u, job_v, m, n, a, lda, s, u, ldu, v, ldv, work, count, real.data(), &state);
    else
      fortran::gesvd<N>(job_u, job_v, m, n, a, lda, s, u, ldu, v, ldv, work, count, &state);
  };
  solve(&size, -1);
  std::vector<N> work(static_cast<std::size_t>(asked(size)));
  solve(work.data(), static_cast<int>(work.size()));
  if (rest != nullptr && state > 0)
    for (int i = 0; i + 1 < least; ++i)
      rest->push_back(complex_number<N> ? real[static_cast<std::size_t>(i)]
                                        : std::real(work[static_cast<std::size_t>(i + 1)]));
  return state;
}

// Of LU without exchanges of rows, as asked for with no place for pivots. The number of the first zero on the
// diagonal, from 1.
template <class N>
int lu_without_pivots(int64_t m, int64_t n, N* a, int64_t ld) {
  int zero = 0;
  for (int64_t p = 0; p < std::min(m, n); ++p) {
    const N pivot = a[p + p * ld];
    if (pivot == N(0)) {
      if (zero == 0) zero = static_cast<int>(p + 1);
      continue;
    }
    for (int64_t i = p + 1; i < m; ++i) a[i + p * ld] /= pivot;
    for (int64_t j = p + 1; j < n; ++j) {
      const N factor = a[p + j * ld];
      for (int64_t i = p + 1; i < m; ++i) a[i + j * ld] -= a[i + p * ld] * factor;
    }
  }
  return zero;
}

}  // namespace heddle::cusolver
