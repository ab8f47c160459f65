// cuSOLVER's sparse eigenvalues, least squares and diagonals, and what else an H200 was asked
// (tests/hw/h200/libraries/cusolver.md): by its answers, and by what results have to satisfy.
#include <cusolverDn.h>
#include <cusolverSp.h>

#include <numeric>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUSOLVER_STATUS_SUCCESS, invalid = CUSOLVER_STATUS_INVALID_VALUE;

#define ALL(L, Corner)                                           \
  using Place = Corner;                                          \
  static constexpr auto eigenvalue = &cusolverSp##L##csreigvsi;  \
  static constexpr auto on_host = &cusolverSp##L##csreigvsiHost; \
  static constexpr auto count = &cusolverSp##L##csreigsHost;     \
  static constexpr auto least = &cusolverSp##L##csrlsqvqrHost;   \
  static constexpr auto diagonal = &cusolverSp##L##csrzfdHost;
template <class T>
struct Api;
template <>
struct Api<float> {
  ALL(S, cuComplex)
};
template <>
struct Api<double> {
  ALL(D, cuDoubleComplex)
};
template <>
struct Api<cuComplex> {
  ALL(C, cuComplex)
};
template <>
struct Api<cuDoubleComplex> {
  ALL(Z, cuDoubleComplex)
};

template <class T>
struct Csr {
  int rows = 0, columns = 0;
  std::vector<int> offsets, places;
  std::vector<T> values;
  int count() const { return static_cast<int>(values.size()); }
};
template <class T>
Csr<T> csr(int rows, int columns, const std::vector<T>& dense, int base = 0) {
  Csr<T> made{rows, columns, {base}, {}, {}};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      if (const T value = dense[static_cast<std::size_t>(i * columns + j)]; exact(value) != Exact<T>(0)) {
        made.places.push_back(j + base);
        made.values.push_back(value);
      }
    made.offsets.push_back(made.count() + base);
  }
  return made;
}
template <class T>
Csr<T> converted(int rows, int columns, const std::vector<double>& dense) {
  std::vector<T> values;
  for (const double value : dense) values.push_back(made<T>(value));
  return csr(rows, columns, values);
}
// 2 on the diagonal and -1 beside it.
std::vector<double> second_differences(int n) {
  std::vector<double> all(static_cast<std::size_t>(n * n));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      all[static_cast<std::size_t>(i * n + j)] = i == j ? 2 : std::abs(i - j) == 1 ? -1 : 0;
  return all;
}

template <class T>
class CusolverSpectra : public testing::Test {
 public:
  using A = Api<T>;
  CusolverSpectra() {
    EXPECT_EQ(cusolverSpCreate(&handle), good);
    EXPECT_EQ(cusparseCreateMatDescr(&description), CUSPARSE_STATUS_SUCCESS);
  }
  ~CusolverSpectra() override {
    cusparseDestroyMatDescr(description);
    cusolverSpDestroy(handle);
  }
  int inside(const Csr<T>& a, double left, double bottom, double right, double top) {
    using Place = typename A::Place;
    const auto place = [](double x, double y) {
      Place made{};
      made.x = static_cast<decltype(made.x)>(x);
      made.y = static_cast<decltype(made.y)>(y);
      return made;
    };
    int count = -1;
    EXPECT_EQ(A::count(handle, a.rows, a.count(), description, a.values.data(), a.offsets.data(),
                       a.places.data(), place(left, bottom), place(right, top), &count),
              good);
    return count;
  }
  struct Least {
    cusolverStatus_t status;
    int rank = -1;
    std::vector<T> x;
    std::vector<int> p;
    Real<T> norm = -1;
  };
  Least least(const Csr<T>& a, const std::vector<T>& b, Real<T> tolerance) {
    Least found;
    found.x.resize(static_cast<std::size_t>(a.columns));
    found.p.resize(static_cast<std::size_t>(a.columns));
    found.status = A::least(handle, a.rows, a.columns, a.count(), description, a.values.data(),
                            a.offsets.data(), a.places.data(), b.data(), tolerance, &found.rank,
                            found.x.data(), found.p.data(), &found.norm);
    return found;
  }
  std::vector<int> diagonal(const std::vector<double>& dense, int n, int* count) {
    const auto a = converted<T>(n, n, dense);
    std::vector<int> p(static_cast<std::size_t>(n), -1);
    EXPECT_EQ(A::diagonal(handle, n, a.count(), description, a.values.data(), a.offsets.data(),
                          a.places.data(), p.data(), count),
              good);
    return p;
  }
  cusolverSpHandle_t handle = nullptr;
  cusparseMatDescr_t description = nullptr;
  Random random{3};
};
using Elements = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(CusolverSpectra, Elements);

