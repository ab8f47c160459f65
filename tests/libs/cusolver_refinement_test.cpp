// cuSOLVER's solvers with iterative refinement: by what is left of the system, in the precision of its
// matrix.
#include <cusolverDn.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUSOLVER_STATUS_SUCCESS;

template <class T, auto Gesv, auto GesvSize, auto Gels, auto GelsSize>
struct Functions {
  using Type = T;
  static constexpr auto gesv = Gesv;
  static constexpr auto gesv_size = GesvSize;
  static constexpr auto gels = Gels;
  static constexpr auto gels_size = GelsSize;
};
#define OF(T, L)                                                                            \
  Functions<T, &cusolverDn##L##gesv, &cusolverDn##L##gesv_bufferSize, &cusolverDn##L##gels, \
            &cusolverDn##L##gels_bufferSize>
using All = testing::Types<OF(double, DD), OF(double, DS), OF(double, DH), OF(double, DB), OF(double, DX),
                           OF(float, SS), OF(float, SH), OF(float, SB), OF(float, SX), OF(cuComplex, CC),
                           OF(cuComplex, CK), OF(cuComplex, CE), OF(cuComplex, CY), OF(cuDoubleComplex, ZZ),
                           OF(cuDoubleComplex, ZC), OF(cuDoubleComplex, ZK), OF(cuDoubleComplex, ZE),
                           OF(cuDoubleComplex, ZY)>;

template <class F>
class Refinement : public testing::Test {
 public:
  using T = typename F::Type;
  Refinement() { EXPECT_EQ(cusolverDnCreate(&handle), good); }
  ~Refinement() override { cusolverDnDestroy(handle); }

  // Random, with a heavy diagonal.
  std::vector<T> matrix(int m, int n, int ld) {
    auto a = random.values<T>(static_cast<std::size_t>(ld) * n);
    for (int j = 0; j < std::min(m, n); ++j) a[static_cast<std::size_t>(j) * ld + j] = made<T>(m);
    return a;
  }
  // The greatest of |A^H (B - A X)|, or of |B - A X| where A is square.
  static double left(const std::vector<T>& a, int m, int n, int lda, const std::vector<T>& b, int ldb,
                     const std::vector<T>& x, int ldx, int sides) {
    double most = 0;
    for (int k = 0; k < sides; ++k) {
      std::vector<Exact<T>> r(m);
      for (int i = 0; i < m; ++i) {
        r[i] = exact(b[i + static_cast<std::size_t>(k) * ldb]);
        for (int j = 0; j < n; ++j)
          r[i] -= exact(a[i + static_cast<std::size_t>(j) * lda]) *
                  exact(x[j + static_cast<std::size_t>(k) * ldx]);
        if (m == n) most = std::max(most, std::abs(r[i]));
      }
      for (int j = 0; j < n && m > n; ++j) {
        Exact<T> sum{};
        for (int i = 0; i < m; ++i) sum += conj_of(exact(a[i + static_cast<std::size_t>(j) * lda])) * r[i];
        most = std::max(most, std::abs(sum));
      }
    }
    return most;
  }

  cusolverDnHandle_t handle = nullptr;
  Random random{27};
};
TYPED_TEST_SUITE(Refinement, All);

