// cuSOLVER's sparse systems in steps, their batches, and refactorisation: by what is left of the system.
#include <cusolverRf.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include "grid.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUSOLVER_STATUS_SUCCESS;
constexpr auto bad = CUSOLVER_STATUS_INVALID_VALUE;

#define STEPS(L, kind, ...)                                                                             \
  static constexpr auto kind##_sizes##__VA_ARGS__ = &cusolverSp##L##csr##kind##BufferInfo##__VA_ARGS__; \
  static constexpr auto kind##_factor##__VA_ARGS__ = &cusolverSp##L##csr##kind##Factor##__VA_ARGS__;    \
  static constexpr auto kind##_zero##__VA_ARGS__ = &cusolverSp##L##csr##kind##ZeroPivot##__VA_ARGS__;   \
  static constexpr auto kind##_solve##__VA_ARGS__ = &cusolverSp##L##csr##kind##Solve##__VA_ARGS__;
#define ALL(L)                                                                \
  STEPS(L, lu, Host)                                                          \
  STEPS(L, qr, Host)                                                          \
  STEPS(L, qr)                                                                \
  STEPS(L, chol, Host)                                                        \
  STEPS(L, chol)                                                              \
  static constexpr auto qr_setup = &cusolverSp##L##csrqrSetup;                \
  static constexpr auto qr_setupHost = &cusolverSp##L##csrqrSetupHost;        \
  static constexpr auto lu_extract = &cusolverSp##L##csrluExtractHost;        \
  static constexpr auto diagonal = &cusolverSp##L##csrcholDiag;               \
  static constexpr auto batch_sizes = &cusolverSp##L##csrqrBufferInfoBatched; \
  static constexpr auto batch = &cusolverSp##L##csrqrsvBatched;
template <class T>
struct Api;
template <>
struct Api<float> {
  ALL(S)
};
template <>
struct Api<double> {
  ALL(D)
};
template <>
struct Api<cuComplex> {
  ALL(C)
};
template <>
struct Api<cuDoubleComplex> {
  ALL(Z)
};

