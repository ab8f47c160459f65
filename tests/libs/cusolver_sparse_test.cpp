// cuSOLVER's sparse systems and orders: by what is left of the system, and by what an order is.
#include <cusolverSp.h>

#include <numeric>

#include "grid.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUSOLVER_STATUS_SUCCESS;

#define ALL(L)                                                  \
  static constexpr auto qr = &cusolverSp##L##csrlsvqr;          \
  static constexpr auto cholesky = &cusolverSp##L##csrlsvchol;  \
  static constexpr auto host_qr = &cusolverSp##L##csrlsvqrHost; \
  static constexpr auto host_lu = &cusolverSp##L##csrlsvluHost; \
  static constexpr auto host_cholesky = &cusolverSp##L##csrlsvcholHost;
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
class CusolverSparse : public testing::Test {
 public:
  CusolverSparse() {
    EXPECT_EQ(cusolverSpCreate(&handle), good);
    EXPECT_EQ(cusparseCreateMatDescr(&description), CUSPARSE_STATUS_SUCCESS);
  }
  ~CusolverSparse() override {
    cusparseDestroyMatDescr(description);
    cusolverSpDestroy(handle);
  }
  void base(int one) {
    cusparseSetMatIndexBase(description, one == 1 ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO);
  }
  cusolverSpHandle_t handle = nullptr;
  cusparseMatDescr_t description = nullptr;
};
using Elements = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(CusolverSparse, Elements);

TYPED_TEST(CusolverSparse, SolvesInEveryOrder) {
  using T = TypeParam;
  for (const int base : {0, 1})
    for (const int reorder : {0, 1, 2, 3})
      for (const bool hermitian : {false, true}) {
        this->base(base);
        const Grid<T> a(12, hermitian, base);
        const auto b = Random(3).values<T>(a.n);
        const auto look = [&](const char* what, const std::vector<T>& x, int singular) {
          EXPECT_EQ(singular, -1) << what;
          EXPECT_LT(a.left(x, b), tolerance<T>(60) * (1 + size_of(x)))
              << what << ' ' << reorder << ' ' << hermitian;
        };
        std::vector<T> x(a.n);
        int singular = 0;
        const auto host = [&](const char* what, auto solve) {
          x.assign(a.n, made<T>(0));
          EXPECT_EQ(solve(this->handle, a.n, a.count(), this->description, a.values.data(), a.offsets.data(),
                          a.places.data(), b.data(), 0, reorder, x.data(), &singular),
                    good);
          look(what, x, singular);
        };
        const Device<T> values(a.values), right(b), solution(a.n);
        const Device<int> offsets(a.offsets), places(a.places);
        const auto device = [&](const char* what, auto solve) {
          EXPECT_EQ(solve(this->handle, a.n, a.count(), this->description, values, offsets, places, right, 0,
                          reorder, solution, &singular),
                    good);
          look(what, solution.read(), singular);
        };
        host("host qr", Api<T>::host_qr);
        host("host lu", Api<T>::host_lu);
        device("qr", Api<T>::qr);
        if (!hermitian) continue;
        host("host cholesky", Api<T>::host_cholesky);
        device("cholesky", Api<T>::cholesky);
      }
}

