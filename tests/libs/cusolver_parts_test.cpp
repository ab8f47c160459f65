// cuSOLVER's reductions to two and three diagonals, some of the eigenvalues, inverses: by what they have to
// satisfy.
#include <cusolverDn.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUSOLVER_STATUS_SUCCESS;
constexpr auto bad = CUSOLVER_STATUS_INVALID_VALUE;
constexpr auto lower = CUBLAS_FILL_MODE_LOWER;
constexpr auto upper = CUBLAS_FILL_MODE_UPPER;
constexpr auto with_vectors = CUSOLVER_EIG_MODE_VECTOR;

#define PAIR(name, function)             \
  static constexpr auto name = function; \
  static constexpr auto name##_size = function##_bufferSize;
#define ALL(L, SY, OR)                         \
  PAIR(gebrd, &cusolverDn##L##gebrd)           \
  PAIR(bidiagonal_q, &cusolverDn##L##OR##gbr)  \
  PAIR(tridiagonal, &cusolverDn##L##SY##trd)   \
  PAIR(tridiagonal_q, &cusolverDn##L##OR##gtr) \
  PAIR(apply_q, &cusolverDn##L##OR##mtr)       \
  PAIR(some, &cusolverDn##L##SY##evdx)         \
  PAIR(some_general, &cusolverDn##L##SY##gvdx) \
  PAIR(lauum, &cusolverDn##L##lauum)           \
  PAIR(sytrf, &cusolverDn##L##sytrf)           \
  PAIR(sytri, &cusolverDn##L##sytri)           \
  static constexpr auto laswp = &cusolverDn##L##laswp;
template <class T>
struct Api;
template <>
struct Api<float> {
  static constexpr auto type = CUDA_R_32F, real = CUDA_R_32F;
  ALL(S, sy, or)
};
template <>
struct Api<double> {
  static constexpr auto type = CUDA_R_64F, real = CUDA_R_64F;
  ALL(D, sy, or)
};
template <>
struct Api<cuComplex> {
  static constexpr auto type = CUDA_C_32F, real = CUDA_R_32F;
  ALL(C, he, un)
};
template <>
struct Api<cuDoubleComplex> {
  static constexpr auto type = CUDA_C_64F, real = CUDA_R_64F;
  ALL(Z, he, un)
};

template <class T>
class CusolverParts : public testing::Test {
 public:
  CusolverParts() {
    EXPECT_EQ(cusolverDnCreate(&handle), good);
    EXPECT_EQ(cusolverDnCreateParams(&params), good);
  }
  ~CusolverParts() override {
    cusolverDnDestroyParams(params);
    EXPECT_EQ(cusolverDnDestroy(handle), good);
  }
  Dense<T> whole(const std::vector<T>& values, int m, int n) { return Dense<T>(values, m, n, m); }
  std::vector<T> stored(const Dense<T>& a) const {
    std::vector<T> to;
    for (const auto& value : a.values) to.push_back(made<T>(std::real(value), std::imag(value)));
    return to;
  }
  Dense<T> symmetric(int n, bool hermitian) {
    return mirrored(whole(random.values<T>(static_cast<std::size_t>(n) * n), n, n), true, hermitian);
  }
  static Dense<T> one(int n) {
    Dense<T> i(n, n);
    for (int k = 0; k < n; ++k) i(k, k) = 1;
    return i;
  }
  int info() const { return state.read()[0]; }
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
  Random random{5};
  Device<int> state{std::vector<int>(1, 77)};
  int room = 0;
};
using Types = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(CusolverParts, Types);

// A = Q B P^H with two diagonals in B.
TYPED_TEST(CusolverParts, ReducesToTwoDiagonals) {
  using T = TypeParam;
  using A = Api<T>;
  const int m = 7, n = 4;
  const auto values = this->random.template values<T>(m * n);
  const Device<T> a(values), tau_q(n), tau_p(n);
  const Device<Real<T>> d(n), e(n - 1);
  ASSERT_EQ(A::gebrd_size(this->handle, m, n, &this->room), good);
  const Device<T> work(static_cast<std::size_t>(this->room));
  EXPECT_EQ(A::gebrd(this->handle, n, m, a, n, d, e, tau_q, tau_p, work, this->room, this->state), bad);
  ASSERT_EQ(A::gebrd(this->handle, m, n, a, m, d, e, tau_q, tau_p, work, this->room, this->state), good);
  EXPECT_EQ(this->info(), 0);
  Dense<T> b(n, n);
  const auto diagonal = d.read(), beside = e.read();
  for (int i = 0; i < n; ++i) b(i, i) = diagonal[i];
  for (int i = 0; i + 1 < n; ++i) b(i, i + 1) = beside[i];
  const auto reduced = a.read();
  const Device<T> q(reduced), p(static_cast<std::size_t>(n) * n);
  std::vector<T> square;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) square.push_back(reduced[i + j * m]);
  const_cast<Device<T>&>(p).set(square);
  ASSERT_EQ(A::bidiagonal_q_size(this->handle, CUBLAS_SIDE_LEFT, m, n, n, q, m, tau_q, &this->room), good);
  const Device<T> more(static_cast<std::size_t>(this->room));
  ASSERT_EQ(
      A::bidiagonal_q(this->handle, CUBLAS_SIDE_LEFT, m, n, n, q, m, tau_q, more, this->room, this->state),
      good);
  EXPECT_EQ(this->info(), 0);
  ASSERT_EQ(
      A::bidiagonal_q(this->handle, CUBLAS_SIDE_RIGHT, n, n, m, p, n, tau_p, more, this->room, this->state),
      good);
  EXPECT_EQ(this->info(), 0);
  const Dense<T> left = this->whole(q.read(), m, n), right = this->whole(p.read(), n, n);
  EXPECT_LT(difference(left * b * right, this->whole(values, m, n)), tolerance<T>(m + n) * 4);
  EXPECT_LT(difference(transposed(left, 'C') * left, this->one(n)), tolerance<T>(m));
}

// A = Q T Q^H with three diagonals in T; Q made, and Q applied.
TYPED_TEST(CusolverParts, ReducesToThreeDiagonals) {
  using T = TypeParam;
  using A = Api<T>;
  for (const auto half : {lower, upper})
    for (const int n : {1, 6}) {
      const auto whole = this->symmetric(n, true);
      const Device<T> a(this->stored(whole)), tau(n);
      const Device<Real<T>> d(n), e(n);
      ASSERT_EQ(A::tridiagonal_size(this->handle, half, n, a, n, d, e, tau, &this->room), good);
      const Device<T> work(static_cast<std::size_t>(this->room));
      ASSERT_EQ(A::tridiagonal(this->handle, half, n, a, n, d, e, tau, work, this->room, this->state), good);
      EXPECT_EQ(this->info(), 0);
      Dense<T> t(n, n);
      const auto diagonal = d.read(), beside = e.read();
      for (int i = 0; i < n; ++i) t(i, i) = diagonal[i];
      for (int i = 0; i + 1 < n; ++i) t(i, i + 1) = t(i + 1, i) = beside[i];
      const Device<T> q(a.read());
      ASSERT_EQ(A::tridiagonal_q_size(this->handle, half, n, q, n, tau, &this->room), good);
      ASSERT_EQ(A::tridiagonal_q(this->handle, half, n, q, n, tau, work, this->room, this->state), good);
      EXPECT_EQ(this->info(), 0);
      const Dense<T> made_q = this->whole(q.read(), n, n);
      EXPECT_LT(difference(made_q * t * transposed(made_q, 'C'), whole), tolerance<T>(n) * 4);
      // Q^H A Q = T
      const Device<T> c(this->stored(whole));
      ASSERT_EQ(A::apply_q_size(this->handle, CUBLAS_SIDE_LEFT, half, CUBLAS_OP_C, n, n, a, n, tau, c, n,
                                &this->room),
                good);
      constexpr auto back = std::is_floating_point_v<T> ? CUBLAS_OP_T : CUBLAS_OP_C;
      ASSERT_EQ(A::apply_q(this->handle, CUBLAS_SIDE_LEFT, half, back, n, n, a, n, tau, c, n, work,
                           this->room, this->state),
                good);
      ASSERT_EQ(A::apply_q(this->handle, CUBLAS_SIDE_RIGHT, half, CUBLAS_OP_N, n, n, a, n, tau, c, n, work,
                           this->room, this->state),
                good);
      EXPECT_LT(difference(this->whole(c.read(), n, n), t), tolerance<T>(n) * 4);
    }
}

TYPED_TEST(CusolverParts, FindsSomeEigenvalues) {
  using T = TypeParam;
  using A = Api<T>;
  using R = Real<T>;
  const int n = 9;
  const auto whole = this->symmetric(n, true);
  const auto squared = this->symmetric(n, true);
  auto definite = transposed(squared, 'C') * squared;
  for (int i = 0; i < n; ++i) definite(i, i) += 1.0;
  const auto look = [&](const Dense<T>& b, const std::vector<T>& vectors, const std::vector<R>& w,
                        int count) {
    Dense<T> v(vectors, n, count, n), right = b * v;
    for (int j = 0; j < count; ++j)
      for (int i = 0; i < n; ++i) right(i, j) *= static_cast<double>(w[j]);
    EXPECT_LE(difference(whole * v, right), tolerance<T>(n) * n * 8);
    EXPECT_TRUE(std::is_sorted(w.begin(), w.begin() + count));
  };
  // All, then places 3 to 5, then what lies between.
  std::vector<R> all(n);
  for (const bool general : {false, true}) {
    const auto run = [&](cusolverEigRange_t range, R from, R to, int first, int last) {
      const Device<T> a(this->stored(whole)), b(this->stored(definite));
      const Device<R> w(n);
      int count = -1;
      EXPECT_EQ(general ? A::some_general_size(this->handle, CUSOLVER_EIG_TYPE_1, with_vectors, range, lower,
                                               n, a, n, b, n, from, to, first, last, &count, w, &this->room)
                        : A::some_size(this->handle, with_vectors, range, lower, n, a, n, from, to, first,
                                       last, &count, w, &this->room),
                good);
      const Device<T> work(static_cast<std::size_t>(this->room));
      EXPECT_EQ(general
                    ? A::some_general(this->handle, CUSOLVER_EIG_TYPE_1, with_vectors, range, lower, n, a, n,
                                      b, n, from, to, first, last, &count, w, work, this->room, this->state)
                    : A::some(this->handle, with_vectors, range, lower, n, a, n, from, to, first, last,
                              &count, w, work, this->room, this->state),
                good);
      EXPECT_EQ(this->info(), 0);
      look(general ? definite : this->one(n), a.read(), w.read(), count);
      return std::pair{count, w.read()};
    };
    const auto [every, w] = run(CUSOLVER_EIG_RANGE_ALL, 0, 0, 0, 0);
    EXPECT_EQ(every, n);
    const auto [three, of_places] = run(CUSOLVER_EIG_RANGE_I, 0, 0, 3, 5);
    EXPECT_EQ(three, 3);
    EXPECT_EQ(of_places[0], w[2]);
    EXPECT_EQ(of_places[2], w[4]);
    const auto [some, of_values] = run(CUSOLVER_EIG_RANGE_V, (w[1] + w[2]) / 2, (w[6] + w[7]) / 2, 0, 0);
    EXPECT_EQ(some, 5);
    EXPECT_EQ(of_values[0], w[2]);
    if (!general) all = w;
  }
  // The 64-bit interface.
  const Device<T> a(this->stored(whole));
  const Device<R> w(n);
  std::size_t device = 0, host = 0;
  int64_t count = 0;
  EXPECT_EQ(cusolverDnXsyevdx_bufferSize(this->handle, this->params, with_vectors, CUSOLVER_EIG_RANGE_I,
                                         lower, n, A::type, a, n, nullptr, nullptr, 2, n + 1, &count, A::real,
                                         w, A::type, &device, &host),
            bad);
  ASSERT_EQ(cusolverDnXsyevdx_bufferSize(this->handle, this->params, with_vectors, CUSOLVER_EIG_RANGE_I,
                                         lower, n, A::type, a, n, nullptr, nullptr, 2, 3, &count, A::real, w,
                                         A::type, &device, &host),
            good);
  const Device<char> work(device);
  ASSERT_EQ(cusolverDnXsyevdx(this->handle, this->params, with_vectors, CUSOLVER_EIG_RANGE_I, lower, n,
                              A::type, a, n, nullptr, nullptr, 2, 3, &count, A::real, w, A::type, work,
                              device, nullptr, host, this->state),
            good);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(w.read()[0], all[1]);
  look(this->one(n), a.read(), w.read(), 2);
}

TYPED_TEST(CusolverParts, FindsTheLargestSingularValues) {
  using T = TypeParam;
  using A = Api<T>;
  const int m = 8, n = 6, k = 2;
  // Rank 2: what the two largest leave is nothing.
  const Dense<T> left = this->whole(this->random.template values<T>(m * k), m, k),
                 right = this->whole(this->random.template values<T>(k * n), k, n), whole = left * right;
  const Device<T> a(this->stored(whole)), u(m * k), v(n * k);
  const Device<Real<T>> s(k);
  std::size_t device = 0, host = 0;
  EXPECT_EQ(cusolverDnXgesvdr_bufferSize(this->handle, this->params, 'S', 'S', m, n, k, n, 2, A::type, a, m,
                                         A::real, s, A::type, u, m, A::type, v, n, A::type, &device, &host),
            bad);  // k + p is more than n
  ASSERT_EQ(cusolverDnXgesvdr_bufferSize(this->handle, this->params, 'S', 'S', m, n, k, 2, 2, A::type, a, m,
                                         A::real, s, A::type, u, m, A::type, v, n, A::type, &device, &host),
            good);
  const Device<char> work(device);
  ASSERT_EQ(
      cusolverDnXgesvdr(this->handle, this->params, 'S', 'S', m, n, k, 2, 2, A::type, a, m, A::real, s,
                        A::type, u, m, A::type, v, n, A::type, work, device, nullptr, host, this->state),
      good);
  EXPECT_EQ(this->info(), 0);
  Dense<T> scaled = this->whole(u.read(), m, k);
  const auto values = s.read();
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < m; ++i) scaled(i, j) *= static_cast<double>(values[j]);
  EXPECT_LT(difference(scaled * transposed(this->whole(v.read(), n, k), 'C'), whole),
            tolerance<T>(m + n) * 4);
}

TYPED_TEST(CusolverParts, InvertsTriangles) {
  using T = TypeParam;
  using A = Api<T>;
  const int n = 6;
  for (const auto half : {lower, upper})
    for (const auto ones : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT}) {
      auto whole = this->whole(this->random.template values<T>(n * n), n, n);
      for (int i = 0; i < n; ++i) whole(i, i) += 4.0;
      const Device<T> a(this->stored(whole));
      std::size_t device = 0, host = 0;
      ASSERT_EQ(cusolverDnXtrtri_bufferSize(this->handle, half, ones, n, A::type, a.get(), n, &device, &host),
                good);
      const Device<char> work(device);
      ASSERT_EQ(cusolverDnXtrtri(this->handle, half, ones, n, A::type, a.get(), n, work.get(), device,
                                 nullptr, host, this->state),
                good);
      EXPECT_EQ(this->info(), 0);
      const bool low = half == lower, unit = ones == CUBLAS_DIAG_UNIT;
      const auto inverse = this->whole(a.read(), n, n);
      EXPECT_LT(difference(triangle(inverse, low, unit) * triangle(whole, low, unit), this->one(n)),
                tolerance<T>(n) * 16);
    }
  // The product of a triangle, whose diagonal is real as Cholesky's is, with itself; rows exchanged forth and
  // back.
  auto whole = this->whole(this->random.template values<T>(n * n), n, n);
  for (int i = 0; i < n; ++i) whole(i, i) = std::real(whole(i, i));
  const Device<T> a(this->stored(whole));
  ASSERT_EQ(A::lauum_size(this->handle, lower, n, a, n, &this->room), good);
  const Device<T> work(static_cast<std::size_t>(this->room));
  ASSERT_EQ(A::lauum(this->handle, lower, n, a, n, work, this->room, this->state), good);
  EXPECT_EQ(this->info(), 0);
  const auto l = triangle(whole, true, false);
  EXPECT_LT(difference(this->whole(a.read(), n, n), transposed(l, 'C') * l, 'L'), tolerance<T>(n) * 4);
  const Device<T> rows(this->stored(whole));
  const Device<int> pivots(std::vector<int>{4, 2, 6, 4});
  ASSERT_EQ(A::laswp(this->handle, n, rows, n, 1, 4, pivots, 1), good);
  EXPECT_EQ(exact(rows.read()[0]), whole(3, 0));
  EXPECT_EQ(exact(rows.read()[2]), whole(5, 0));
  ASSERT_EQ(A::laswp(this->handle, n, rows, n, 1, 4, pivots, -1), good);
  EXPECT_EQ(difference(this->whole(rows.read(), n, n), whole), 0);
  EXPECT_EQ(A::laswp(this->handle, n, rows, n, 0, 4, pivots, 1), bad);
}

TYPED_TEST(CusolverParts, SolvesAndInvertsSymmetricOnes) {
  using T = TypeParam;
  using A = Api<T>;
  const int n = 7;
  const auto whole = this->symmetric(n, false);
  for (const auto half : {lower, upper}) {
    const Device<T> a(this->stored(whole));
    const Device<int> pivots(n);
    ASSERT_EQ(A::sytrf_size(this->handle, n, a, n, &this->room), good);
    const Device<T> work(static_cast<std::size_t>(this->room));
    ASSERT_EQ(A::sytrf(this->handle, half, n, a, n, pivots, work, this->room, this->state), good);
    EXPECT_EQ(this->info(), 0);
    std::vector<int64_t> long_pivots;
    for (const int one : pivots.read()) long_pivots.push_back(one);
    const Device<int64_t> exchanges(long_pivots);
    const auto sides = this->random.template values<T>(2 * n);
    const Device<T> b(sides);
    std::size_t device = 0, host = 0;
    ASSERT_EQ(cusolverDnXsytrs_bufferSize(this->handle, half, n, 2, A::type, a, n, exchanges, A::type,
                                          b.get(), n, &device, &host),
              good);
    const Device<char> room(device);
    ASSERT_EQ(cusolverDnXsytrs(this->handle, half, n, 2, A::type, a, n, exchanges, A::type, b.get(), n,
                               room.get(), device, nullptr, host, this->state),
              good);
    EXPECT_EQ(this->info(), 0);
    const auto x = this->whole(b.read(), n, 2);
    double most = 1;
    for (const auto& value : x.values) most = std::max(most, std::abs(value));
    EXPECT_LT(difference(whole * x, this->whole(sides, n, 2)), tolerance<T>(n) * 8 * most);
    ASSERT_EQ(A::sytri_size(this->handle, half, n, a, n, pivots, &this->room), good);
    ASSERT_EQ(A::sytri(this->handle, half, n, a, n, pivots, work, this->room, this->state), good);
    EXPECT_EQ(this->info(), 0);
    const auto inverse = mirrored(this->whole(a.read(), n, n), half == lower, false);
    EXPECT_LT(difference(inverse * whole, this->one(n)), tolerance<T>(n) * 8 * most * most);
  }
}

}  // namespace
}  // namespace heddle::libs_test
