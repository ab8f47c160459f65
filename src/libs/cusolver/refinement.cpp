// Systems and least squares solved with factors of a lower precision, and refined in the matrix's own
// (LAPACK's dsgesv: Langou and others, "Exploiting the performance of 32 bit floating point arithmetic in
// obtaining 64 bit accuracy", 2006). Whatever refinement is asked for, it is the classical one.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <mutex>
#include <type_traits>

#include "libs/cublas/blas.h"
#include "libs/cublas/lapack.h"
#include "libs/cusolver/dense.h"
#include "libs/cusolver/functions.gen.h"
#include "libs/cusolver/handle.h"

namespace heddle::cusolver {
namespace {

using cublas::leading;

struct Refinement {
  std::mutex mutex;
  cusolverIRSRefinement_t solver = CUSOLVER_IRS_REFINE_NOT_SET;
  cusolverPrecType_t main{}, lowest{};  // 0: not set
  double tolerance = 0, inner_tolerance = 0;
  int most = 50, most_inner = 50;
  bool fallback = true;
};
struct RefinementReport {
  std::mutex mutex;
  int iterations = 0, most = 0;
  bool wants_residuals = false;
  std::vector<double> residuals;  // of each iteration for each right side, in the type of the real numbers
};

std::shared_ptr<Refinement> parameters(cusolverDnIRSParams_t handle) {
  auto found = libs::Handles<Refinement>::all().find(handle);
  if (found == nullptr) libs::refuse_code(CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED, "no such parameters");
  return found;
}
std::shared_ptr<RefinementReport> report(cusolverDnIRSInfos_t handle) {
  auto found = libs::Handles<RefinementReport>::all().find(handle);
  if (found == nullptr) libs::refuse_code(CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED, "no such infos");
  return found;
}

// Bits of significands, the hidden one too.
int bits_of(cusolverPrecType_t precision) {
  switch (precision) {
    case CUSOLVER_R_64F:
    case CUSOLVER_C_64F: return 53;
    case CUSOLVER_R_32F:
    case CUSOLVER_C_32F: return 24;
    case CUSOLVER_R_16F:
    case CUSOLVER_C_16F:
    case CUSOLVER_R_TF32:
    case CUSOLVER_C_TF32: return 11;
    case CUSOLVER_R_16BF:
    case CUSOLVER_C_16BF: return 8;
    default: return 0;
  }
}
bool is_complex_precision(cusolverPrecType_t precision) { return precision >= CUSOLVER_C_8I; }

template <class N>
struct SingleOf {
  using Type = float;
};
template <class R>
struct SingleOf<std::complex<R>> {
  using Type = std::complex<float>;
};
template <class N>
using Single = typename SingleOf<N>::Type;

double rounded(double value, int bits) {
  if (bits >= 24 || value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}
template <class L, class N>
L lowered(const N& value, int bits) {
  if constexpr (complex_number<N>)
    return {static_cast<Real<L>>(rounded(value.real(), bits)),
            static_cast<Real<L>>(rounded(value.imag(), bits))};
  else
    return static_cast<L>(rounded(value, bits));
}

struct Wanted {
  int bits = 53;
  double tolerance = 0;  // 0: the precision of the matrix
  int most = 50;
  bool fallback = true, refine = true;
};
struct Found {
  int iterations = 0, info = 0;  // iterations as the interface has them: negative where it fell back
  std::vector<double> residuals;
};

template <class N>
double greatest(const N* values, int64_t count) {
  double most = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double size = std::abs(values[i]);
    if (!(size <= most)) most = size;  // not a number, too
  }
  return most;
}
// The greatest sum of a row's sizes.
template <class N>
double norm(Matrix<N>& a, int m, int n) {
  std::vector<double> sums(static_cast<std::size_t>(m));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      sums[static_cast<std::size_t>(i)] += std::abs(a.data()[i + int64_t{j} * a.ld()]);
  return greatest(sums.data(), m);
}

// A, of the lower precision, factored; it solves for `sides` right sides of m rows each, over themselves.
template <class L>
class Factors {
 public:
  // LU of a square matrix; QR of a high one, with `square` false.
  template <class N>
  Factors(Matrix<N>& a, int m, int n, int bits, bool square)
      : a_(nullptr, m, n, std::max(m, 1)), m_(m), n_(n), square_(square) {
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i)
        a_.data()[i + int64_t{j} * a_.ld()] = lowered<L>(a.data()[i + int64_t{j} * a.ld()], bits);
    if (square) {
      pivots_.resize(static_cast<std::size_t>(n));
      fortran::getrf<L>(n, n, a_.data(), a_.ld(), pivots_.data(), &info_);
      return;
    }
    scales_.resize(static_cast<std::size_t>(n));
    L answer{};
    fortran::geqrf<L>(m, n, a_.data(), a_.ld(), scales_.data(), &answer, -1, &info_);
    std::vector<L> work(static_cast<std::size_t>(asked(answer)));
    fortran::geqrf<L>(m, n, a_.data(), a_.ld(), scales_.data(), work.data(), static_cast<int>(work.size()),
                      &info_);
    for (int i = 0; i < n && info_ == 0; ++i)
      if (a_.data()[i + int64_t{i} * a_.ld()] == L(0)) info_ = i + 1;
  }
  int info() const { return info_; }
  const std::vector<int>& pivots() const { return pivots_; }
  Matrix<L>& matrix() { return a_; }

