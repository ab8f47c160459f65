// cuSOLVER's 64-bit interface, Jacobi's methods, general eigenvalue problems: by what they have to satisfy.
#include <cusolverDn.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUSOLVER_STATUS_SUCCESS;
constexpr auto lower = CUBLAS_FILL_MODE_LOWER;
constexpr auto with_vectors = CUSOLVER_EIG_MODE_VECTOR;

#define ALL(L, SY)                                                         \
  static constexpr auto eigen = &cusolverDn##L##SY##evj;                   \
  static constexpr auto eigen_size = &cusolverDn##L##SY##evj_bufferSize;   \
  static constexpr auto eigen_batch = &cusolverDn##L##SY##evjBatched;      \
  static constexpr auto general = &cusolverDn##L##SY##gvd;                 \
  static constexpr auto general_size = &cusolverDn##L##SY##gvd_bufferSize; \
  static constexpr auto general_jacobi = &cusolverDn##L##SY##gvj;          \
  static constexpr auto svd = &cusolverDn##L##gesvdj;                      \
  static constexpr auto svd_size = &cusolverDn##L##gesvdj_bufferSize;      \
  static constexpr auto svd_batch = &cusolverDn##L##gesvdjBatched;         \
  static constexpr auto svd_ranks = &cusolverDn##L##gesvdaStridedBatched;  \
  static constexpr auto sytrf = &cusolverDn##L##sytrf;
template <class T>
struct Api;
template <>
struct Api<float> {
  static constexpr auto type = CUDA_R_32F, real = CUDA_R_32F, complex = CUDA_C_32F;
  ALL(S, sy)
};
template <>
struct Api<double> {
  static constexpr auto type = CUDA_R_64F, real = CUDA_R_64F, complex = CUDA_C_64F;
  ALL(D, sy)
};
template <>
struct Api<cuComplex> {
  static constexpr auto type = CUDA_C_32F, real = CUDA_R_32F, complex = CUDA_C_32F;
  ALL(C, he)
};
template <>
struct Api<cuDoubleComplex> {
  static constexpr auto type = CUDA_C_64F, real = CUDA_R_64F, complex = CUDA_C_64F;
  ALL(Z, he)
};

template <class T>
class CusolverMore : public testing::Test {
 public:
  using A = Api<T>;
  CusolverMore() {
    EXPECT_EQ(cusolverDnCreate(&handle), good);
    EXPECT_EQ(cusolverDnCreateParams(&params), good);
    EXPECT_EQ(cusolverDnCreateSyevjInfo(&eigen_info), good);
    EXPECT_EQ(cusolverDnCreateGesvdjInfo(&svd_info), good);
  }
  ~CusolverMore() override {
    cusolverDnDestroyGesvdjInfo(svd_info);
    cusolverDnDestroySyevjInfo(eigen_info);
    cusolverDnDestroyParams(params);
    EXPECT_EQ(cusolverDnDestroy(handle), good);
  }
  std::vector<T> stored(const Dense<T>& a) const {
    std::vector<T> to;
    for (const auto& value : a.values) to.push_back(made<T>(std::real(value), std::imag(value)));
    return to;
  }
  Dense<T> hermitian(int n) {
    const auto values = random.values<T>(static_cast<std::size_t>(n) * n);
    return mirrored(Dense<T>(values, n, n, n), true, true);
  }
  Dense<T> definite(int n) {
    const auto values = random.values<T>(static_cast<std::size_t>(n) * n);
    const Dense<T> d(values, n, n, n);
    Dense<T> a = transposed(d, 'C') * d;
    for (int i = 0; i < n; ++i) a(i, i) += 1.0;
    return mirrored(a, true, true);
  }
  // a v = b v w, and the values rise.
  void expect_eigen(const Dense<T>& a, const Dense<T>& b, const Dense<T>& v,
                    const std::vector<Real<T>>& w) const {
    Dense<T> scaled = b * v;
    for (int j = 0; j < v.columns; ++j)
      for (int i = 0; i < v.rows; ++i) scaled(i, j) *= static_cast<double>(w[static_cast<std::size_t>(j)]);
    EXPECT_LE(difference(a * v, scaled), tolerance<T>(a.rows) * a.rows * 4);
    EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
  }
  Dense<T> one(int n) const {
    Dense<T> i(n, n);
    for (int k = 0; k < n; ++k) i(k, k) = 1;
    return i;
  }
  // u s v^H = a
  void expect_svd(const Dense<T>& a, const Dense<T>& u, const std::vector<Real<T>>& s,
                  const Dense<T>& v) const {
    Dense<T> scaled(u.rows, static_cast<int>(s.size())), right(v.rows, static_cast<int>(s.size()));
    for (int j = 0; j < scaled.columns; ++j) {
      for (int i = 0; i < u.rows; ++i)
        scaled(i, j) = u(i, j) * static_cast<double>(s[static_cast<std::size_t>(j)]);
      for (int i = 0; i < v.rows; ++i) right(i, j) = v(i, j);
    }
    EXPECT_LE(difference(scaled * transposed(right, 'C'), a), tolerance<T>(a.rows + a.columns) * 8);
    EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()));
  }
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  syevjInfo_t eigen_info = nullptr;
  gesvdjInfo_t svd_info = nullptr;
  Random random{5};
  Device<int> state{std::vector<int>(16, 77)};
  int info() const { return state.read()[0]; }
};
using Types = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(CusolverMore, Types);

