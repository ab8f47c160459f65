// cuBLASXt against plain arithmetic: matrices of the host cut into small tiles, on one device and on two.
#include <cublasXt.h>

#include <cstdlib>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUBLAS_STATUS_SUCCESS;

#define ALL(L)                                       \
  static constexpr auto gemm = &cublasXt##L##gemm;   \
  static constexpr auto syrk = &cublasXt##L##syrk;   \
  static constexpr auto syr2k = &cublasXt##L##syr2k; \
  static constexpr auto syrkx = &cublasXt##L##syrkx; \
  static constexpr auto symm = &cublasXt##L##symm;   \
  static constexpr auto spmm = &cublasXt##L##spmm;   \
  static constexpr auto trmm = &cublasXt##L##trmm;   \
  static constexpr auto trsm = &cublasXt##L##trsm;
#define HERMITIAN(L)                                 \
  static constexpr auto herk = &cublasXt##L##herk;   \
  static constexpr auto her2k = &cublasXt##L##her2k; \
  static constexpr auto herkx = &cublasXt##L##herkx; \
  static constexpr auto hemm = &cublasXt##L##hemm;
template <class T>
struct Xt;
template <>
struct Xt<float> {
  ALL(S)
};
template <>
struct Xt<double> {
  ALL(D)
};
template <>
struct Xt<cuComplex> {
  ALL(C)
  HERMITIAN(C)
};
template <>
struct Xt<cuDoubleComplex> {
  ALL(Z)
  HERMITIAN(Z)
};

char letter(cublasOperation_t op) { return "NTC"[op]; }

template <class T>
class CublasXt : public testing::Test {
 public:
  CublasXt() {
    EXPECT_EQ(cublasXtCreate(&handle), good);
    select();
  }
  ~CublasXt() override { EXPECT_EQ(cublasXtDestroy(handle), good); }
  // All devices that there are, and tiles that leave rests.
  void select() {
    int count = 0;
    EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
    std::vector<int> devices;
    for (int i = 0; i < count; ++i) devices.push_back(i);
    EXPECT_EQ(cublasXtDeviceSelect(handle, count, devices.data()), good);
    EXPECT_EQ(cublasXtSetBlockDim(handle, random.in(3, 11)), good);
    EXPECT_EQ(
        cublasXtSetPinningMemMode(handle, random.of({CUBLASXT_PINNING_DISABLED, CUBLASXT_PINNING_ENABLED})),
        good);
  }
  cublasOperation_t op() { return random.of({CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}); }
  cublasFillMode_t half() { return random.of({CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}); }
  cublasSideMode_t side() { return random.of({CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}); }
  cublasDiagType_t unit() { return random.of({CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT}); }
  T scalar() { return random.in(0, 4) == 0 ? made<T>(0) : random.value<T>(); }
  std::vector<T> matrix(int ld, int columns) {
    return random.values<T>(static_cast<std::size_t>(ld) * static_cast<std::size_t>(std::max(columns, 1)));
  }
  cublasXtHandle_t handle = nullptr;
  Random random{815};
};
using Types = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(CublasXt, Types);