  void solve(Matrix<L>& b, int sides) {
    int state = 0;
    if (square_) {
      fortran::getrs<L>('N', n_, sides, a_.data(), a_.ld(), pivots_.data(), b.data(), b.ld(), &state);
      return;
    }
    std::vector<L> work(static_cast<std::size_t>((sides + 80) * 64));
    fortran::ormqr<L>('L', complex_number<L> ? 'C' : 'T', m_, sides, n_, a_.data(), a_.ld(), scales_.data(),
                      b.data(), b.ld(), work.data(), static_cast<int>(work.size()), &state);
    fortran::trsm<L>('L', 'U', 'N', 'N', n_, sides, L(1), a_.data(), a_.ld(), b.data(), b.ld());
  }

  // R^H R x = b, for b of n rows: what is left at right angles to the columns of A does not disturb it.
  void solve_normal(Matrix<L>& b, int sides) {
    for (const char op : {complex_number<L> ? 'C' : 'T', 'N'})
      fortran::trsm<L>('L', 'U', op, 'N', n_, sides, L(1), a_.data(), a_.ld(), b.data(), b.ld());
  }
  bool square() const { return square_; }

 private:
  Matrix<L> a_;
  const int m_, n_;
  const bool square_;
  std::vector<int> pivots_;
  std::vector<L> scales_;
  int info_ = 0;
};

// x += what the factors make of r. False: a number has become infinite, or none.
template <class N, class L>
bool correct(Factors<L>& factors, Matrix<N>& r, Matrix<N>& x, int m, int n, int sides) {
  // Brought to a size of about one: what is left is small, and half of its range would be lost.
  Matrix<L> step(nullptr, m, sides, std::max(m, 1));
  std::vector<double> scale(static_cast<std::size_t>(sides), 1.0);
  for (int j = 0; j < sides; ++j) {
    const N* const from = r.data() + int64_t{j} * r.ld();
    int exponent = 0;
    const double most = greatest(from, m);
    if (!std::isfinite(most)) return false;
    std::frexp(most, &exponent);
    scale[static_cast<std::size_t>(j)] = std::ldexp(1.0, exponent);
    for (int i = 0; i < m; ++i)
      step.data()[i + int64_t{j} * step.ld()] =
          lowered<L>(from[i] * static_cast<Real<N>>(std::ldexp(1.0, -exponent)), 53);
  }
  if (factors.square())
    factors.solve(step, sides);
  else
    factors.solve_normal(step, sides);
  for (int j = 0; j < sides; ++j) {
    N* const to = x.data() + int64_t{j} * x.ld();
    for (int i = 0; i < n; ++i)
      to[i] += N(step.data()[i + int64_t{j} * step.ld()]) *
               static_cast<Real<N>>(scale[static_cast<std::size_t>(j)]);
    if (!std::isfinite(greatest(to, n))) return false;
  }
  return true;
}

// True: x is as good as the precision of the matrix allows.
template <class N, class L>
bool refined(const Wanted& wanted, Factors<L>& factors, Matrix<N>& a, Matrix<N>& b, Matrix<N>& x, int m,
             int n, int sides, Found& found) {
  const double size_of_a = norm(a, m, n);
  const double tolerance =
      (wanted.tolerance > 0 ? wanted.tolerance : std::numeric_limits<Real<N>>::epsilon()) *
      std::sqrt(static_cast<double>(n));
  Matrix<N> r(b.data(), m, sides, b.ld()), normal(nullptr, n, sides, std::max(n, 1));
  // Of least squares, what is left is at right angles to the columns of A.
  const auto make_normal = [&] {
    if (!factors.square())
      fortran::gemm<N>(complex_number<N> ? 'C' : 'T', 'N', n, sides, m, N(1), a.data(), a.ld(), r.data(),
                       r.ld(), N(0), normal.data(), normal.ld());
  };
  const auto step = [&] {
    return factors.square() ? correct(factors, r, x, m, n, sides) : correct(factors, normal, x, n, n, sides);
  };
  make_normal();
  if (!step()) return found.iterations = -2, false;
  for (found.iterations = 0;; ++found.iterations) {
    for (int j = 0; j < sides; ++j)
      std::copy_n(b.data() + int64_t{j} * b.ld(), m, r.data() + int64_t{j} * r.ld());
    fortran::gemm<N>('N', 'N', m, sides, n, N(-1), a.data(), a.ld(), x.data(), x.ld(), N(1), r.data(),
                     r.ld());
    make_normal();
    bool all = true;
    for (int j = 0; j < sides; ++j) {
      const double size_of_x = greatest(x.data() + int64_t{j} * x.ld(), n),
                   left = greatest(r.data() + int64_t{j} * r.ld(), m);
      found.residuals.push_back(left);
      all = all && (factors.square() ? left <= tolerance * size_of_a * size_of_x
                                     : greatest(normal.data() + int64_t{j} * normal.ld(), n) <=
                                           tolerance * size_of_a * (size_of_a * size_of_x + left));
    }
    if (!wanted.refine) return true;
    // What was left has just been computed, so one step more costs little.
    if (all) return step() || (found.iterations = -5, false);
    if (found.iterations >= wanted.most) return found.iterations = -50, false;
    if (!step()) return found.iterations = -5, false;
  }
}

// `pivots` may be nullptr. a becomes its factors where they are of its own precision.
template <class N>
Found solve(const Wanted& wanted, int m, int n, int sides, N* a_memory, int lda, const N* b_memory, int ldb,
            N* x_memory, int ldx, int* pivots) {
  Found found;
  if (n == 0) return found;
  const bool square = pivots != nullptr || m == n;
  Matrix<N> a(a_memory, m, n, lda), b(b_memory, m, sides, ldb), x(nullptr, n, sides, std::max(n, 1));
  const int own = std::is_same_v<Real<N>, double> ? 53 : 24;
  if (wanted.bits < own) {
    Factors<Single<N>> factors(a, m, n, wanted.bits, square);
    bool good = factors.info() == 0;
    if (!good) found.iterations = -3;
    good = good && refined(wanted, factors, a, b, x, m, n, sides, found);
    if (good || !wanted.fallback) {
      if (!good) found.info = factors.info();
      if (pivots != nullptr) std::copy(factors.pivots().begin(), factors.pivots().end(), pivots);
      if (factors.info() == 0) x.put_back(x_memory, ldx);
      return found;
    }
  }
  Factors<N> factors(a, m, n, 53, square);
  found.info = factors.info();
  if (pivots != nullptr) std::copy(factors.pivots().begin(), factors.pivots().end(), pivots);
  if (pivots != nullptr) factors.matrix().put_back(a_memory, lda);
  if (found.info != 0) return found;
  factors.solve(b, sides);
  for (int j = 0; j < sides; ++j)
    std::copy_n(b.data() + int64_t{j} * b.ld(), n, x.data() + int64_t{j} * x.ld());
  x.put_back(x_memory, ldx);
  return found;
}

uint64_t room(int m, int n, int sides, uint64_t element) {
  return std::max<uint64_t>((static_cast<uint64_t>(m) * static_cast<uint64_t>(n) +
                             static_cast<uint64_t>(m + n) * static_cast<uint64_t>(sides)) *
                                element,
                            256);
}

void check(int m, int n, int sides) {
  size(m, "m is negative");
  size(n, "n is negative");
  size(sides, "nrhs is negative");
  require(m >= n, "m is less than n: the system is underdetermined");
}
void check(int m, int n, int sides, int lda, int ldb, int ldx) {
  check(m, n, sides);
  leading(lda, m, "ldda is less than the rows of A");
  leading(ldb, m, "lddb is less than the rows of B");
  leading(ldx, n, "lddx is less than the rows of X");
}

// Blocks: the count of iterations is the host's.
template <class N>
void run(const char* name, const Call& call, const Wanted& wanted, int m, int n, int sides, N* A, int lda,
         int* pivots, N* B, int ldb, N* X, int ldx, cusolver_int_t* iterations, cusolver_int_t* info,
         const std::shared_ptr<RefinementReport>& told = nullptr) {
  Found found;
  call.submit_and_wait(name, [=, &found](Access& access) {
    access.write(A, m, n, lda);
    access.read(B, m, sides, ldb);
    access.write(X, n, sides, ldx);
    if (pivots != nullptr) access.write(pivots, static_cast<uint64_t>(n));
    found = solve(wanted, m, n, sides, A, lda, B, ldb, X, ldx, pivots);
    *access.write(info, 1) = found.info;
  });
  if (iterations != nullptr) *iterations = found.iterations;
  if (told == nullptr) return;
  const std::lock_guard lock(told->mutex);
  told->iterations = found.iterations;
  told->most = wanted.most;
  told->residuals.clear();
  if (!told->wants_residuals) return;
  // A column of most + 1 for each right side, in the type of the real numbers.
  const auto length = static_cast<std::size_t>(wanted.most) + 1;
  told->residuals.resize(length * static_cast<std::size_t>(std::max(sides, 1)));
  auto* const to = reinterpret_cast<Real<N>*>(told->residuals.data());
  for (std::size_t i = 0; i < found.residuals.size(); ++i)
    to[i / static_cast<std::size_t>(sides) + i % static_cast<std::size_t>(sides) * length] =
        static_cast<Real<N>>(found.residuals[i]);
}

}  // namespace