TYPED_TEST(CusolverMore, FindsEigenvaluesByJacobisMethods) {
  using T = TypeParam;
  using A = Api<T>;
  for (const int n : {1, 5, 17}) {
    const auto a = this->hermitian(n);
    Device<T> da(this->stored(a));
    Device<Real<T>> dw(static_cast<std::size_t>(n));
    int room = 0;
    ASSERT_EQ(cusolverDnXsyevjSetTolerance(this->eigen_info, 1e-7), good);
    ASSERT_EQ(cusolverDnXsyevjSetMaxSweeps(this->eigen_info, 15), good);
    ASSERT_EQ(A::eigen_size(this->handle, with_vectors, lower, n, da, n, dw, &room, this->eigen_info), good);
    Device<T> work(static_cast<std::size_t>(room));
    ASSERT_EQ(
        A::eigen(this->handle, with_vectors, lower, n, da, n, dw, work, room, this->state, this->eigen_info),
        good);
    EXPECT_EQ(this->info(), 0);
    this->expect_eigen(a, this->one(n), Dense<T>(da.read(), n, n, n), dw.read());
    double residual = -1;
    int sweeps = 0;
    EXPECT_EQ(cusolverDnXsyevjGetResidual(this->handle, this->eigen_info, &residual), good);
    EXPECT_EQ(cusolverDnXsyevjGetSweeps(this->handle, this->eigen_info, &sweeps), good);
    EXPECT_GE(residual, 0);
    EXPECT_LE(residual, tolerance<T>(n) * n * n);
    EXPECT_LE(sweeps, 15);
    // A batch of the same.
    const auto other = this->hermitian(n);
    auto both = this->stored(a);
    for (const T& value : this->stored(other)) both.push_back(value);
    Device<T> db(both);
    Device<Real<T>> values(static_cast<std::size_t>(2 * n));
    ASSERT_EQ(A::eigen_batch(this->handle, with_vectors, lower, n, db, n, values, work, room, this->state,
                             this->eigen_info, 2),
              good);
    const auto vectors = db.read();
    const auto w = values.read();
    this->expect_eigen(other, this->one(n),
                       Dense<T>(std::vector<T>(vectors.begin() + n * n, vectors.end()), n, n, n),
                       std::vector<Real<T>>(w.begin() + n, w.end()));
  }
}