TYPED_TEST(CublasXt, MultipliesInTiles) {
  using T = TypeParam;
  for (int round = 0; round < 30; ++round) {
    Random& r = this->random;
    this->select();
    const int m = r.in(0, 30), n = r.in(0, 30), k = r.in(0, 30);
    const auto opa = this->op(), opb = this->op();
    const int ar = opa == CUBLAS_OP_N ? m : k, ac = opa == CUBLAS_OP_N ? k : m,
              br = opb == CUBLAS_OP_N ? k : n, bc = opb == CUBLAS_OP_N ? n : k;
    const int lda = std::max(1, ar + r.in(0, 3)), ldb = std::max(1, br + r.in(0, 3)),
              ldc = std::max(1, m + r.in(0, 3));
    const auto a = this->matrix(lda, ac), b = this->matrix(ldb, bc);
    auto c = this->matrix(ldc, n);
    const T alpha = this->scalar(), beta = this->scalar();
    const Dense<T> before(c, m, n, ldc);
    if (exact(beta) == Exact<T>(0)) std::fill(c.begin(), c.end(), made<T>(NAN));  // not read
    const auto given = c;
    const auto right = sum(
        exact(alpha),
        transposed(Dense<T>(a, ar, ac, lda), letter(opa)) * transposed(Dense<T>(b, br, bc, ldb), letter(opb)),
        exact(beta), before);
    auto found = c;
    if (round % 3 == 0) {  // of the device
      const Device<T> da(a), db(b), dc(c);
      ASSERT_EQ(Xt<T>::gemm(this->handle, opa, opb, m, n, k, &alpha, da, lda, db, ldb, &beta, dc, ldc), good);
      found = dc.read();
    } else {
      ASSERT_EQ(Xt<T>::gemm(this->handle, opa, opb, m, n, k, &alpha, a.data(), lda, b.data(), ldb, &beta,
                            found.data(), ldc),
                good);
    }
    EXPECT_LE(difference(Dense<T>(found, m, n, ldc), right), tolerance<T>(k + 2))
        << m << ' ' << n << ' ' << k << ' ' << letter(opa) << letter(opb);
    for (int j = 0; j < n; ++j)
      for (int i = m; i < ldc; ++i) {
        const std::size_t at = static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * ldc;
        EXPECT_EQ(std::memcmp(&found[at], &given[at], sizeof(T)), 0) << "behind a column";
      }
  }
}

TYPED_TEST(CublasXt, UpdatesTriangles) {
  using T = TypeParam;
  for (int round = 0; round < 24; ++round) {
    Random& r = this->random;
    this->select();
    const int n = r.in(0, 28), k = r.in(0, 20);
    const auto half = this->half();
    const bool hermitian = Kind<T>::complex && round % 2 == 1;
    const auto op = r.of({CUBLAS_OP_N, hermitian ? CUBLAS_OP_C : CUBLAS_OP_T});
    const int rows = op == CUBLAS_OP_N ? n : k, columns = op == CUBLAS_OP_N ? k : n,
              ld = std::max(1, rows + r.in(0, 2)), ldc = n + 1;
    const auto a = this->matrix(ld, columns), b = this->matrix(ld, columns);
    auto c = this->matrix(ldc, n);
    for (int i = 0; hermitian && i < n; ++i) c[static_cast<std::size_t>(i) * (ldc + 1)] = made<T>(r.number());
    const T alpha = this->scalar(), beta = this->scalar();
    const Real<T> real_alpha = std::real(exact(alpha)), real_beta = std::real(exact(beta));
    const Exact<T> as_real_alpha = real_alpha, as_real_beta = real_beta;
    const auto x = transposed(Dense<T>(a, rows, columns, ld), letter(op)),
               y = transposed(Dense<T>(b, rows, columns, ld), letter(op));
    const char back = hermitian ? 'C' : 'T';
    const Dense<T> before(c, n, n, ldc);
    for (int kind = 0; kind < 3; ++kind) {
      auto found = c;
      Dense<T> right(n, n);
      cublasStatus_t status = CUBLAS_STATUS_INTERNAL_ERROR;
      const auto* pa = a.data();
      const auto* pb = b.data();
      if (kind == 0) {
        right = sum(hermitian ? as_real_alpha : exact(alpha), x * transposed(x, back),
                    hermitian ? as_real_beta : exact(beta), before);
        if (!hermitian)
          status = Xt<T>::syrk(this->handle, half, op, n, k, &alpha, pa, ld, &beta, found.data(), ldc);
        if constexpr (Kind<T>::complex)
          if (hermitian)
            status =
                Xt<T>::herk(this->handle, half, op, n, k, &real_alpha, pa, ld, &real_beta, found.data(), ldc);
      } else if (kind == 1) {
        right = sum(exact(alpha), x * transposed(y, back), Exact<T>(1),
                    sum(hermitian ? conj_of(exact(alpha)) : exact(alpha), y * transposed(x, back),
                        hermitian ? as_real_beta : exact(beta), before));
        if (!hermitian)
          status =
              Xt<T>::syr2k(this->handle, half, op, n, k, &alpha, pa, ld, pb, ld, &beta, found.data(), ldc);
        if constexpr (Kind<T>::complex)
          if (hermitian)
            status = Xt<T>::her2k(this->handle, half, op, n, k, &alpha, pa, ld, pb, ld, &real_beta,
                                  found.data(), ldc);
      } else {
        // The product is taken to be symmetric, which it is where B is A.
        right = sum(hermitian ? as_real_alpha : exact(alpha), x * transposed(x, back),
                    hermitian ? as_real_beta : exact(beta), before);
        if (!hermitian)
          status =
              Xt<T>::syrkx(this->handle, half, op, n, k, &alpha, pa, ld, pa, ld, &beta, found.data(), ldc);
        if constexpr (Kind<T>::complex) {
          const T real_factor = made<T>(real_alpha);
          if (hermitian)
            status = Xt<T>::herkx(this->handle, half, op, n, k, &real_factor, pa, ld, pa, ld, &real_beta,
                                  found.data(), ldc);
        }
      }
      ASSERT_EQ(status, good);
      const bool lower = half == CUBLAS_FILL_MODE_LOWER;
      EXPECT_LE(difference(Dense<T>(found, n, n, ldc), right, lower ? 'L' : 'U'), tolerance<T>(2 * k + 2))
          << kind << ' ' << n << ' ' << k << ' ' << letter(op);
      EXPECT_EQ(
          difference(triangle(Dense<T>(found, n, n, ldc), !lower, true), triangle(before, !lower, true)), 0)
          << "the other triangle";
    }
  }
}