TYPED_TEST(CusolverSpectra, FindsTheEigenvalueNextToAShift) {
  using T = TypeParam;
  const int n = 20;
  std::vector<T> dense(n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (j >= i && (i == j || this->random.in(0, 4) == 0))
        dense[static_cast<std::size_t>(i * n + j)] =
            i == j ? made<T>(i + 1, i % 3) : this->random.template value<T>();
    }
  for (const int base : {0, 1}) {
    const auto a = csr(n, n, dense, base);
    cusparseSetMatIndexBase(this->description,
                            base == 1 ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
    const std::vector<T> start(n, made<T>(1));
    const Real<T> tolerance = static_cast<Real<T>>(libs_test::tolerance<T>(10) * 4);
    T mu{};
    std::vector<T> x(n);
    ASSERT_EQ(
        Api<T>::on_host(this->handle, n, a.count(), this->description, a.values.data(), a.offsets.data(),
                        a.places.data(), made<T>(6.9, 0.1), start.data(), 200, tolerance, &mu, x.data()),
        good);
    EXPECT_LE(std::abs(exact(mu) - exact(made<T>(7, 0))), 10 * static_cast<double>(tolerance));
    const Device<T> values(a.values), from(start), found(std::vector<T>(1)), to(x);
    const Device<int> offsets(a.offsets), places(a.places);
    ASSERT_EQ(Api<T>::eigenvalue(this->handle, n, a.count(), this->description, values, offsets, places,
                                 made<T>(6.9, 0.1), from, 200, tolerance, found, to),
              good);
    EXPECT_EQ(exact(found.read()[0]), exact(mu));
    const auto vector = to.read();
    for (int i = 0; i < n; ++i) {
      Exact<T> sum = 0;
      for (int j = 0; j < n; ++j)
        sum += exact(dense[static_cast<std::size_t>(i * n + j)]) * exact(vector[static_cast<std::size_t>(j)]);
      EXPECT_LE(std::abs(sum - exact(mu) * exact(vector[static_cast<std::size_t>(i)])),
                10 * static_cast<double>(tolerance));
    }
  }
}

TYPED_TEST(CusolverSpectra, CountsEigenvaluesInABox) {
  using T = TypeParam;
  const auto lap = converted<T>(40, 40, second_differences(40));
  EXPECT_EQ(this->inside(lap, 0, -1, 1, 1), 13);
  EXPECT_EQ(this->inside(lap, 1, -0.01, 2, 0.01), 7);
  EXPECT_EQ(this->inside(lap, 2, 0.01, 1, -0.01), 7);
  EXPECT_EQ(this->inside(lap, 0, 0, 4, 0), 0);
  const auto turn = converted<T>(2, 2, {0, -1, 1, 0});
  EXPECT_EQ(this->inside(turn, -1, 0.5, 1, 2), 1);
  EXPECT_EQ(this->inside(turn, -1, -2, 1, 2), 2);
}

TYPED_TEST(CusolverSpectra, FindsTheShortestOfTheLeastSquares) {
  using T = TypeParam;
  const int m = 12, n = 7;
  for (const int rank : {7, 5, 1}) {
    // Column j + rank is column j turned, so that it is a multiple of that.
    std::vector<T> dense(m * n);
    const auto at = [&](int i, int j) -> T& { return dense[static_cast<std::size_t>(i * n + j)]; };
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        if (j >= rank)
          at(i, j) = made<T>(2 * std::real(exact(at(i, j - rank))), 2 * std::imag(exact(at(i, j - rank))));
        else if (i == j || this->random.in(0, 2) == 0)
          at(i, j) = this->random.template value<T>();
    const auto b = this->random.template values<T>(m);
    const Real<T> tolerance = static_cast<Real<T>>(libs_test::tolerance<T>(20));
    const auto found = this->least(csr(m, n, dense), b, tolerance);
    ASSERT_EQ(found.status, good);
    EXPECT_EQ(found.rank, rank);
    auto sorted = found.p;
    std::sort(sorted.begin(), sorted.end());
    for (int j = 0; j < n; ++j) EXPECT_EQ(sorted[static_cast<std::size_t>(j)], j);
    EXPECT_TRUE(std::is_sorted(found.p.begin(), found.p.begin() + rank));
    // What is left is at a right angle to every column, x to what A takes to nothing.
    std::vector<Exact<T>> left(m);
    double norm = 0;
    for (int i = 0; i < m; ++i) {
      left[static_cast<std::size_t>(i)] = exact(b[static_cast<std::size_t>(i)]);
      for (int j = 0; j < n; ++j)
        left[static_cast<std::size_t>(i)] -= exact(at(i, j)) * exact(found.x[static_cast<std::size_t>(j)]);
      norm += std::norm(left[static_cast<std::size_t>(i)]);
    }
    EXPECT_NEAR(found.norm, std::sqrt(norm), libs_test::tolerance<T>(400));
    for (int j = 0; j < n; ++j) {
      Exact<T> sum = 0;
      for (int i = 0; i < m; ++i) sum += conj_of(exact(at(i, j))) * left[static_cast<std::size_t>(i)];
      EXPECT_LE(std::abs(sum), libs_test::tolerance<T>(400));
      if (j + rank < n) {
        EXPECT_LE(std::abs(2.0 * exact(found.x[static_cast<std::size_t>(j)]) -
                           exact(found.x[static_cast<std::size_t>(j + rank)])),
                  libs_test::tolerance<T>(400) * (1 + std::abs(exact(found.x[static_cast<std::size_t>(j)]))))
            << rank << " " << j;
      }
    }
  }
}

TYPED_TEST(CusolverSpectra, FindsADiagonalWithoutZeros) {
  int count = 0;
  using P = std::vector<int>;
  EXPECT_EQ(this->diagonal({0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0}, 4, &count), (P{3, 0, 1, 2}));
  EXPECT_EQ(count, 4);
  EXPECT_EQ(this->diagonal({1, 1, 0, 1, 1, 0, 1, 1, 0}, 3, &count), (P{0, 1, 2}));
  EXPECT_EQ(count, 2);
  EXPECT_EQ(this->diagonal({1, 9, 0, 9, 1, 0, 0, 5, 2}, 3, &count), (P{0, 1, 2}));
  EXPECT_EQ(count, 3);
  EXPECT_EQ(
      this->diagonal({0, 2, 0, 1, 0, 3, 0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 7, 1, 0, 0, 5, 0, 0, 0, 0}, 5, &count),
      (P{4, 0, 3, 2, 1}));
  EXPECT_EQ(count, 5);
  EXPECT_EQ(this->diagonal({0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1}, 4, &count), (P{1, 3, 0, 2}));
  EXPECT_EQ(count, 3);
}

// ---- as an H200 answers

using CusolverAnswers = CusolverSpectra<double>;
using CusolverFloats = CusolverSpectra<float>;

TEST_F(CusolverAnswers, InverseIterationTellsTheQuotientBeforeTheLastStep) {
  const auto a = converted<double>(6, 6, second_differences(6));
  const std::vector<double> start{1, 2, 3, 4, 5, 7};
  const auto run = [&](int steps, double tolerance, std::vector<double>& x) {
    double mu = -1;
    EXPECT_EQ(cusolverSpDcsreigvsiHost(handle, 6, a.count(), description, a.values.data(), a.offsets.data(),
                                       a.places.data(), 0.5, start.data(), steps, tolerance, &mu, x.data()),
              good);
    return mu;
  };
  std::vector<double> x(6);
  EXPECT_EQ(run(0, 1e-12, x), 0);
  EXPECT_NEAR(x[0], 0.098058067569092022, 1e-15);
  EXPECT_NEAR(run(1, 1e-12, x), 0.55769230769230771, 1e-14);
  EXPECT_NEAR(x[0], -0.38237193934654917, 1e-14);
  EXPECT_NEAR(run(2, 1e-12, x), 0.35937696190452234, 1e-14);
  EXPECT_NEAR(run(20, 0, x), 0.75045404430055307, 1e-12);
  EXPECT_NEAR(run(100, 1e-12, x), 0.75302039628253159, 1e-13);
  EXPECT_NEAR(x[0], -0.41790649636574051, 1e-11);

  // A shift that is an eigenvalue; a tolerance that ends it.
  const auto d = converted<double>(3, 3, {1, 0, 0, 0, 2, 0, 0, 0, 3});
  const std::vector<double> ones(3, 1);
  double mu = 0;
  const auto from = [&](double shift) {
    EXPECT_EQ(cusolverSpDcsreigvsiHost(handle, 3, 3, description, d.values.data(), d.offsets.data(),
                                       d.places.data(), shift, ones.data(), 100, 1e-8, &mu, x.data()),
              good);
  };
  from(2);
  EXPECT_EQ(mu, 2);
  EXPECT_NEAR(x[0], 0, 1e-14);
  EXPECT_NEAR(x[1], 1, 1e-14);
  from(2.2);
  EXPECT_NEAR(x[0], 1.2760934944383004e-11, 1e-16);
  EXPECT_NEAR(x[2], 3.7252902984619711e-09, 1e-16);
}

TEST_F(CusolverAnswers, LeastSquaresLeaveColumnsOut) {
  const auto full =
      least(converted<double>(5, 3, {1, 2, 0, 0, 1, 1, 3, 0, 1, 0, 2, 5, 1, 1, 1}), {1, 2, 3, 4, 5}, 1e-12);
  EXPECT_EQ(full.rank, 3);
  EXPECT_EQ(full.p, (std::vector<int>{0, 1, 2}));
  EXPECT_NEAR(full.norm, 3.1866155950219848, 1e-14);
  EXPECT_NEAR(full.x[0], 0.95335276967930016, 1e-14);
  const auto less = least(converted<double>(4, 3, {1, 2, 0, 2, 4, 1, 3, 6, 0, 0, 0, 4}), {1, 2, 3, 5}, 1e-6);
  EXPECT_EQ(less.rank, 2);
  EXPECT_EQ(less.p, (std::vector<int>{0, 2, 1}));
  EXPECT_NEAR(less.norm, 1.0336227878, 1e-9);
  EXPECT_NEAR(less.x[0], 0.16581196581196578, 1e-14);
  EXPECT_NEAR(less.x[1], 0.33162393162393161, 1e-14);
  EXPECT_NEAR(less.x[2], 1.1965811965811968, 1e-14);
  const auto lap = converted<double>(6, 6, second_differences(6));
  const auto one = least(lap, {1, 2, 3, 4, 5, 6}, 2.1);
  EXPECT_EQ(one.rank, 1);
  EXPECT_NEAR(one.norm, 9.5393920141694561, 1e-13);
  EXPECT_EQ(least(lap, {1, 2, 3, 4, 5, 6}, -1).rank, 6);
  EXPECT_EQ(least(converted<double>(2, 3, {1, 2, 3, 4, 5, 7}), {1, 2}, 1e-12).status, invalid);
  EXPECT_EQ(least(converted<double>(3, 2, {0, 0, 0, 0, 0, 0}), {1, 2, 3}, 1e-12).status, invalid);
}

class CusolverDense : public testing::Test {
 public:
  CusolverDense() { EXPECT_EQ(cusolverDnCreate(&handle), good); }
  ~CusolverDense() override { cusolverDnDestroy(handle); }
  cusolverDnHandle_t handle = nullptr;
};

TEST_F(CusolverDense, ResidualsArePartsOfTheNorm) {
  syevjInfo_t info;
  ASSERT_EQ(cusolverDnCreateSyevjInfo(&info), good);
  // What stands beside the real numbers of a Hermitian matrix's diagonal is nothing.
  const int n = 12;
  std::vector<cuDoubleComplex> a(n * n);
  Random random{4};
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i)
      a[static_cast<std::size_t>(i + j * n)] =
          made<cuDoubleComplex>(1000 * random.number(), 1000 * random.number());
  const Device<cuDoubleComplex> da(a);
  const Device<double> w{std::vector<double>(n)};
  const Device<int> state{std::vector<int>(1)};
  int room = 0;
  ASSERT_EQ(cusolverDnZheevj_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da, n, w,
                                        &room, info),
            good);
  const Device<cuDoubleComplex> work{std::vector<cuDoubleComplex>(static_cast<std::size_t>(room))};
  ASSERT_EQ(cusolverDnZheevj(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, n, da, n, w, work,
                             room, state, info),
            good);
  double residual = -1;
  ASSERT_EQ(cusolverDnXsyevjGetResidual(handle, info, &residual), good);
  EXPECT_GT(residual, 0);
  EXPECT_LT(residual, 1e-14);
  cusolverDnDestroySyevjInfo(info);
}