TYPED_TEST(CusolverSparse, SaysWhereItIsSingular) {
  using T = TypeParam;
  // Nothing is in the last column.
  const std::vector<T> values = {made<T>(1), made<T>(2), made<T>(1), made<T>(2), made<T>(3), made<T>(4)};
  const std::vector<int> offsets = {0, 1, 2, 4, 6}, places = {0, 1, 1, 2, 1, 2};
  std::vector<T> b(4, made<T>(1)), x(4);
  int singular = -1;
  EXPECT_EQ(Api<T>::host_qr(this->handle, 4, 6, this->description, values.data(), offsets.data(),
                            places.data(), b.data(), 1e-6, 0, x.data(), &singular),
            good);
  EXPECT_EQ(singular, 3);  // nothing is in it
  EXPECT_EQ(Api<T>::host_lu(this->handle, 4, 6, this->description, values.data(), offsets.data(),
                            places.data(), b.data(), 1e-6, 0, x.data(), &singular),
            good);
  EXPECT_EQ(singular, 3);
  EXPECT_EQ(Api<T>::host_cholesky(this->handle, 4, 6, this->description, values.data(), offsets.data(),
                                  places.data(), b.data(), 1e-6, 0, x.data(), &singular),
            good);
  EXPECT_EQ(singular, 3);  // nothing on its diagonal

  const auto wrong = [&](int m, int nnz, const int* o, const int* p, int reorder) {
    return Api<T>::host_qr(this->handle, m, nnz, this->description, values.data(), o, p, b.data(), 0, reorder,
                           x.data(), &singular);
  };
  const std::vector<int> beyond = {0, 1, 1, 4, 1, 2}, falling = {0, 2, 1, 4, 6};
  EXPECT_EQ(wrong(4, 6, offsets.data(), beyond.data(), 0), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(wrong(4, 6, falling.data(), places.data(), 0), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(wrong(4, 5, offsets.data(), places.data(), 0), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(wrong(-1, 6, offsets.data(), places.data(), 0), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(wrong(4, 6, offsets.data(), places.data(), 4), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(wrong(4, 6, nullptr, places.data(), 0), CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT_EQ(cusolverSpSetStream(nullptr, nullptr), CUSOLVER_STATUS_NOT_INITIALIZED);
}

TEST(CusolverSparseOrders, AreOrdersThatHelp) {
  cusolverSpHandle_t handle;
  cusparseMatDescr_t description;
  ASSERT_EQ(cusolverSpCreate(&handle), good);
  cusparseCreateMatDescr(&description);
  // A long grid, its points shuffled.
  const Grid<double> a(9, true, 0);
  std::vector<int> shuffled(a.n);
  std::iota(shuffled.begin(), shuffled.end(), 0);
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(5));
  std::vector<int> offsets = a.offsets, places = a.places, map(a.count());
  std::iota(map.begin(), map.end(), 0);
  size_t bytes = 0;
  ASSERT_EQ(cusolverSpXcsrperm_bufferSizeHost(handle, a.n, a.n, a.count(), description, offsets.data(),
                                              places.data(), shuffled.data(), shuffled.data(), &bytes),
            good);
  std::vector<char> room(bytes);
  ASSERT_EQ(cusolverSpXcsrpermHost(handle, a.n, a.n, a.count(), description, offsets.data(), places.data(),
                                   shuffled.data(), shuffled.data(), map.data(), room.data()),
            good);
  for (int i = 0; i < a.n; ++i)
    for (int k = offsets[i]; k < offsets[i + 1]; ++k) {
      if (k > offsets[i]) EXPECT_LT(places[k - 1], places[k]);
      // Where the entry came from.
      const int from = shuffled[i], column = shuffled[places[k]];
      EXPECT_TRUE(map[k] >= a.offsets[from] && map[k] < a.offsets[from + 1]);
      EXPECT_EQ(a.places[map[k]], column);
    }
  int symmetric = 0;
  EXPECT_EQ(cusolverSpXcsrissymHost(handle, a.n, a.count(), description, offsets.data(), offsets.data() + 1,
                                    places.data(), &symmetric),
            good);
  EXPECT_EQ(symmetric, 1);

  const auto width = [&](const std::vector<int>& p) {
    std::vector<int> at(a.n);
    for (int i = 0; i < a.n; ++i) at[p[i]] = i;
    int most = 0;
    for (int i = 0; i < a.n; ++i)
      for (int k = offsets[i]; k < offsets[i + 1]; ++k)
        most = std::max(most, std::abs(at[i] - at[places[k]]));
    return most;
  };
  std::vector<int> p(a.n), sorted, plain(a.n);
  std::iota(plain.begin(), plain.end(), 0);
  for (const auto order : {&cusolverSpXcsrsymrcmHost, &cusolverSpXcsrsymamdHost, &cusolverSpXcsrsymmdqHost}) {
    ASSERT_EQ(order(handle, a.n, a.count(), description, offsets.data(), places.data(), p.data()), good);
    sorted = p;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted, plain);
    if (order == &cusolverSpXcsrsymrcmHost)
      EXPECT_LE(width(p), 12);  // 9 is the least; shuffled it is near 80
  }
  ASSERT_EQ(cusolverSpXcsrmetisndHost(handle, a.n, a.count(), description, offsets.data(), places.data(),
                                      nullptr, p.data()),
            good);
  sorted = p;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, plain);
  p[0] = p[1];
  EXPECT_EQ(cusolverSpXcsrpermHost(handle, a.n, a.n, a.count(), description, offsets.data(), places.data(),
                                   p.data(), p.data(), map.data(), room.data()),
            CUSOLVER_STATUS_INVALID_VALUE);
  cusparseDestroyMatDescr(description);
  cusolverSpDestroy(handle);
}

}  // namespace
}  // namespace heddle::libs_test