template <class T>
class CusolverSteps : public testing::Test {
 public:
  CusolverSteps() {
    EXPECT_EQ(cusolverSpCreate(&handle), good);
    EXPECT_EQ(cusparseCreateMatDescr(&description), CUSPARSE_STATUS_SUCCESS);
  }
  ~CusolverSteps() override {
    cusparseDestroyMatDescr(description);
    cusolverSpDestroy(handle);
  }
  void base(int one) {
    cusparseSetMatIndexBase(description, one == 1 ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
  }
  void look(const Grid<T>& a, const std::vector<T>& b, const std::vector<T>& x) {
    EXPECT_LT(a.left(x, b), tolerance<T>(60) * (1 + size_of(x)));
  }
  cusolverSpHandle_t handle = nullptr;
  cusparseMatDescr_t description = nullptr;
  std::size_t internal = 0, workspace = 0;
};
using Elements = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(CusolverSteps, Elements);

TYPED_TEST(CusolverSteps, FactorsByLuAndGivesTheFactors) {
  using T = TypeParam;
  using A = Api<T>;
  for (const int base : {0, 1}) {
    this->base(base);
    const Grid<T> a(9, false, base);
    const auto b = Random(3).values<T>(a.n);
    csrluInfoHost_t info = nullptr;
    ASSERT_EQ(cusolverSpCreateCsrluInfoHost(&info), good);
    int position = 0;
    EXPECT_EQ(A::lu_zeroHost(this->handle, info, 0, &position), bad);  // nothing was factored
    ASSERT_EQ(cusolverSpXcsrluAnalysisHost(this->handle, a.n, a.count(), this->description, a.offsets.data(),
                                           a.places.data(), info),
              good);
    ASSERT_EQ(A::lu_sizesHost(this->handle, a.n, a.count(), this->description, a.values.data(),
                              a.offsets.data(), a.places.data(), info, &this->internal, &this->workspace),
              good);
    std::vector<char> buffer(this->workspace);
    ASSERT_EQ(A::lu_factorHost(this->handle, a.n, a.count(), this->description, a.values.data(),
                               a.offsets.data(), a.places.data(), info, 1, buffer.data()),
              good);
    ASSERT_EQ(A::lu_zeroHost(this->handle, info, 0, &position), good);
    EXPECT_EQ(position, -1);
    std::vector<T> x(a.n);
    ASSERT_EQ(A::lu_solveHost(this->handle, a.n, b.data(), x.data(), info, buffer.data()), good);
    this->look(a, b, x);

    int lower = 0, upper = 0;
    ASSERT_EQ(cusolverSpXcsrluNnzHost(this->handle, &lower, &upper, info), good);
    std::vector<int> p(a.n), q(a.n), l_offsets(a.n + 1), u_offsets(a.n + 1), l_places(lower), u_places(upper);
    std::vector<T> l(lower), u(upper);
    ASSERT_EQ(A::lu_extract(this->handle, p.data(), q.data(), this->description, l.data(), l_offsets.data(),
                            l_places.data(), this->description, u.data(), u_offsets.data(), u_places.data(),
                            info, buffer.data()),
              good);
    const auto dense = [&](const std::vector<T>& values, const std::vector<int>& offsets,
                           const std::vector<int>& places) {
      Dense<T> made(a.n, a.n);
      for (int i = 0; i < a.n; ++i)
        for (int k = offsets[i] - base; k < offsets[i + 1] - base; ++k)
          made(i, places[k] - base) += exact(values[k]);
      return made;
    };
    Dense<T> left = dense(l, l_offsets, l_places), whole = dense(a.values, a.offsets, a.places);
    for (int i = 0; i < a.n; ++i) left(i, i) += 1.0;
    Dense<T> wanted(a.n, a.n);
    for (int j = 0; j < a.n; ++j)
      for (int i = 0; i < a.n; ++i) wanted(i, j) = whole(p[i], q[j]);
    EXPECT_LT(difference(left * dense(u, u_offsets, u_places), wanted), tolerance<T>(60));
    EXPECT_EQ(cusolverSpDestroyCsrluInfoHost(info), good);
    EXPECT_EQ(cusolverSpDestroyCsrluInfoHost(info), bad);
  }
}

TYPED_TEST(CusolverSteps, FactorsByQrOnBothSides) {
  using T = TypeParam;
  using A = Api<T>;
  const Grid<T> a(9, false, 0);
  const auto b = Random(3).values<T>(a.n);
  auto right = b;
  std::vector<T> x(a.n);
  int position = 0;
  csrqrInfoHost_t info = nullptr;
  ASSERT_EQ(cusolverSpCreateCsrqrInfoHost(&info), good);
  ASSERT_EQ(cusolverSpXcsrqrAnalysisHost(this->handle, a.n, a.n, a.count(), this->description,
                                         a.offsets.data(), a.places.data(), info),
            good);
  ASSERT_EQ(A::qr_sizesHost(this->handle, a.n, a.n, a.count(), this->description, a.values.data(),
                            a.offsets.data(), a.places.data(), info, &this->internal, &this->workspace),
            good);
  std::vector<char> buffer(this->workspace);
  ASSERT_EQ(A::qr_setupHost(this->handle, a.n, a.n, a.count(), this->description, a.values.data(),
                            a.offsets.data(), a.places.data(), made<T>(0), info),
            good);
  ASSERT_EQ(A::qr_factorHost(this->handle, a.n, a.n, a.count(), nullptr, nullptr, info, buffer.data()), good);
  ASSERT_EQ(A::qr_zeroHost(this->handle, info, 0, &position), good);
  EXPECT_EQ(position, -1);
  ASSERT_EQ(A::qr_solveHost(this->handle, a.n, a.n, right.data(), x.data(), info, buffer.data()), good);
  this->look(a, b, x);
  EXPECT_EQ(cusolverSpDestroyCsrqrInfoHost(info), good);

  csrqrInfo_t device = nullptr;
  const Device<T> values(a.values), db(b), dx(a.n);
  const Device<int> offsets(a.offsets), places(a.places);
  ASSERT_EQ(cusolverSpCreateCsrqrInfo(&device), good);
  ASSERT_EQ(
      cusolverSpXcsrqrAnalysis(this->handle, a.n, a.n, a.count(), this->description, offsets, places, device),
      good);
  ASSERT_EQ(A::qr_sizes(this->handle, a.n, a.n, a.count(), this->description, values, offsets, places, device,
                        &this->internal, &this->workspace),
            good);
  const Device<char> room(this->workspace);
  // A - 3 I, solved with the factorisation and after it.
  ASSERT_EQ(A::qr_setup(this->handle, a.n, a.n, a.count(), this->description, values, offsets, places,
                        made<T>(3), device),
            good);
  Grid<T> shifted = a;
  for (int i = 0; i < a.n; ++i)
    for (int k = a.offsets[i]; k < a.offsets[i + 1]; ++k)
      if (a.places[k] == i) {
        const auto less = exact(a.values[k]) - 3.0;
        shifted.values[k] = made<T>(std::real(less), std::imag(less));
      }
  ASSERT_EQ(A::qr_factor(this->handle, a.n, a.n, a.count(), db, dx, device, room), good);
  this->look(shifted, b, dx.read());
  ASSERT_EQ(A::qr_zero(this->handle, device, 0, &position), good);
  EXPECT_EQ(position, -1);
  ASSERT_EQ(A::qr_solve(this->handle, a.n, a.n, db, dx, device, room), good);
  this->look(shifted, b, dx.read());

  // Two matrices of one pattern.
  std::vector<T> two = a.values, sides = b;
  two.insert(two.end(), shifted.values.begin(), shifted.values.end());
  sides.insert(sides.end(), b.rbegin(), b.rend());
  const Device<T> both(two), many(sides), solutions(2 * static_cast<std::size_t>(a.n));
  ASSERT_EQ(cusolverSpXcsrqrAnalysisBatched(this->handle, a.n, a.n, a.count(), this->description, offsets,
                                            places, device),
            good);
  ASSERT_EQ(A::batch_sizes(this->handle, a.n, a.n, a.count(), this->description, both, offsets, places, 2,
                           device, &this->internal, &this->workspace),
            good);
  ASSERT_EQ(A::batch(this->handle, a.n, a.n, a.count(), this->description, both, offsets, places, many,
                     solutions, 2, device, room),
            good);
  const auto found = solutions.read();
  this->look(a, b, std::vector<T>(found.begin(), found.begin() + a.n));
  this->look(shifted, std::vector<T>(b.rbegin(), b.rend()), std::vector<T>(found.begin() + a.n, found.end()));
  EXPECT_EQ(cusolverSpDestroyCsrqrInfo(device), good);
}

// More rows than columns: the least squares' solution is where A^H (A x - b) is zero.
TYPED_TEST(CusolverSteps, SolvesLeastSquaresByQr) {
  using T = TypeParam;
  using A = Api<T>;
  const int m = 7, n = 3;
  Random random(5);
  std::vector<int> offsets{0}, places;
  std::vector<T> values;
  Dense<T> a(m, n);
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j)
      if ((i + j) % 3 != 1) {
        values.push_back(random.value<T>());
        places.push_back(j);
        a(i, j) = exact(values.back());
      }
    offsets.push_back(static_cast<int>(places.size()));
  }
  const int count = static_cast<int>(places.size());
  auto b = random.values<T>(m);
  std::vector<T> x(n);
  csrqrInfoHost_t info = nullptr;
  ASSERT_EQ(cusolverSpCreateCsrqrInfoHost(&info), good);
  ASSERT_EQ(cusolverSpXcsrqrAnalysisHost(this->handle, n, m, count, this->description, offsets.data(),
                                         places.data(), info),
            bad);
  ASSERT_EQ(cusolverSpXcsrqrAnalysisHost(this->handle, m, n, count, this->description, offsets.data(),
                                         places.data(), info),
            good);
  ASSERT_EQ(A::qr_setupHost(this->handle, m, n, count, this->description, values.data(), offsets.data(),
                            places.data(), made<T>(0), info),
            good);
  ASSERT_EQ(A::qr_factorHost(this->handle, m, n, count, b.data(), x.data(), info, nullptr), good);
  const Dense<T> rest = sum<T>(1.0, a * Dense<T>(x, n, 1, n), -1.0, Dense<T>(b, m, 1, m));
  EXPECT_LT(difference(transposed(a, 'C') * rest, Dense<T>(n, 1)), tolerance<T>(20) * (1 + size_of(x)));
  EXPECT_EQ(cusolverSpDestroyCsrqrInfoHost(info), good);
}