TYPED_TEST(CublasXt, MultipliesBySymmetricMatrices) {
  using T = TypeParam;
  for (int round = 0; round < 24; ++round) {
    Random& r = this->random;
    this->select();
    const int m = r.in(0, 28), n = r.in(0, 28);
    const auto side = this->side();
    const auto half = this->half();
    const bool lower = half == CUBLAS_FILL_MODE_LOWER, hermitian = Kind<T>::complex && round % 3 == 1,
               packed = round % 3 == 2;
    const int order = side == CUBLAS_SIDE_LEFT ? m : n, lda = std::max(1, order + 1), ld = m + 2;
    const auto a = this->matrix(lda, order), b = this->matrix(ld, n);
    auto c = this->matrix(ld, n);
    const T alpha = this->scalar(), beta = this->scalar();
    const auto whole = mirrored(Dense<T>(a, order, order, lda), lower, hermitian);
    const Dense<T> other(b, m, n, ld);
    const auto right = sum(exact(alpha), side == CUBLAS_SIDE_LEFT ? whole * other : other * whole,
                           exact(beta), Dense<T>(c, m, n, ld));
    cublasStatus_t status = CUBLAS_STATUS_INTERNAL_ERROR;
    if (packed) {
      std::vector<T> triangle;
      for (int j = 0; j < order; ++j)
        for (int i = lower ? j : 0; i < (lower ? order : j + 1); ++i)
          triangle.push_back(a[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * lda]);
      triangle.resize(triangle.size() + 1);
      status = Xt<T>::spmm(this->handle, side, half, m, n, &alpha, triangle.data(), b.data(), ld, &beta,
                           c.data(), ld);
    } else if (!hermitian) {
      status = Xt<T>::symm(this->handle, side, half, m, n, &alpha, a.data(), lda, b.data(), ld, &beta,
                           c.data(), ld);
    }
    if constexpr (Kind<T>::complex)
      if (hermitian)
        status = Xt<T>::hemm(this->handle, side, half, m, n, &alpha, a.data(), lda, b.data(), ld, &beta,
                             c.data(), ld);
    ASSERT_EQ(status, good);
    EXPECT_LE(difference(Dense<T>(c, m, n, ld), right), tolerance<T>(order + 2))
        << round << ' ' << m << ' ' << n;
  }
}