TEST_F(CusolverDense, EmulationStrategiesAreKept) {
  cudaEmulationStrategy_t strategy{};
  EXPECT_EQ(cusolverDnGetEmulationStrategy(handle, &strategy), good);
  EXPECT_EQ(strategy, CUDA_EMULATION_STRATEGY_DEFAULT);
  EXPECT_EQ(cusolverDnSetEmulationStrategy(handle, CUDA_EMULATION_STRATEGY_EAGER), good);
  EXPECT_EQ(cusolverDnSetEmulationStrategy(handle, static_cast<cudaEmulationStrategy_t>(3)), invalid);
  EXPECT_EQ(cusolverDnGetEmulationStrategy(handle, &strategy), good);
  EXPECT_EQ(strategy, CUDA_EMULATION_STRATEGY_EAGER);
  EXPECT_EQ(cusolverDnGetEmulationStrategy(handle, nullptr), invalid);
  EXPECT_EQ(cusolverDnSetEmulationStrategy(nullptr, CUDA_EMULATION_STRATEGY_EAGER),
            CUSOLVER_STATUS_NOT_INITIALIZED);
}

TEST_F(CusolverDense, TrianglesOfReflections) {
  const int n = 5, k = 3;
  const std::vector<double> v{-0.344635009765625, 0.731201171875,     -0.156494140625,    -0.157745361328125,
                              -0.605316162109375, -0.679412841796875, 0.01910400390625,   0.647186279296875,
                              -0.189849853515625, 0.382049560546875,  -0.467559814453125, 0.065521240234375,
                              0.37091064453125,   -0.638214111328125, -0.921783447265625};
  const Device<double> dv(v), tau(std::vector<double>{1.2, 0.7, 1.5});
  const auto triangle = [&](cusolverDirectMode_t direct, cusolverStorevMode_t storev,
                            std::vector<double>& t) {
    const Device<double> dt(std::vector<double>(k * k, -7));
    std::size_t room = 0, on_host = 7;
    EXPECT_EQ(cusolverDnXlarft_bufferSize(handle, nullptr, direct, storev, n, k, CUDA_R_64F, dv, n,
                                          CUDA_R_64F, tau, CUDA_R_64F, dt, k, CUDA_R_64F, &room, &on_host),
              good);
    const Device<char> work{std::vector<char>(room)};
    const auto status = cusolverDnXlarft(handle, nullptr, direct, storev, n, k, CUDA_R_64F, dv, n, CUDA_R_64F,
                                         tau, CUDA_R_64F, dt, k, CUDA_R_64F, work, room, nullptr, 0);
    t = dt.read();
    return status;
  };
  std::vector<double> t;
  const auto expect = [&](const std::vector<double>& right) {
    for (std::size_t i = 0; i < right.size(); ++i) EXPECT_NEAR(t[i], right[i], 1e-15) << i;
  };
  EXPECT_EQ(triangle(CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, t), good);
  expect({1.2, 0, 0, -0.36003027588129044, 0.7, 0, -0.67911451400039702, -0.43699338259175413, 1.5});
  EXPECT_EQ(triangle(CUBLAS_DIRECT_BACKWARD, CUBLAS_STOREV_COLUMNWISE, t), good);
  expect({1.2, -0.75205586459487672, -1.1333215522035147, 0, 0.7, 0.083210369618609545, 0, 0, 1.5});
  EXPECT_EQ(triangle(CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_ROWWISE, t), invalid);
  std::size_t room = 0, on_host = 0;
  EXPECT_EQ(cusolverDnXlarft_bufferSize(handle, nullptr, CUBLAS_DIRECT_FORWARD, CUBLAS_STOREV_COLUMNWISE, n,
                                        k, CUDA_R_64F, dv, n, CUDA_R_32F, tau, CUDA_R_64F, nullptr, k,
                                        CUDA_R_64F, &room, &on_host),
            invalid);
}

}  // namespace
}  // namespace heddle::libs_test