// ---- by types

template <class T, auto Constant>
void gesv_bufferSize(cusolverDnHandle_t handle, cusolver_int_t n, cusolver_int_t nrhs, T*,
                     cusolver_int_t ldda, cusolver_int_t*, T*, cusolver_int_t lddb, T*, cusolver_int_t lddx,
                     void*, size_t* lwork_bytes) {
  use(handle);
  check(n, n, nrhs, ldda, lddb, lddx);
  if (lwork_bytes == nullptr) libs::refuse_null("lwork_bytes");
  *lwork_bytes = room(n, n, nrhs, sizeof(T));
}
template <class T, auto Constant>
void gesv(cusolverDnHandle_t handle, cusolver_int_t n, cusolver_int_t nrhs, T* dA, cusolver_int_t ldda,
          cusolver_int_t* dipiv, T* dB, cusolver_int_t lddb, T* dX, cusolver_int_t lddx, void*,
          size_t lwork_bytes, cusolver_int_t* iter, cusolver_int_t* d_info) {
  const Call call(handle);
  check(n, n, nrhs, ldda, lddb, lddx);
  if (iter == nullptr) libs::refuse_null("iter");
  if (dipiv == nullptr && n > 0) libs::refuse_null("dipiv");
  require(lwork_bytes >= room(n, n, nrhs, sizeof(T)), "the workspace is less than bufferSize says");
  run("gesv", call, Wanted{.bits = bits_of(Constant)}, n, n, nrhs, native(dA), ldda, dipiv, native(dB), lddb,
      native(dX), lddx, iter, d_info);
}
template <class T, auto Constant>
void gels_bufferSize(cusolverDnHandle_t handle, cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, T*,
                     cusolver_int_t ldda, T*, cusolver_int_t lddb, T*, cusolver_int_t lddx, void*,
                     size_t* lwork_bytes) {
  use(handle);
  check(m, n, nrhs, ldda, lddb, lddx);
  if (lwork_bytes == nullptr) libs::refuse_null("lwork_bytes");
  *lwork_bytes = room(m, n, nrhs, sizeof(T));
}
template <class T, auto Constant>
void gels(cusolverDnHandle_t handle, cusolver_int_t m, cusolver_int_t n, cusolver_int_t nrhs, T* dA,
          cusolver_int_t ldda, T* dB, cusolver_int_t lddb, T* dX, cusolver_int_t lddx, void*,
          size_t lwork_bytes, cusolver_int_t* iter, cusolver_int_t* d_info) {
  const Call call(handle);
  check(m, n, nrhs, ldda, lddb, lddx);
  if (iter == nullptr) libs::refuse_null("iter");
  require(lwork_bytes >= room(m, n, nrhs, sizeof(T)), "the workspace is less than bufferSize says");
  run("gels", call, Wanted{.bits = bits_of(Constant)}, m, n, nrhs, native(dA), ldda, nullptr, native(dB),
      lddb, native(dX), lddx, iter, d_info);
}