TYPED_TEST(CublasXt, MultipliesAndSolvesByTriangles) {
  using T = TypeParam;
  for (int round = 0; round < 40; ++round) {
    Random& r = this->random;
    this->select();
    const int m = r.in(0, 28), n = r.in(0, 28);
    const auto side = this->side();
    const auto half = this->half();
    const auto op = this->op();
    const auto unit = this->unit();
    const bool left = side == CUBLAS_SIDE_LEFT;
    const int order = left ? m : n, lda = order + 1, ld = m + 2;
    auto a = this->matrix(lda, order);
    for (T& value : a)
      value = made<T>(std::real(exact(value)) / (order + 1), std::imag(exact(value)) / (order + 1));
    for (int i = 0; i < order; ++i) a[static_cast<std::size_t>(i) * (lda + 1)] = made<T>(1.5, 0.25);
    const auto b = this->matrix(ld, n);
    const T alpha = r.template value<T>();
    const auto factor = transposed(
        triangle(Dense<T>(a, order, order, lda), half == CUBLAS_FILL_MODE_LOWER, unit == CUBLAS_DIAG_UNIT),
        letter(op));
    const auto times = [&](const Dense<T>& x) { return left ? factor * x : x * factor; };
    const Dense<T> given(b, m, n, ld);
    auto in_place = b, apart = this->matrix(ld, n);
    ASSERT_EQ(Xt<T>::trmm(this->handle, side, half, op, unit, m, n, &alpha, a.data(), lda, b.data(), ld,
                          apart.data(), ld),
              good);
    ASSERT_EQ(Xt<T>::trmm(this->handle, side, half, op, unit, m, n, &alpha, a.data(), lda, in_place.data(),
                          ld, in_place.data(), ld),
              good);
    const auto product = sum(exact(alpha), times(given), Exact<T>(0), given);
    EXPECT_LE(difference(Dense<T>(apart, m, n, ld), product), tolerance<T>(order + 2));
    EXPECT_LE(difference(Dense<T>(in_place, m, n, ld), product), tolerance<T>(order + 2));
    auto solved = b;
    ASSERT_EQ(Xt<T>::trsm(this->handle, side, half, op, unit, m, n, &alpha, a.data(), lda, solved.data(), ld),
              good);
    EXPECT_LE(difference(times(Dense<T>(solved, m, n, ld)), sum(exact(alpha), given, Exact<T>(0), given)),
              4 * tolerance<T>(order + 2))
        << m << ' ' << n;
  }
}

// The host's routine gets the last columns, as Fortran would call it.
int columns_of_host = 0;
void host_gemm(const char* opa, const char* opb, const int* m, const int* n, const int* k,
               const double* alpha, const double* a, const int* lda, const double* b, const int* ldb,
               const double* beta, double* c, const int* ldc) {
  EXPECT_EQ(*opa, 'N');
  EXPECT_EQ(*opb, 'T');
  columns_of_host = *n;
  for (int j = 0; j < *n; ++j)
    for (int i = 0; i < *m; ++i) {
      double sum = 0;
      for (int p = 0; p < *k; ++p) sum += a[i + p * *lda] * b[j + p * *ldb];
      c[i + j * *ldc] = *alpha * sum + *beta * c[i + j * *ldc];
    }
}

