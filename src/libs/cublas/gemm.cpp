#include "libs/cublas/gemm.h"

#include <algorithm>

#include "libs/common/parallel.h"

namespace heddle::cublas {

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
