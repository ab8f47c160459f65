#include "libs/cublas/gemm.h"

#include <algorithm>

#include "libs/common/parallel.h"
#include "libs/cublas/small/small.h"
#include "support/host_level.h"

namespace heddle::cublas {

void check(const Shape& s) {
  using libs::require;
  require(s.m >= 0 && s.n >= 0 && s.k >= 0, "m, n or k is negative");
  require(s.lda >= std::max<int64_t>(1, s.a_rows()), "lda is less than the rows of A");
  require(s.ldb >= std::max<int64_t>(1, s.b_rows()), "ldb is less than the rows of B");
  require(s.ldc >= std::max<int64_t>(1, s.m), "ldc is less than m");
}

namespace {

const small::Level& small_of_host() {
  switch (host_level()) {
    case HostLevel::avx512: return small::avx512;
    case HostLevel::avx2: return small::avx2;
    case HostLevel::plain: break;
  }
  return small::plain;
}
template <class N>
const small::Codes<N>& small_codes() {
  static const small::Level& level = small_of_host();
  if constexpr (std::is_same_v<N, float>)
    return level.s;
  else if constexpr (std::is_same_v<N, double>)
    return level.d;
  else if constexpr (std::is_same_v<N, std::complex<float>>)
    return level.c;
  else
    return level.z;
}

// How products of one shape are made: chosen once for all of a batch.
template <class N>
class Product {
 public:
  explicit Product(const Shape& s) : shape_(s) {
    if (std::max({s.m, s.n, s.k}) > small_codes<N>().most || s.k == 0) return;
    const int64_t parts = sizeof(N) / sizeof(typename small::Parts<N>::Real);
    const auto steps = [&](char op, int64_t ld) {
      return op == 'N' ? small::Steps{parts, ld * parts, false}
                       : small::Steps{ld * parts, parts, op == 'C' && parts == 2};
    };
    small_ = {s.m, s.n, s.k, steps(s.opa, s.lda), steps(s.opb, s.ldb), s.ldc * parts};
    small_product_ = small_codes<N>().of(s.m * parts);
  }
  void operator()(N alpha, const N* a, const N* b, N beta, N* c) const {
    // Without a product A and B may not be there.
    if (small_product_ != nullptr && alpha != N(0)) return small_product_(small_, alpha, a, b, beta, c);
    const Shape& s = shape_;
    fortran::gemm<N>(s.opa, s.opb, fortran::size(s.m), fortran::size(s.n), fortran::size(s.k), alpha, a,
                     fortran::size(s.lda), b, fortran::size(s.ldb), beta, c, fortran::size(s.ldc));
  }

 private:
  const Shape& shape_;
  small::Shape small_;
  small::Product<N> small_product_ = nullptr;
};

}  // namespace

template <class N>
void gemm(const Shape& s, N alpha, const N* a, const N* b, N beta, N* c) {
  if (s.empty()) return;
  const Product<N> product(s);
  product(alpha, a, b, beta, c);
}

template <class N>
void gemm_batch(const Shape& s, N alpha, N beta, const Batch<N>& batch, int64_t count) {
  if (s.empty()) return;
  const Product<N> product(s);
  for_batch(s, count, [&](int64_t from, int64_t to) {
    for (int64_t i = from; i < to; ++i) product(alpha, batch.a[i], batch.b[i], beta, batch.c[i]);
  });
}

void for_batch(const Shape& s, int64_t count, const std::function<void(int64_t, int64_t)>& some) {
  const double work =
      static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(std::max<int64_t>(s.k, 1));
  // Large ones have the threads of OpenBLAS; a piece of few small ones costs more to hand over than to do.
  if (count == 1 || work > 256.0 * 256 * 256 || work * static_cast<double>(count) < 100e3)
    return some(0, count);
  const int64_t in_piece = std::max<int64_t>(
      1, std::min<int64_t>(count / (4 * libs::parallel_threads()) + 1, static_cast<int64_t>(1e6 / work) + 1));
  libs::parallel((count + in_piece - 1) / in_piece,
                 [&](int64_t piece) { some(piece * in_piece, std::min(count, (piece + 1) * in_piece)); });
}

#define HEDDLE_GEMM(N)                                            \
  template void gemm(const Shape&, N, const N*, const N*, N, N*); \
  template void gemm_batch(const Shape&, N, N, const Batch<N>&, int64_t);
HEDDLE_GEMM(float)
HEDDLE_GEMM(double)
HEDDLE_GEMM(std::complex<float>)
HEDDLE_GEMM(std::complex<double>)

}  // namespace heddle::cublas