// ---- by parameters

void cusolverDnIRSParamsCreate(cusolverDnIRSParams_t* params_ptr) {
  if (params_ptr == nullptr) libs::refuse_null("params_ptr");
  *params_ptr = libs::Handles<Refinement>::all().add<cusolverDnIRSParams_t>(std::make_shared<Refinement>());
}
void cusolverDnIRSParamsDestroy(cusolverDnIRSParams_t params) {
  parameters(params);
  libs::Handles<Refinement>::all().remove(params);
}
void cusolverDnIRSParamsSetRefinementSolver(cusolverDnIRSParams_t params,
                                            cusolverIRSRefinement_t refinement_solver) {
  const auto found = parameters(params);
  if (refinement_solver < CUSOLVER_IRS_REFINE_NOT_SET ||
      refinement_solver > CUSOLVER_IRS_REFINE_GMRES_NOPCOND)
    libs::refuse_code(CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE, "no such refinement");
  const std::lock_guard lock(found->mutex);
  found->solver = refinement_solver;
}
void cusolverDnIRSParamsSetSolverPrecisions(cusolverDnIRSParams_t params,
                                            cusolverPrecType_t solver_main_precision,
                                            cusolverPrecType_t solver_lowest_precision) {
  const auto found = parameters(params);
  if (bits_of(solver_main_precision) < 24 || bits_of(solver_lowest_precision) == 0)
    libs::refuse_code(CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC, "no precision to solve in");
  const std::lock_guard lock(found->mutex);
  found->main = solver_main_precision;
  found->lowest = solver_lowest_precision;
}
void cusolverDnIRSParamsSetSolverMainPrecision(cusolverDnIRSParams_t params,
                                               cusolverPrecType_t solver_main_precision) {
  const auto found = parameters(params);
  if (bits_of(solver_main_precision) < 24)
    libs::refuse_code(CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC, "no precision of matrices");
  const std::lock_guard lock(found->mutex);
  found->main = solver_main_precision;
}
void cusolverDnIRSParamsSetSolverLowestPrecision(cusolverDnIRSParams_t params,
                                                 cusolverPrecType_t solver_lowest_precision) {
  const auto found = parameters(params);
  if (bits_of(solver_lowest_precision) == 0)
    libs::refuse_code(CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC, "no precision of factors");
  const std::lock_guard lock(found->mutex);
  found->lowest = solver_lowest_precision;
}
void cusolverDnIRSParamsSetTol(cusolverDnIRSParams_t params, double val) {
  const auto found = parameters(params);
  const std::lock_guard lock(found->mutex);
  found->tolerance = val;
}
void cusolverDnIRSParamsSetTolInner(cusolverDnIRSParams_t params, double val) {
  const auto found = parameters(params);
  const std::lock_guard lock(found->mutex);
  found->inner_tolerance = val;
}
void cusolverDnIRSParamsSetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t maxiters) {
  const auto found = parameters(params);
  if (maxiters <= 0)
    libs::refuse_code(CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER, "maxiters is not positive");
  const std::lock_guard lock(found->mutex);
  found->most = maxiters;
}
void cusolverDnIRSParamsSetMaxItersInner(cusolverDnIRSParams_t params, cusolver_int_t maxiters_inner) {
  const auto found = parameters(params);
  if (maxiters_inner <= 0)
    libs::refuse_code(CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER, "maxiters_inner is not positive");
  const std::lock_guard lock(found->mutex);
  found->most_inner = maxiters_inner;
}
void cusolverDnIRSParamsGetMaxIters(cusolverDnIRSParams_t params, cusolver_int_t* maxiters) {
  const auto found = parameters(params);
  if (maxiters == nullptr) libs::refuse_null("maxiters");
  const std::lock_guard lock(found->mutex);
  *maxiters = found->most;
}
void cusolverDnIRSParamsEnableFallback(cusolverDnIRSParams_t params) {
  const auto found = parameters(params);
  const std::lock_guard lock(found->mutex);
  found->fallback = true;
}
void cusolverDnIRSParamsDisableFallback(cusolverDnIRSParams_t params) {
  const auto found = parameters(params);
  const std::lock_guard lock(found->mutex);
  found->fallback = false;
}