TEST(CublasXtHandles, ShareProductsWithTheHost) {
  cublasXtHandle_t handle = nullptr;
  ASSERT_EQ(cublasXtCreate(&handle), good);
  int device = 0;
  ASSERT_EQ(cublasXtDeviceSelect(handle, 1, &device), good);
  ASSERT_EQ(cublasXtSetBlockDim(handle, 8), good);
  ASSERT_EQ(
      cublasXtSetCpuRoutine(handle, CUBLASXT_GEMM, CUBLASXT_DOUBLE, reinterpret_cast<void*>(&host_gemm)),
      good);
  ASSERT_EQ(cublasXtSetCpuRatio(handle, CUBLASXT_GEMM, CUBLASXT_DOUBLE, 0.25F), good);
  Random random(7);
  const int m = 13, n = 20, k = 9;
  const auto a = random.values<double>(m * k), b = random.values<double>(n * k);
  auto c = random.values<double>(m * n);
  const double alpha = 0.75, beta = 0.5;
  const auto right = sum(alpha, Dense<double>(a, m, k, m) * transposed(Dense<double>(b, n, k, n), 'T'), beta,
                         Dense<double>(c, m, n, m));
  ASSERT_EQ(cublasXtDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, k, &alpha, a.data(), m, b.data(), n, &beta,
                          c.data(), m),
            good);
  EXPECT_LE(difference(Dense<double>(c, m, n, m), right), tolerance<double>(k));
  EXPECT_EQ(columns_of_host, 5);
  EXPECT_EQ(cublasXtSetCpuRoutine(handle, CUBLASXT_SYRK, CUBLASXT_DOUBLE, nullptr),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublasXtSetCpuRatio(handle, CUBLASXT_GEMM, CUBLASXT_DOUBLE, 1.5F), good);  // all of it
  ASSERT_EQ(cublasXtDestroy(handle), good);
}

TEST(CublasXtHandles, KeepTheirModesAndRefuseWhatIsWrong) {
  EXPECT_EQ(cublasXtCreate(nullptr), CUBLAS_STATUS_INVALID_VALUE);
  cublasXtHandle_t handle = nullptr;
  ASSERT_EQ(cublasXtCreate(&handle), good);
  const float one = 1;
  float value = 2;
  const auto multiply = [&](cublasXtHandle_t with, size_t m, size_t lda, const float* alpha) {
    return cublasXtSgemm(with, CUBLAS_OP_N, CUBLAS_OP_N, m, 1, 1, alpha, &value, lda, &value, 1, &one, &value,
                         1);
  };
  EXPECT_EQ(multiply(handle, 1, 1, &one), CUBLAS_STATUS_NOT_INITIALIZED) << "no device was chosen";
  int devices[] = {0, 99}, boards = 0, block = 0;
  EXPECT_EQ(cublasXtDeviceSelect(handle, 2, devices), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasXtDeviceSelect(handle, 0, devices), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasXtDeviceSelect(handle, 1, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  int twice[] = {0, 0};
  EXPECT_EQ(cublasXtDeviceSelect(handle, 2, twice), CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_EQ(cublasXtGetBlockDim(handle, &block), good);
  EXPECT_EQ(block, 1024);  // as of an H200
  ASSERT_EQ(cublasXtDeviceSelect(handle, 1, devices), good);
  ASSERT_EQ(cublasXtGetNumBoards(1, devices, &boards), good);
  EXPECT_EQ(boards, 1);
  ASSERT_EQ(cublasXtSetBlockDim(handle, 77), good);
  ASSERT_EQ(cublasXtGetBlockDim(handle, &block), good);
  EXPECT_EQ(block, 77);
  EXPECT_EQ(cublasXtSetBlockDim(handle, 0), CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_EQ(cublasXtSetPinningMemMode(handle, CUBLASXT_PINNING_ENABLED), good);
  cublasXtPinnedMemMode_t mode = CUBLASXT_PINNING_DISABLED;
  ASSERT_EQ(cublasXtGetPinningMemMode(handle, &mode), good);
  EXPECT_EQ(mode, CUBLASXT_PINNING_ENABLED);
  EXPECT_EQ(multiply(handle, 1, 1, nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(handle, 2, 1, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(handle, size_t{1} << 63, size_t{1} << 63, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(multiply(nullptr, 1, 1, &one), CUBLAS_STATUS_NOT_INITIALIZED);
  ASSERT_EQ(multiply(handle, 1, 1, &one), good);
  EXPECT_EQ(value, 6);
  ASSERT_EQ(cublasXtDestroy(handle), good);
  EXPECT_EQ(cublasXtDestroy(handle), CUBLAS_STATUS_NOT_INITIALIZED);
}

}  // namespace
}  // namespace heddle::libs_test