TYPED_TEST(CusolverSteps, FactorsByCholeskyOnBothSides) {
  using T = TypeParam;
  using A = Api<T>;
  Grid<T> a(9, true, 0);
  const auto b = Random(3).values<T>(a.n);
  std::vector<T> x(a.n);
  int position = 0;
  csrcholInfoHost_t info = nullptr;
  ASSERT_EQ(cusolverSpCreateCsrcholInfoHost(&info), good);
  ASSERT_EQ(cusolverSpXcsrcholAnalysisHost(this->handle, a.n, a.count(), this->description, a.offsets.data(),
                                           a.places.data(), info),
            good);
  ASSERT_EQ(A::chol_sizesHost(this->handle, a.n, a.count(), this->description, a.values.data(),
                              a.offsets.data(), a.places.data(), info, &this->internal, &this->workspace),
            good);
  std::vector<char> buffer(this->workspace);
  const auto factor = [&] {
    return A::chol_factorHost(this->handle, a.n, a.count(), this->description, a.values.data(),
                              a.offsets.data(), a.places.data(), info, buffer.data());
  };
  ASSERT_EQ(factor(), good);
  ASSERT_EQ(A::chol_zeroHost(this->handle, info, 0, &position), good);
  EXPECT_EQ(position, -1);
  ASSERT_EQ(A::chol_solveHost(this->handle, a.n, b.data(), x.data(), info, buffer.data()), good);
  this->look(a, b, x);

  csrcholInfo_t device = nullptr;
  const Device<T> values(a.values), db(b), dx(a.n);
  const Device<int> offsets(a.offsets), places(a.places);
  ASSERT_EQ(cusolverSpCreateCsrcholInfo(&device), good);
  ASSERT_EQ(
      cusolverSpXcsrcholAnalysis(this->handle, a.n, a.count(), this->description, offsets, places, device),
      good);
  ASSERT_EQ(A::chol_sizes(this->handle, a.n, a.count(), this->description, values, offsets, places, device,
                          &this->internal, &this->workspace),
            good);
  const Device<char> room(this->workspace);
  ASSERT_EQ(
      A::chol_factor(this->handle, a.n, a.count(), this->description, values, offsets, places, device, room),
      good);
  ASSERT_EQ(A::chol_zero(this->handle, device, 0, &position), good);
  EXPECT_EQ(position, -1);
  ASSERT_EQ(A::chol_solve(this->handle, a.n, db, dx, device, room), good);
  this->look(a, b, dx.read());
  const Device<Real<T>> diagonal(a.n);
  ASSERT_EQ(A::diagonal(this->handle, device, diagonal), good);
  EXPECT_NEAR(diagonal.read()[0], std::sqrt(5.0), 1e-6);
  EXPECT_EQ(cusolverSpDestroyCsrcholInfo(device), good);

  // Not definite from row 40 on.
  for (int k = a.offsets[40]; k < a.offsets[41]; ++k)
    if (a.places[k] == 40) a.values[k] = made<T>(-1);
  ASSERT_EQ(factor(), good);
  ASSERT_EQ(A::chol_zeroHost(this->handle, info, 0, &position), good);
  EXPECT_EQ(position, 40);
  EXPECT_EQ(cusolverSpDestroyCsrcholInfoHost(info), good);
}

