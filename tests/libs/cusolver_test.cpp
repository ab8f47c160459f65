// cuSOLVER's dense factorisations, by what they have to satisfy: products that give the matrix again, systems
// whose solutions fit, and values that are known.
#include <cusolverDn.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUSOLVER_STATUS_SUCCESS;

#define ALL(L, ORG, ORM, SYEVD)                                          \
  static constexpr auto getrf = &cusolverDn##L##getrf;                   \
  static constexpr auto getrf_size = &cusolverDn##L##getrf_bufferSize;   \
  static constexpr auto getrs = &cusolverDn##L##getrs;                   \
  static constexpr auto potrf = &cusolverDn##L##potrf;                   \
  static constexpr auto potrf_size = &cusolverDn##L##potrf_bufferSize;   \
  static constexpr auto potrs = &cusolverDn##L##potrs;                   \
  static constexpr auto potri = &cusolverDn##L##potri;                   \
  static constexpr auto potrf_batched = &cusolverDn##L##potrfBatched;    \
  static constexpr auto potrs_batched = &cusolverDn##L##potrsBatched;    \
  static constexpr auto geqrf = &cusolverDn##L##geqrf;                   \
  static constexpr auto geqrf_size = &cusolverDn##L##geqrf_bufferSize;   \
  static constexpr auto make_q = &cusolverDn##L##ORG;                    \
  static constexpr auto make_q_size = &cusolverDn##L##ORG##_bufferSize;  \
  static constexpr auto apply_q = &cusolverDn##L##ORM;                   \
  static constexpr auto apply_q_size = &cusolverDn##L##ORM##_bufferSize; \
  static constexpr auto gesvd = &cusolverDn##L##gesvd;                   \
  static constexpr auto gesvd_size = &cusolverDn##L##gesvd_bufferSize;   \
  static constexpr auto eigen = &cusolverDn##L##SYEVD;                   \
  static constexpr auto eigen_size = &cusolverDn##L##SYEVD##_bufferSize;
template <class T>
struct Api;
template <>
struct Api<float> {
  ALL(S, orgqr, ormqr, syevd)
};
template <>
struct Api<double> {
  ALL(D, orgqr, ormqr, syevd)
};
template <>
struct Api<cuComplex> {
  ALL(C, ungqr, unmqr, heevd)
};
template <>
struct Api<cuDoubleComplex> {
  ALL(Z, ungqr, unmqr, heevd)
};

template <class T>
class Cusolver : public testing::Test {
 public:
  Cusolver() { EXPECT_EQ(cusolverDnCreate(&handle), good); }
  ~Cusolver() override { EXPECT_EQ(cusolverDnDestroy(handle), good); }
  int info() const { return state.read()[0]; }
  // Hermitian, and its eigenvalues are positive.
  std::vector<T> definite(int n) {
    const auto a = random.values<T>(static_cast<std::size_t>(n) * n);
    const Dense<T> d(a, n, n, n), product = transposed(d, 'C') * d;
    std::vector<T> made_of(a.size());
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const Exact<T> value = product(i, j) + Exact<T>(i == j ? 1 : 0);
        made_of[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * n] =
            made<T>(std::real(value), std::imag(value));
      }
    return made_of;
  }
  cusolverDnHandle_t handle = nullptr;
  Random random{11};
  Device<int> state{1};
};
using Types = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(Cusolver, Types);