TYPED_TEST(Refinement, SolvesAsPreciselyAsItsMatrixIs) {
  using T = typename TypeParam::Type;
  const int n = 50, sides = 3, lda = 53, ldb = 51, ldx = 52;
  const auto a = this->matrix(n, n, lda), b = this->random.template values<T>(ldb * sides);
  Device<T> on_a(a), on_b(b), on_x(ldx * sides);
  Device<int> pivots(n), info(1);
  size_t bytes = 0;
  ASSERT_EQ(
      TypeParam::gesv_size(this->handle, n, sides, on_a, lda, pivots, on_b, ldb, on_x, ldx, nullptr, &bytes),
      good);
  Device<char> room(bytes);
  int iterations = -1;
  ASSERT_EQ(TypeParam::gesv(this->handle, n, sides, on_a, lda, pivots, on_b, ldb, on_x, ldx, room, bytes,
                            &iterations, info),
            good);
  EXPECT_EQ(info.read()[0], 0);
  EXPECT_GE(iterations, 0);
  EXPECT_LT(iterations, 50);
  // |x| is about 1 / n, |A| about 1.5 n.
  EXPECT_LT(this->left(a, n, n, lda, b, ldb, on_x.read(), ldx, sides), tolerance<T>(n));
  EXPECT_EQ(TypeParam::gesv(this->handle, n, sides, on_a, lda, pivots, on_b, ldb, on_x, ldx, room, bytes - 1,
                            &iterations, info),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(TypeParam::gesv(this->handle, n, sides, on_a, n - 1, pivots, on_b, ldb, on_x, ldx, room, bytes,
                            &iterations, info),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TYPED_TEST(Refinement, SolvesLeastSquares) {
  using T = typename TypeParam::Type;
  const int m = 60, n = 25, sides = 2;
  const auto a = this->matrix(m, n, m), b = this->random.template values<T>(m * sides);
  Device<T> on_a(a), on_b(b), on_x(n * sides);
  Device<int> info(1);
  size_t bytes = 0;
  ASSERT_EQ(TypeParam::gels_size(this->handle, m, n, sides, on_a, m, on_b, m, on_x, n, nullptr, &bytes),
            good);
  Device<char> room(bytes);
  int iterations = -1;
  ASSERT_EQ(
      TypeParam::gels(this->handle, m, n, sides, on_a, m, on_b, m, on_x, n, room, bytes, &iterations, info),
      good);
  EXPECT_EQ(info.read()[0], 0);
  EXPECT_GE(iterations, 0);
  EXPECT_LT(this->left(a, m, n, m, b, m, on_x.read(), n, sides), m * tolerance<T>(m));
  EXPECT_EQ(
      TypeParam::gels(this->handle, n, m, sides, on_a, m, on_b, m, on_x, m, room, bytes, &iterations, info),
      CUSOLVER_STATUS_INVALID_VALUE);
}

TYPED_TEST(Refinement, TellsOfSingularMatrices) {
  using T = typename TypeParam::Type;
  const int n = 6;
  auto a = this->matrix(n, n, n);
  for (int i = 0; i < n; ++i) a[2 * n + i] = made<T>(0);
  Device<T> on_a(a), on_b(this->random.template values<T>(n)), on_x(n);
  Device<int> pivots(n), info(1);
  size_t bytes = 0;
  TypeParam::gesv_size(this->handle, n, 1, on_a, n, pivots, on_b, n, on_x, n, nullptr, &bytes);
  Device<char> room(bytes);
  int iterations = 0;
  ASSERT_EQ(
      TypeParam::gesv(this->handle, n, 1, on_a, n, pivots, on_b, n, on_x, n, room, bytes, &iterations, info),
      good);
  EXPECT_EQ(info.read()[0], 3);
}

// Hilbert's matrix is beyond what a lower precision can refine.
TEST(RefinementByParameters, FallsBackOrSaysThatItDidNotConverge) {
  const int n = 8;
  std::vector<double> a, b(n, 0.0);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) a.push_back(1.0 / (1 + i + j)), b[i] += 1.0 / (1 + i + j);
  Device<double> on_a(a), on_b(b), on_x(n);
  Device<int> info(1);
  cusolverDnHandle_t handle;
  cusolverDnIRSParams_t params;
  cusolverDnIRSInfos_t infos;
  ASSERT_EQ(cusolverDnCreate(&handle), good);
  ASSERT_EQ(cusolverDnIRSParamsCreate(&params), good);
  ASSERT_EQ(cusolverDnIRSInfosCreate(&infos), good);
  size_t bytes = 0;
  EXPECT_EQ(cusolverDnIRSXgesv_bufferSize(handle, params, n, 1, &bytes),
            CUSOLVER_STATUS_IRS_PARAMS_INVALID_PREC);
  EXPECT_EQ(cusolverDnIRSParamsSetSolverPrecisions(params, CUSOLVER_R_64F, CUSOLVER_R_16F), good);
  EXPECT_EQ(cusolverDnIRSXgesv_bufferSize(handle, params, n, 1, &bytes),
            CUSOLVER_STATUS_IRS_PARAMS_INVALID_REFINE);
  EXPECT_EQ(cusolverDnIRSParamsSetRefinementSolver(params, CUSOLVER_IRS_REFINE_CLASSICAL), good);
  EXPECT_EQ(cusolverDnIRSParamsSetMaxIters(params, 0), CUSOLVER_STATUS_IRS_PARAMS_INVALID_MAXITER);
  EXPECT_EQ(cusolverDnIRSParamsSetMaxIters(params, 20), good);
  ASSERT_EQ(cusolverDnIRSXgesv_bufferSize(handle, params, n, 1, &bytes), good);
  Device<char> room(bytes);
  int iterations = 0;
  const auto solve = [&] {
    return cusolverDnIRSXgesv(handle, params, infos, n, 1, on_a.get(), n, on_b.get(), n, on_x.get(), n,
                              room.get(), bytes, &iterations, info);
  };
  ASSERT_EQ(solve(), good);
  EXPECT_LT(iterations, 0);
  for (const double x : on_x.read()) EXPECT_NEAR(x, 1, 1e-4);
  void* residuals = nullptr;
  EXPECT_EQ(cusolverDnIRSInfosGetResidualHistory(infos, &residuals), CUSOLVER_STATUS_INVALID_VALUE);

  // In single precision it converges, and each step is better than the one before.
  EXPECT_EQ(cusolverDnIRSInfosRequestResidual(infos), good);
  EXPECT_EQ(cusolverDnIRSParamsSetSolverLowestPrecision(params, CUSOLVER_R_32F), good);
  EXPECT_EQ(cusolverDnIRSParamsDisableFallback(params), good);
  for (int j = 0; j < n; ++j) a[j * n + j] += 1;
  on_a.set(a);
  ASSERT_EQ(solve(), good);
  EXPECT_GT(iterations, 0);
  int told = 0, most = 0;
  EXPECT_EQ(cusolverDnIRSInfosGetNiters(infos, &told), good);
  EXPECT_EQ(cusolverDnIRSInfosGetMaxIters(infos, &most), good);
  EXPECT_EQ(told, iterations);
  EXPECT_EQ(most, 20);
  ASSERT_EQ(cusolverDnIRSInfosGetResidualHistory(infos, &residuals), good);
  const auto* const history = static_cast<const double*>(residuals);
  for (int i = 1; i <= iterations; ++i) EXPECT_LT(history[i], history[i - 1]);

  EXPECT_EQ(cusolverDnIRSInfosDestroy(infos), good);
  EXPECT_EQ(cusolverDnIRSParamsDestroy(params), good);
  EXPECT_EQ(cusolverDnIRSParamsSetTol(params, 1), CUSOLVER_STATUS_IRS_PARAMS_NOT_INITIALIZED);
  EXPECT_EQ(cusolverDnIRSInfosDestroy(infos), CUSOLVER_STATUS_IRS_INFOS_NOT_INITIALIZED);
  cusolverDnDestroy(handle);
}

}  // namespace
}  // namespace heddle::libs_test