// ---- refactorisation

struct Factored {
  std::vector<int> p, q, l_offsets, l_places, u_offsets, u_places;
  std::vector<double> l, u;
};
Factored factored(const Grid<double>& a) {
  Factored found;
  cusolverSpHandle_t handle = nullptr;
  cusparseMatDescr_t description = nullptr;
  csrluInfoHost_t info = nullptr;
  int lower = 0, upper = 0;
  EXPECT_EQ(cusolverSpCreate(&handle), good);
  EXPECT_EQ(cusparseCreateMatDescr(&description), CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cusolverSpCreateCsrluInfoHost(&info), good);
  EXPECT_EQ(cusolverSpXcsrluAnalysisHost(handle, a.n, a.count(), description, a.offsets.data(),
                                         a.places.data(), info),
            good);
  EXPECT_EQ(cusolverSpDcsrluFactorHost(handle, a.n, a.count(), description, a.values.data(), a.offsets.data(),
                                       a.places.data(), info, 1, nullptr),
            good);
  EXPECT_EQ(cusolverSpXcsrluNnzHost(handle, &lower, &upper, info), good);
  found.p.resize(a.n), found.q.resize(a.n), found.l_offsets.resize(a.n + 1), found.u_offsets.resize(a.n + 1);
  found.l_places.resize(lower), found.u_places.resize(upper), found.l.resize(lower), found.u.resize(upper);
  EXPECT_EQ(
      cusolverSpDcsrluExtractHost(handle, found.p.data(), found.q.data(), description, found.l.data(),
                                  found.l_offsets.data(), found.l_places.data(), description, found.u.data(),
                                  found.u_offsets.data(), found.u_places.data(), info, nullptr),
      good);
  cusolverSpDestroyCsrluInfoHost(info);
  cusparseDestroyMatDescr(description);
  cusolverSpDestroy(handle);
  return found;
}