void cusolverDnIRSInfosCreate(cusolverDnIRSInfos_t* infos_ptr) {
  if (infos_ptr == nullptr) libs::refuse_null("infos_ptr");
  *infos_ptr =
      libs::Handles<RefinementReport>::all().add<cusolverDnIRSInfos_t>(std::make_shared<RefinementReport>());
}
void cusolverDnIRSInfosDestroy(cusolverDnIRSInfos_t infos) {
  report(infos);
  libs::Handles<RefinementReport>::all().remove(infos);
}
void cusolverDnIRSInfosGetNiters(cusolverDnIRSInfos_t infos, cusolver_int_t* niters) {
  const auto found = report(infos);
  if (niters == nullptr) libs::refuse_null("niters");
  const std::lock_guard lock(found->mutex);
  *niters = found->iterations;
}
void cusolverDnIRSInfosGetOuterNiters(cusolverDnIRSInfos_t infos, cusolver_int_t* outer_niters) {
  cusolver::cusolverDnIRSInfosGetNiters(infos, outer_niters);
}
void cusolverDnIRSInfosRequestResidual(cusolverDnIRSInfos_t infos) {
  const auto found = report(infos);
  const std::lock_guard lock(found->mutex);
  found->wants_residuals = true;
}
void cusolverDnIRSInfosGetResidualHistory(cusolverDnIRSInfos_t infos, void** residual_history) {
  const auto found = report(infos);
  if (residual_history == nullptr) libs::refuse_null("residual_history");
  const std::lock_guard lock(found->mutex);
  require(found->wants_residuals, "residuals were not asked for: cusolverDnIRSInfosRequestResidual");
  *residual_history = found->residuals.data();
}
void cusolverDnIRSInfosGetMaxIters(cusolverDnIRSInfos_t infos, cusolver_int_t* maxiters) {
  const auto found = report(infos);
  if (maxiters == nullptr) libs::refuse_null("maxiters");
  const std::lock_guard lock(found->mutex);
  *maxiters = found->most;
}