TYPED_TEST(CusolverMore, SolvesGeneralEigenvalueProblems) {
  using T = TypeParam;
  using A = Api<T>;
  const int n = 9;
  const auto a = this->hermitian(n), b = this->definite(n);
  for (const bool jacobi : {false, true}) {
    Device<T> da(this->stored(a)), db(this->stored(b));
    Device<Real<T>> dw(n);
    int room = 0;
    ASSERT_EQ(
        A::general_size(this->handle, CUSOLVER_EIG_TYPE_1, with_vectors, lower, n, da, n, db, n, dw, &room),
        good);
    Device<T> work(static_cast<std::size_t>(room));
    ASSERT_EQ(jacobi ? A::general_jacobi(this->handle, CUSOLVER_EIG_TYPE_1, with_vectors, lower, n, da, n, db,
                                         n, dw, work, room, this->state, this->eigen_info)
                     : A::general(this->handle, CUSOLVER_EIG_TYPE_1, with_vectors, lower, n, da, n, db, n, dw,
                                  work, room, this->state),
              good);
    EXPECT_EQ(this->info(), 0);
    this->expect_eigen(a, b, Dense<T>(da.read(), n, n, n), dw.read());
  }
}

TYPED_TEST(CusolverMore, FindsSingularValues) {
  using T = TypeParam;
  using A = Api<T>;
  for (const auto& [m, n] : {std::pair{7, 4}, std::pair{4, 7}, std::pair{6, 6}, std::pair{1, 3}})
    for (const int econ : {0, 1}) {
      const auto values = this->random.template values<T>(static_cast<std::size_t>(m) * n);
      const Dense<T> a(values, m, n, m);
      const int least = std::min(m, n), u_columns = econ != 0 ? least : m, v_columns = econ != 0 ? least : n;
      Device<T> da(values), du(static_cast<std::size_t>(m) * u_columns),
          dv(static_cast<std::size_t>(n) * v_columns);
      Device<Real<T>> ds(static_cast<std::size_t>(least));
      int room = 0;
      ASSERT_EQ(
          A::svd_size(this->handle, with_vectors, econ, m, n, da, m, ds, du, m, dv, n, &room, this->svd_info),
          good);
      Device<T> work(static_cast<std::size_t>(room));
      ASSERT_EQ(A::svd(this->handle, with_vectors, econ, m, n, da, m, ds, du, m, dv, n, work, room,
                       this->state, this->svd_info),
                good);
      EXPECT_EQ(this->info(), 0);
      this->expect_svd(a, Dense<T>(du.read(), m, u_columns, m), ds.read(),
                       Dense<T>(dv.read(), n, v_columns, n));
      // Two of a batch, and by ranks.
      auto both = values;
      both.insert(both.end(), values.begin(), values.end());
      Device<T> db(both), bu(static_cast<std::size_t>(2 * m * m)), bv(static_cast<std::size_t>(2 * n * n));
      Device<Real<T>> bs(static_cast<std::size_t>(2 * least));
      ASSERT_EQ(A::svd_batch(this->handle, with_vectors, m, n, db, m, bs, bu, m, bv, n, work, room,
                             this->state, this->svd_info, 2),
                good);
      const auto u = bu.read(), v = bv.read();
      const auto s = bs.read();
      this->expect_svd(a, Dense<T>(std::vector<T>(u.begin() + m * m, u.end()), m, m, m),
                       std::vector<Real<T>>(s.begin() + least, s.end()),
                       Dense<T>(std::vector<T>(v.begin() + n * n, v.end()), n, n, n));
      db.set(both);
      double residual[2] = {-1, -1};
      ASSERT_EQ(A::svd_ranks(this->handle, with_vectors, least, m, n, db, m, m * n, bs, least, bu, m, m * m,
                             bv, n, n * n, work, room, this->state, residual, 2),
                good);
      EXPECT_LE(residual[1], tolerance<T>(m + n) * 8);
      EXPECT_GE(residual[1], 0);
      if (least > 1) {  // a rank less leaves the last singular value
        ASSERT_EQ(A::svd_ranks(this->handle, with_vectors, least - 1, m, n, db, m, m * n, bs, least, bu, m,
                               m * m, bv, n, n * n, work, room, this->state, residual, 2),
                  good);
        EXPECT_NEAR(residual[0], static_cast<double>(s[static_cast<std::size_t>(least - 1)]),
                    tolerance<T>(m + n) * 8);
      }
    }
}