TEST(CusolverRefactor, FactorsOthersWithTheSamePattern) {
  Grid<double> a(9, false, 0);
  Factored f = factored(a);
  for (const bool on_device : {false, true}) {
    cusolverRfHandle_t handle = nullptr;
    ASSERT_EQ(cusolverRfCreate(&handle), good);
    EXPECT_EQ(cusolverRfRefactor(handle), bad);  // nothing is set up
    ASSERT_EQ(
        cusolverRfSetMatrixFormat(handle, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L),
        good);
    const Device<int> offsets(a.offsets), places(a.places), p(f.p), q(f.q), lo(f.l_offsets), lp(f.l_places),
        uo(f.u_offsets), up(f.u_places);
    const Device<double> values(a.values), l(f.l), u(f.u);
    const int lower = static_cast<int>(f.l.size()), upper = static_cast<int>(f.u.size());
    if (on_device)
      ASSERT_EQ(cusolverRfSetupDevice(a.n, a.count(), offsets, places, values, lower, lo, lp, l, upper, uo,
                                      up, u, p, q, handle),
                good);
    else
      ASSERT_EQ(
          cusolverRfSetupHost(a.n, a.count(), a.offsets.data(), a.places.data(), a.values.data(), lower,
                              f.l_offsets.data(), f.l_places.data(), f.l.data(), upper, f.u_offsets.data(),
                              f.u_places.data(), f.u.data(), f.p.data(), f.q.data(), handle),
          good);
    ASSERT_EQ(cusolverRfAnalyze(handle), good);
    Grid<double> other = a;
    Random random(11);
    for (double& value : other.values) value *= 1 + 0.05 * random.number();
    const Device<double> changed(other.values);
    ASSERT_EQ(cusolverRfResetValues(a.n, a.count(), offsets, places, changed, p, q, handle), good);
    const auto b = random.values<double>(2 * static_cast<std::size_t>(a.n));
    const Device<double> x(b), room(2 * static_cast<std::size_t>(a.n));
    EXPECT_EQ(cusolverRfSolve(handle, p, q, 2, room, a.n, x, a.n), bad);  // not factored since
    ASSERT_EQ(cusolverRfRefactor(handle), good);
    ASSERT_EQ(cusolverRfSolve(handle, p, q, 2, room, a.n, x, a.n), good);
    const auto found = x.read();
    for (int j : {0, 1})
      EXPECT_LT(other.left(std::vector<double>(found.begin() + j * a.n, found.begin() + (j + 1) * a.n),
                           std::vector<double>(b.begin() + j * a.n, b.begin() + (j + 1) * a.n)),
                1e-11 * (1 + size_of(found)));
    // The factors' counts: of both in one, and of each with the ones of L left out.
    int bundled = 0, nnz_l = 0, nnz_u = 0;
    int *mp = nullptr, *mi = nullptr, *pl = nullptr, *il = nullptr, *pu = nullptr, *iu = nullptr;
    double *mx = nullptr, *xl = nullptr, *xu = nullptr;
    ASSERT_EQ(cusolverRfExtractBundledFactorsHost(handle, &bundled, &mp, &mi, &mx), good);
    ASSERT_EQ(cusolverRfExtractSplitFactorsHost(handle, &nnz_l, &pl, &il, &xl, &nnz_u, &pu, &iu, &xu), good);
    EXPECT_EQ(bundled, lower + upper);
    EXPECT_EQ(nnz_l, lower);
    EXPECT_EQ(nnz_u, upper);
    EXPECT_TRUE(std::equal(pl, pl + a.n + 1, f.l_offsets.begin()));
    for (void* one : {static_cast<void*>(mp), static_cast<void*>(mi), static_cast<void*>(mx),
                      static_cast<void*>(pl), static_cast<void*>(il), static_cast<void*>(xl),
                      static_cast<void*>(pu), static_cast<void*>(iu), static_cast<void*>(xu)})
      std::free(one);
    ASSERT_EQ(cusolverRfAccessBundledFactorsDevice(handle, &bundled, &mp, &mi, &mx), good);
    int last = 0;
    EXPECT_EQ(cudaMemcpy(&last, mp + a.n, sizeof last, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(last, bundled);
    EXPECT_EQ(cusolverRfDestroy(handle), good);
  }
}

TEST(CusolverRefactor, FactorsBatches) {
  Grid<double> a(7, false, 0);
  Factored f = factored(a);
  Grid<double> other = a;
  for (double& value : other.values) value *= 1.5;
  Grid<double> singular = a;
  for (double& value : singular.values) value = 0;
  cusolverRfHandle_t handle = nullptr;
  ASSERT_EQ(cusolverRfCreate(&handle), good);
  ASSERT_EQ(
      cusolverRfSetMatrixFormat(handle, CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L),
      good);
  double* arrays[] = {a.values.data(), other.values.data(), singular.values.data()};
  ASSERT_EQ(cusolverRfBatchSetupHost(3, a.n, a.count(), a.offsets.data(), a.places.data(), arrays,
                                     static_cast<int>(f.l.size()), f.l_offsets.data(), f.l_places.data(),
                                     f.l.data(), static_cast<int>(f.u.size()), f.u_offsets.data(),
                                     f.u_places.data(), f.u.data(), f.p.data(), f.q.data(), handle),
            good);
  ASSERT_EQ(cusolverRfBatchAnalyze(handle), good);
  ASSERT_EQ(cusolverRfBatchRefactor(handle), good);
  int positions[3] = {7, 7, 7};
  EXPECT_EQ(cusolverRfBatchZeroPivot(handle, positions), CUSOLVER_STATUS_ZERO_PIVOT);
  EXPECT_EQ(positions[0], -1);
  EXPECT_EQ(positions[1], -1);
  EXPECT_EQ(positions[2], 0);
  // The third one again, with values that do.
  const Device<int> offsets(a.offsets), places(a.places), p(f.p), q(f.q);
  const Device<double> one(a.values), two(other.values);
  const Device<double*> values(std::vector<double*>{one, two, two});
  ASSERT_EQ(cusolverRfBatchResetValues(3, a.n, a.count(), offsets, places, values, p, q, handle), good);
  ASSERT_EQ(cusolverRfBatchRefactor(handle), good);
  EXPECT_EQ(cusolverRfBatchZeroPivot(handle, positions), good);
  const auto b = Random(3).values<double>(a.n);
  const Device<double> x(b), y(b), z(b), room(6 * static_cast<std::size_t>(a.n));
  const Device<double*> sides(std::vector<double*>{x, y, z});
  ASSERT_EQ(cusolverRfBatchSolve(handle, p, q, 1, room, a.n, sides, a.n), good);
  EXPECT_LT(a.left(x.read(), b), 1e-11);
  EXPECT_LT(other.left(y.read(), b), 1e-11);
  EXPECT_EQ(y.read(), z.read());
  EXPECT_EQ(cusolverRfDestroy(handle), good);
}

}  // namespace
}  // namespace heddle::libs_test