TYPED_TEST(Cusolver, SolvesByLu) {
  using T = TypeParam;
  const int n = 40, nrhs = 3, lda = 43;
  const auto a = this->random.template values<T>(lda * n), b = this->random.template values<T>(n * nrhs);
  for (const bool pivoting : {true, false}) {
    auto matrix = a;
    if (!pivoting)
      for (int i = 0; i < n; ++i) matrix[static_cast<std::size_t>(i * lda + i)] = made<T>(n);
    for (const auto op : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {
      const Device<T> da(matrix), db(b);
      const Device<int> pivots(n);
      int room = -1;
      ASSERT_EQ(Api<T>::getrf_size(this->handle, n, n, da, lda, &room), good);
      const Device<T> work(static_cast<std::size_t>(room));
      int* const with = pivoting ? pivots.get() : nullptr;
      ASSERT_EQ(Api<T>::getrf(this->handle, n, n, da, lda, work, with, this->state), good);
      EXPECT_EQ(this->info(), 0);
      ASSERT_EQ(Api<T>::getrs(this->handle, op, n, nrhs, da, lda, with, db, n, this->state), good);
      EXPECT_EQ(this->info(), 0);
      const auto left = transposed(Dense<T>(matrix, n, n, lda), "NTC"[op]) * Dense<T>(db.read(), n, nrhs, n);
      EXPECT_LE(difference(left, Dense<T>(b, n, nrhs, n)), 1000 * tolerance<T>(n));
    }
  }
  // The second column is twice the first.
  const Device<T> singular(std::vector<T>{made<T>(1), made<T>(2), made<T>(2), made<T>(4)}), work(1000);
  const Device<int> pivots(2);
  ASSERT_EQ(Api<T>::getrf(this->handle, 2, 2, singular, 2, work, pivots, this->state), good);
  EXPECT_EQ(this->info(), 2);
}

TYPED_TEST(Cusolver, SolvesByCholesky) {
  using T = TypeParam;
  const int n = 33, nrhs = 2;
  const auto a = this->definite(n), b = this->random.template values<T>(n * nrhs);
  for (const auto half : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    const bool lower = half == CUBLAS_FILL_MODE_LOWER;
    const Device<T> da(a), db(b);
    int room = -1;
    ASSERT_EQ(Api<T>::potrf_size(this->handle, half, n, da, n, &room), good);
    const Device<T> work(static_cast<std::size_t>(room));
    ASSERT_EQ(Api<T>::potrf(this->handle, half, n, da, n, work, room, this->state), good);
    EXPECT_EQ(this->info(), 0);
    const auto factor = triangle(Dense<T>(da.read(), n, n, n), lower, false);
    const auto again = lower ? factor * transposed(factor, 'C') : transposed(factor, 'C') * factor;
    EXPECT_LE(difference(again, Dense<T>(a, n, n, n)), 30 * tolerance<T>(n));
    ASSERT_EQ(Api<T>::potrs(this->handle, half, n, nrhs, da, n, db, n, this->state), good);
    EXPECT_LE(difference(Dense<T>(a, n, n, n) * Dense<T>(db.read(), n, nrhs, n), Dense<T>(b, n, nrhs, n)),
              300 * tolerance<T>(n));
    ASSERT_EQ(Api<T>::potri(this->handle, half, n, da, n, work, room, this->state), good);
    Dense<T> one(n, n);
    for (int i = 0; i < n; ++i) one(i, i) = Exact<T>(1);
    EXPECT_LE(
        difference(Dense<T>(a, n, n, n) * mirrored(Dense<T>(da.read(), n, n, n), lower, Kind<T>::complex),
                   one),
        300 * tolerance<T>(n));
    EXPECT_EQ(Api<T>::potrf(this->handle, half, n, da, n, work, 0, this->state),
              CUSOLVER_STATUS_INVALID_VALUE);
  }
  // A batch, of which the second is not definite from its second row on.
  const Device<T> fine(std::vector<T>{made<T>(4), made<T>(2), made<T>(2), made<T>(5)}),
      wrong(std::vector<T>{made<T>(1), made<T>(2), made<T>(2), made<T>(1)}),
      right(std::vector<T>{made<T>(8), made<T>(12)}), other(std::vector<T>{made<T>(1), made<T>(1)});
  const Device<T*> batch(std::vector<T*>{fine.get(), wrong.get()}),
      sides(std::vector<T*>{right.get(), other.get()});
  const Device<int> states(2);
  ASSERT_EQ(Api<T>::potrf_batched(this->handle, CUBLAS_FILL_MODE_LOWER, 2, batch, 2, states, 2), good);
  EXPECT_EQ(states.read(), (std::vector<int>{0, 2}));
  const auto l = fine.read();  // 2 0 / 1 2
  EXPECT_NEAR(std::abs(exact(l[0]) - Exact<T>(2)), 0, 1e-6);
  EXPECT_NEAR(std::abs(exact(l[1]) - Exact<T>(1)), 0, 1e-6);
  EXPECT_NEAR(std::abs(exact(l[3]) - Exact<T>(2)), 0, 1e-6);
  ASSERT_EQ(
      Api<T>::potrs_batched(this->handle, CUBLAS_FILL_MODE_LOWER, 2, 1, batch, 2, sides, 2, this->state, 1),
      good);
  const auto x = right.read();  // 4 x + 2 y = 8, 2 x + 5 y = 12
  EXPECT_NEAR(std::abs(exact(x[0]) - Exact<T>(1)), 0, 1e-6);
  EXPECT_NEAR(std::abs(exact(x[1]) - Exact<T>(2)), 0, 1e-6);
}

TYPED_TEST(Cusolver, FactorsByReflections) {
  using T = TypeParam;
  const int m = 37, n = 21, lda = 40;
  const auto a = this->random.template values<T>(lda * n);
  const Device<T> da(a), tau(n);
  int room = 0, more = 0;
  ASSERT_EQ(Api<T>::geqrf_size(this->handle, m, n, da, lda, &room), good);
  const Device<T> c(a);
  ASSERT_EQ(
      Api<T>::apply_q_size(this->handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_C, m, n, n, da, lda, tau, c, lda, &more),
      good);
  room = std::max(room, more);
  ASSERT_EQ(Api<T>::make_q_size(this->handle, m, n, n, da, lda, tau, &more), good);
  room = std::max(room, more);
  const Device<T> work(static_cast<std::size_t>(room));
  ASSERT_EQ(Api<T>::geqrf(this->handle, m, n, da, lda, tau, work, room, this->state), good);
  EXPECT_EQ(this->info(), 0);
  const auto r = triangle(Dense<T>(da.read(), n, n, lda), false, false);
  // Q' A is R, with zeros below. A real Q is transposed by T, a complex one by C.
  constexpr bool real = std::is_floating_point_v<T>;
  constexpr auto back = real ? CUBLAS_OP_T : CUBLAS_OP_C, wrong = real ? CUBLAS_OP_C : CUBLAS_OP_T;
  EXPECT_EQ(Api<T>::apply_q(this->handle, CUBLAS_SIDE_LEFT, wrong, m, n, n, da, lda, tau, c, lda, work, room,
                            this->state),
            CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(Api<T>::apply_q(this->handle, CUBLAS_SIDE_LEFT, back, m, n, n, nullptr, lda, nullptr, nullptr,
                            lda, work, room, this->state),
            CUSOLVER_STATUS_INVALID_VALUE);
  ASSERT_EQ(Api<T>::apply_q(this->handle, CUBLAS_SIDE_LEFT, back, m, n, n, da, lda, tau, c, lda, work, room,
                            this->state),
            good);
  const Dense<T> turned(c.read(), m, n, lda);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < m; ++i)
      EXPECT_LE(std::abs(turned(i, j) - (i < n ? r(i, j) : Exact<T>(0))), 30 * tolerance<T>(m));
  ASSERT_EQ(Api<T>::make_q(this->handle, m, n, n, da, lda, tau, work, room, this->state), good);
  const Dense<T> q(da.read(), m, n, lda);
  EXPECT_LE(difference(q * r, Dense<T>(a, m, n, lda)), 30 * tolerance<T>(m));
  Dense<T> one(n, n);
  for (int i = 0; i < n; ++i) one(i, i) = Exact<T>(1);
  EXPECT_LE(difference(transposed(q, 'C') * q, one), 30 * tolerance<T>(m));
}

TYPED_TEST(Cusolver, FindsSingularValues) {
  using T = TypeParam;
  const int m = 23, n = 14;
  const auto a = this->random.template values<T>(m * n);
  const Device<T> da(a), u(m * n), vt(n * n);
  const Device<Real<T>> s(n);
  int room = 0;
  ASSERT_EQ(Api<T>::gesvd_size(this->handle, m, n, &room), good);
  const Device<T> work(static_cast<std::size_t>(room));
  ASSERT_EQ(
      Api<T>::gesvd(this->handle, 'S', 'S', m, n, da, m, s, u, m, vt, n, work, room, nullptr, this->state),
      good);
  EXPECT_EQ(this->info(), 0);
  const auto values = s.read();
  Dense<T> diagonal(n, n);
  for (int i = 0; i < n; ++i) {
    diagonal(i, i) = static_cast<double>(values[static_cast<std::size_t>(i)]);
    if (i > 0) EXPECT_LE(values[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(i - 1)]);
  }
  EXPECT_LE(
      difference(Dense<T>(u.read(), m, n, m) * diagonal * Dense<T>(vt.read(), n, n, n), Dense<T>(a, m, n, m)),
      50 * tolerance<T>(m));
  // 3 0 / 4 5: its square has the eigenvalues 45 and 5.
  const Device<T> known(std::vector<T>{made<T>(3), made<T>(4), made<T>(0), made<T>(5)});
  const Device<Real<T>> two(2);
  ASSERT_EQ(Api<T>::gesvd(this->handle, 'N', 'N', 2, 2, known, 2, two, nullptr, 2, nullptr, 2, work, room,
                          nullptr, this->state),
            good);
  EXPECT_NEAR(two.read()[0], std::sqrt(45.0), 1e-5);
  EXPECT_NEAR(two.read()[1], std::sqrt(5.0), 1e-5);
  EXPECT_EQ(Api<T>::gesvd(this->handle, 'N', 'N', 2, 3, known, 2, two, nullptr, 2, nullptr, 2, work, room,
                          nullptr, this->state),
            CUSOLVER_STATUS_INVALID_VALUE);
}

TYPED_TEST(Cusolver, FindsEigenvalues) {
  using T = TypeParam;
  const int n = 19;
  const auto a = this->definite(n);
  for (const auto half : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
    const Device<T> da(a);
    const Device<Real<T>> w(n);
    int room = 0;
    ASSERT_EQ(Api<T>::eigen_size(this->handle, CUSOLVER_EIG_MODE_VECTOR, half, n, da, n, w, &room), good);
    const Device<T> work(static_cast<std::size_t>(room));
    ASSERT_EQ(
        Api<T>::eigen(this->handle, CUSOLVER_EIG_MODE_VECTOR, half, n, da, n, w, work, room, this->state),
        good);
    EXPECT_EQ(this->info(), 0);
    const Dense<T> matrix(a, n, n, n), vectors(da.read(), n, n, n);
    const auto product = matrix * vectors;
    const auto values = w.read();
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        EXPECT_LE(std::abs(product(i, j) -
                           vectors(i, j) * static_cast<double>(values[static_cast<std::size_t>(j)])),
                  60 * tolerance<T>(n));
    // 2 1 / 1 2
    const Device<T> known(std::vector<T>{made<T>(2), made<T>(1), made<T>(1), made<T>(2)});
    ASSERT_EQ(Api<T>::eigen(this->handle, CUSOLVER_EIG_MODE_NOVECTOR, half, 2, known, 2, w, work, room,
                            this->state),
              good);
    EXPECT_NEAR(w.read()[0], 1, 1e-5);
    EXPECT_NEAR(w.read()[1], 3, 1e-5);
  }
}

TEST(CusolverErrors, NameWhatIsWrong) {
  int room = 0;
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(nullptr, 2, 2, nullptr, 2, &room), CUSOLVER_STATUS_NOT_INITIALIZED);
  cusolverDnHandle_t handle;
  ASSERT_EQ(cusolverDnCreate(&handle), good);
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle, -1, 2, nullptr, 2, &room), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle, 4, 2, nullptr, 2, &room), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnSgetrf_bufferSize(handle, 2, 2, nullptr, 2, nullptr), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverDnSgeqrf_bufferSize(handle, 5, 4, nullptr, 4, &room), good);  // as CuPy asks
  ASSERT_EQ(cusolverDnDestroy(handle), good);
  EXPECT_EQ(cusolverDnDestroy(handle), CUSOLVER_STATUS_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::libs_test