TYPED_TEST(CusolverMore, SolvesWithTypesOfTheCall) {
  using T = TypeParam;
  using A = Api<T>;
  const int n = 12, sides = 3;
  const auto a = this->definite(n);
  const auto b = this->random.template values<T>(static_cast<std::size_t>(n) * sides);
  const Dense<T> right(b, n, sides, n);
  std::size_t device = 0, host = 7;
  // Cholesky
  Device<T> da(this->stored(a)), db(b);
  ASSERT_EQ(cusolverDnXpotrf_bufferSize(this->handle, this->params, lower, n, A::type, da, n, A::type,
                                        &device, &host),
            good);
  Device<char> work(device);
  ASSERT_EQ(cusolverDnXpotrf(this->handle, this->params, lower, n, A::type, da, n, A::type, work, device,
                             nullptr, host, this->state),
            good);
  ASSERT_EQ(cusolverDnXpotrs(this->handle, this->params, lower, n, sides, A::type, da, n, A::type, db, n,
                             this->state),
            good);
  EXPECT_EQ(this->info(), 0);
  EXPECT_LE(difference(a * Dense<T>(db.read(), n, sides, n), right), tolerance<T>(n) * n * 4);
  // LU with and without exchanges
  Device<int64_t> pivots(n);
  for (int64_t* const p : {pivots.get(), static_cast<int64_t*>(nullptr)})
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      da.set(this->stored(a)), db.set(b);
      ASSERT_EQ(
          cusolverDnXgetrf_bufferSize(this->handle, nullptr, n, n, A::type, da, n, A::type, &device, &host),
          good);
      ASSERT_EQ(cusolverDnXgetrf(this->handle, nullptr, n, n, A::type, da, n, p, A::type, work, device,
                                 nullptr, host, this->state),
                good);
      ASSERT_EQ(cusolverDnXgetrs(this->handle, nullptr, op, n, sides, A::type, da, n, p, A::type, db, n,
                                 this->state),
                good);
      EXPECT_LE(
          difference(transposed(a, op == CUBLAS_OP_N ? 'N' : 'T') * Dense<T>(db.read(), n, sides, n), right),
          tolerance<T>(n) * n * 4);
    }
  // QR: R^H R = A^H A
  Device<T> tau(n);
  da.set(this->stored(a));
  ASSERT_EQ(cusolverDnXgeqrf(this->handle, this->params, n, n, A::type, da, n, A::type, tau, A::type, work,
                             device, nullptr, host, this->state),
            good);
  const Dense<T> r = triangle(Dense<T>(da.read(), n, n, n), false, false);
  EXPECT_LE(difference(transposed(r, 'C') * r, transposed(a, 'C') * a), tolerance<T>(n) * n * n * 16);
  // Eigenvalues, alone and in a batch
  Device<Real<T>> dw(n);
  da.set(this->stored(a));
  ASSERT_EQ(cusolverDnXsyevd(this->handle, this->params, with_vectors, lower, n, A::type, da, n, A::real, dw,
                             A::type, work, device, nullptr, host, this->state),
            good);
  this->expect_eigen(a, this->one(n), Dense<T>(da.read(), n, n, n), dw.read());
  da.set(this->stored(a));
  ASSERT_EQ(cusolverDnXsyevBatched(this->handle, this->params, with_vectors, lower, n, A::type, da, n,
                                   A::real, dw, A::type, work, device, nullptr, host, this->state, 1),
            good);
  this->expect_eigen(a, this->one(n), Dense<T>(da.read(), n, n, n), dw.read());
  // Singular values, both ways
  const auto g = this->random.template values<T>(static_cast<std::size_t>(n) * n);
  Device<T> dg(g), du(static_cast<std::size_t>(n) * n), dv(static_cast<std::size_t>(n) * n);
  Device<Real<T>> ds(n);
  ASSERT_EQ(cusolverDnXgesvd(this->handle, this->params, 'A', 'A', n, n, A::type, dg, n, A::real, ds, A::type,
                             du, n, A::type, dv, n, A::type, work, device, nullptr, host, this->state),
            good);
  this->expect_svd(Dense<T>(g, n, n, n), Dense<T>(du.read(), n, n, n), ds.read(),
                   transposed(Dense<T>(dv.read(), n, n, n), 'C'));
  dg.set(g);
  double sigma = -1;
  ASSERT_EQ(cusolverDnXgesvdp(this->handle, this->params, with_vectors, 1, n, n, A::type, dg, n, A::real, ds,
                              A::type, du, n, A::type, dv, n, A::type, work, device, nullptr, host,
                              this->state, &sigma),
            good);
  this->expect_svd(Dense<T>(g, n, n, n), Dense<T>(du.read(), n, n, n), ds.read(),
                   Dense<T>(dv.read(), n, n, n));
  EXPECT_EQ(sigma, 0);
  // Eigenvalues of any matrix: their sum is the trace.
  dg.set(g);
  Device<Real<T>> values(2 * n);
  ASSERT_EQ(cusolverDnXgeev(this->handle, this->params, CUSOLVER_EIG_MODE_NOVECTOR, with_vectors, n, A::type,
                            dg, n, A::complex, values, A::type, nullptr, 1, A::type, dv, n, A::type, work,
                            device, nullptr, host, this->state),
            good);
  std::complex<double> sum = 0, trace = 0;
  const auto all = values.read();
  for (int i = 0; i < n; ++i) {
    sum +=
        std::complex<double>(all[static_cast<std::size_t>(2 * i)], all[static_cast<std::size_t>(2 * i + 1)]);
    trace += exact(g[static_cast<std::size_t>(i + i * n)]);
  }
  EXPECT_LE(std::abs(sum - trace), tolerance<T>(n) * n * 4);
  // Another type than the call's, a workspace that is too small.
  EXPECT_EQ(cusolverDnXpotrf(this->handle, this->params, lower, n, CUDA_R_16F, da, n, CUDA_R_16F, work,
                             device, nullptr, host, this->state),
            CUSOLVER_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cusolverDnXpotrf(this->handle, this->params, lower, n, A::type, da, n, A::type, work, 1, nullptr,
                             host, this->state),
            CUSOLVER_STATUS_INVALID_VALUE);
}

// L D L^T of a symmetric matrix that is diagonal in blocks of one: the pivots say so.
TYPED_TEST(CusolverMore, FactorsSymmetricMatrices) {
  using T = TypeParam;
  using A = Api<T>;
  const int n = 3;
  std::vector<T> a(9);
  for (int i = 0; i < n; ++i) a[static_cast<std::size_t>(i * 4)] = made<T>(2.0 + i);
  Device<T> da(a), work(64 * 3);
  Device<int> pivots(n);
  ASSERT_EQ(A::sytrf(this->handle, lower, n, da, n, pivots, work, 64 * 3, this->state), good);
  EXPECT_EQ(this->info(), 0);
  EXPECT_EQ(pivots.read(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(difference(Dense<T>(da.read(), n, n, n), Dense<T>(a, n, n, n)), 0);
}

}  // namespace
}  // namespace heddle::libs_test