namespace {

struct Chosen {
  Wanted wanted;
  cusolverPrecType_t main;
};
Chosen chosen(cusolverDnIRSParams_t params) {
  const auto found = parameters(params);
  const std::lock_guard lock(found->mutex);
  if (bits_of(found->main) == 0 || bits_of(found->lowest) == 0 ||
      bits_of(found->lowest) > bits_of(found->main) ||
      is_complex_precision(found->main) != is_complex_precision(found->lowest))
    libs::refuse_code(CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC,
                      "the precisions are not set, or do not go together");
  if (found->solver == CUSOLVER_IRS_REFINE_NOT_SET)
    libs::refuse_code(CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE, "no refinement is set");
  return {{.bits = bits_of(found->lowest),
           .tolerance = found->tolerance,
           .most = found->most,
           .fallback = found->fallback,
           .refine = found->solver != CUSOLVER_IRS_REFINE_NONE},
          found->main};
}
void run_chosen(const char* name, cusolverDnHandle_t handle, cusolverDnIRSParams_t params,
                cusolverDnIRSInfos_t infos, int m, int n, int sides, void* A, int lda, void* B, int ldb,
                void* X, int ldx, size_t bytes, cusolver_int_t* iterations, cusolver_int_t* info) {
  const Call call(handle);
  const Chosen how = chosen(params);
  const auto told = report(infos);
  check(m, n, sides, lda, ldb, ldx);
  if (iterations == nullptr) libs::refuse_null("niters");
  require(bytes >= room(m, n, sides, 16), "the workspace is less than bufferSize says");
  const auto with = [&]<class N>(N) {
    run(name, call, how.wanted, m, n, sides, static_cast<N*>(A), lda, nullptr, static_cast<N*>(B), ldb,
        static_cast<N*>(X), ldx, iterations, info, told);
  };
  switch (how.main) {
    case CUSOLVER_R_32F: return with(float());
    case CUSOLVER_R_64F: return with(double());
    case CUSOLVER_C_32F: return with(std::complex<float>());
    default: return with(std::complex<double>());
  }
}
void room_chosen(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, int m, int n, int sides,
                 size_t* bytes) {
  use(handle);
  chosen(params);
  check(m, n, sides);
  if (bytes == nullptr) libs::refuse_null("lwork_bytes");
  *bytes = room(m, n, sides, 16);
}

}  // namespace

