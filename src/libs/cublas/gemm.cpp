#include "libs/cublas/gemm.h"

#include <algorithm>

#include "libs/common/parallel.h"

namespace heddle::cublas {
namespace {

// Below so many multiplications a call of OpenBLAS costs more than they do.
constexpr int64_t tiny = 12 * 12 * 12;

template <class N>
N conjugate_if(const N& x, bool) {
  return x;
}
template <class R>
std::complex<R> conjugate_if(const std::complex<R>& x, bool conjugate) {
  return conjugate ? std::conj(x) : x;
}
template <class R>
void add_product(R& sum, R a, R b) {
  sum += a * b;
}
// Without the library's care for infinities, which BLAS has not either.
template <class R>
void add_product(std::complex<R>& sum, const std::complex<R>& a, const std::complex<R>& b) {
  sum = {sum.real() + (a.real() * b.real() - a.imag() * b.imag()),
         sum.imag() + (a.real() * b.imag() + a.imag() * b.real())};
}

// Columns of C one after the other; each is a sum of columns of op(A).
template <class N>
void gemm_tiny(const Shape& s, N alpha, const N* a, const N* b, N beta, N* c) {
  constexpr int64_t most = 64;
  N column[most];
  const bool conjugate_a = s.opa == 'C', conjugate_b = s.opb == 'C';
  const int64_t a_row = s.opa == 'N' ? 1 : s.lda, a_step = s.opa == 'N' ? s.lda : 1;
  const int64_t b_row = s.opb == 'N' ? 1 : s.ldb, b_column = s.opb == 'N' ? s.ldb : 1;
  for (int64_t j = 0; j < s.n; ++j)
    for (int64_t i0 = 0; i0 < s.m; i0 += most) {
      const int64_t rows = std::min(most, s.m - i0);
      std::fill_n(column, rows, N(0));
      for (int64_t p = 0; p < s.k; ++p) {
        const N factor = conjugate_if(b[p * b_row + j * b_column], conjugate_b);
        const N* from = a + i0 * a_row + p * a_step;
        if (a_row == 1)
          for (int64_t i = 0; i < rows; ++i)
            add_product(column[i], conjugate_if(from[i], conjugate_a), factor);
        else
          for (int64_t i = 0; i < rows; ++i)
            add_product(column[i], conjugate_if(from[i * a_row], conjugate_a), factor);
      }
      N* to = c + i0 + j * s.ldc;
      for (int64_t i = 0; i < rows; ++i) {
        N sum(0);
        add_product(sum, alpha, column[i]);
        if (beta != N(0)) add_product(sum, beta, to[i]);
        to[i] = sum;
      }
    }
}

}  // namespace

void check(const Shape& s) {
  using libs::require;
  require(s.m >= 0 && s.n >= 0 && s.k >= 0, "m, n or k is negative");
  require(s.lda >= std::max<int64_t>(1, s.a_rows()), "lda is less than the rows of A");
  require(s.ldb >= std::max<int64_t>(1, s.b_rows()), "ldb is less than the rows of B");
  require(s.ldc >= std::max<int64_t>(1, s.m), "ldc is less than m");
}

template <class N>
void gemm(const Shape& s, N alpha, const N* a, const N* b, N beta, N* c) {
  if (s.empty()) return;
  if (alpha != N(0) && s.m * s.n <= tiny && s.m * s.n * s.k <= tiny)
    return gemm_tiny(s, alpha, a, b, beta, c);
  fortran::gemm<N>(s.opa, s.opb, fortran::size(s.m), fortran::size(s.n), fortran::size(s.k), alpha, a,
                   fortran::size(s.lda), b, fortran::size(s.ldb), beta, c, fortran::size(s.ldc));
}

template <class N>
void gemm_batch(const Shape& s, N alpha, N beta, const Operands<N>* batch, int64_t count) {
  const double work =
      static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(std::max<int64_t>(s.k, 1));
  // Large ones have the threads of OpenBLAS; a piece of few small ones costs more to hand over than to do.
  if (count == 1 || work > 256.0 * 256 * 256 || work * static_cast<double>(count) < 100e3) {
    for (int64_t i = 0; i < count; ++i) gemm<N>(s, alpha, batch[i].a, batch[i].b, beta, batch[i].c);
    return;
  }
  const int64_t in_piece = std::max<int64_t>(
      1, std::min<int64_t>(count / (4 * libs::parallel_threads()) + 1, static_cast<int64_t>(1e6 / work) + 1));
  libs::parallel((count + in_piece - 1) / in_piece, [&](int64_t piece) {
    const int64_t end = std::min(count, (piece + 1) * in_piece);
    for (int64_t i = piece * in_piece; i < end; ++i)
      gemm<N>(s, alpha, batch[i].a, batch[i].b, beta, batch[i].c);
  });
}

#define HEDDLE_GEMM(N)                                            \
  template void gemm(const Shape&, N, const N*, const N*, N, N*); \
  template void gemm_batch(const Shape&, N, N, const Operands<N>*, int64_t);
HEDDLE_GEMM(float)
HEDDLE_GEMM(double)
HEDDLE_GEMM(std::complex<float>)
HEDDLE_GEMM(std::complex<double>)

}  // namespace heddle::cublas