void cusolverDnIRSXgesv_bufferSize(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolver_int_t n,
                                   cusolver_int_t nrhs, size_t* lwork_bytes) {
  room_chosen(handle, params, n, n, nrhs, lwork_bytes);
}
void cusolverDnIRSXgesv(cusolverDnHandle_t handle, cusolverDnIRSParams_t gesv_irs_params,
                        cusolverDnIRSInfos_t gesv_irs_infos, cusolver_int_t n, cusolver_int_t nrhs, void* dA,
                        cusolver_int_t ldda, void* dB, cusolver_int_t lddb, void* dX, cusolver_int_t lddx,
                        void*, size_t lwork_bytes, cusolver_int_t* niters, cusolver_int_t* d_info) {
  run_chosen("gesv", handle, gesv_irs_params, gesv_irs_infos, n, n, nrhs, dA, ldda, dB, lddb, dX, lddx,
             lwork_bytes, niters, d_info);
}
void cusolverDnIRSXgels_bufferSize(cusolverDnHandle_t handle, cusolverDnIRSParams_t params, cusolver_int_t m,
                                   cusolver_int_t n, cusolver_int_t nrhs, size_t* lwork_bytes) {
  room_chosen(handle, params, m, n, nrhs, lwork_bytes);
}
void cusolverDnIRSXgels(cusolverDnHandle_t handle, cusolverDnIRSParams_t gels_irs_params,
                        cusolverDnIRSInfos_t gels_irs_infos, cusolver_int_t m, cusolver_int_t n,
                        cusolver_int_t nrhs, void* dA, cusolver_int_t ldda, void* dB, cusolver_int_t lddb,
                        void* dX, cusolver_int_t lddx, void*, size_t lwork_bytes, cusolver_int_t* niters,
                        cusolver_int_t* d_info) {
  run_chosen("gels", handle, gels_irs_params, gels_irs_infos, m, n, nrhs, dA, ldda, dB, lddb, dX, lddx,
             lwork_bytes, niters, d_info);
}

}  // namespace heddle::cusolver

#include "libs/cusolver/refinement.gen.h"
