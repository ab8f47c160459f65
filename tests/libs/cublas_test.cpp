// cuBLAS against plain arithmetic: random sizes, leading dimensions, operations and increments of each type.
#include <cublas_v2.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

#define ALL(L)                                                         \
  static constexpr auto gemm = &cublas##L##gemm_v2;                    \
  static constexpr auto gemm64 = &cublas##L##gemm_v2_64;               \
  static constexpr auto gemm_batched = &cublas##L##gemmBatched;        \
  static constexpr auto gemm_strided = &cublas##L##gemmStridedBatched; \
  static constexpr auto syrk = &cublas##L##syrk_v2;                    \
  static constexpr auto syr2k = &cublas##L##syr2k_v2;                  \
  static constexpr auto syrkx = &cublas##L##syrkx;                     \
  static constexpr auto symm = &cublas##L##symm_v2;                    \
  static constexpr auto trmm = &cublas##L##trmm_v2;                    \
  static constexpr auto trsm = &cublas##L##trsm_v2;                    \
  static constexpr auto gemv = &cublas##L##gemv_v2;                    \
  static constexpr auto gbmv = &cublas##L##gbmv_v2;                    \
  static constexpr auto trmv = &cublas##L##trmv_v2;                    \
  static constexpr auto trsv = &cublas##L##trsv_v2;                    \
  static constexpr auto tpmv = &cublas##L##tpmv_v2;                    \
  static constexpr auto tbsv = &cublas##L##tbsv_v2;                    \
  static constexpr auto tbmv = &cublas##L##tbmv_v2;                    \
  static constexpr auto symv = &cublas##L##symv_v2;                    \
  static constexpr auto syr2 = &cublas##L##syr2_v2;                    \
  static constexpr auto axpy = &cublas##L##axpy_v2;                    \
  static constexpr auto scal = &cublas##L##scal_v2;                    \
  static constexpr auto swap = &cublas##L##swap_v2;                    \
  static constexpr auto geam = &cublas##L##geam;                       \
  static constexpr auto dgmm = &cublas##L##dgmm;                       \
  static constexpr auto getrf = &cublas##L##getrfBatched;              \
  static constexpr auto getrs = &cublas##L##getrsBatched;              \
  static constexpr auto getri = &cublas##L##getriBatched;              \
  static constexpr auto gels = &cublas##L##gelsBatched;                \
  static constexpr auto tpttr = &cublas##L##tpttr;
template <class T>
struct Api;
template <>
struct Api<float> {
  ALL(S)
  static constexpr auto dot = &cublasSdot_v2;
  static constexpr auto nrm2 = &cublasSnrm2_v2;
  static constexpr auto asum = &cublasSasum_v2;
  static constexpr auto amax = &cublasIsamax_v2;
  static constexpr auto amin64 = &cublasIsamin_v2_64;
};
template <>
struct Api<double> {
  ALL(D)
  static constexpr auto dot = &cublasDdot_v2;
  static constexpr auto nrm2 = &cublasDnrm2_v2;
  static constexpr auto asum = &cublasDasum_v2;
  static constexpr auto amax = &cublasIdamax_v2;
  static constexpr auto amin64 = &cublasIdamin_v2_64;
};
template <>
struct Api<cuComplex> {
  ALL(C)
  static constexpr auto dot = &cublasCdotc_v2;
  static constexpr auto nrm2 = &cublasScnrm2_v2;
  static constexpr auto asum = &cublasScasum_v2;
  static constexpr auto amax = &cublasIcamax_v2;
  static constexpr auto amin64 = &cublasIcamin_v2_64;
  static constexpr auto herk = &cublasCherk_v2;
  static constexpr auto her2k = &cublasCher2k_v2;
  static constexpr auto herkx = &cublasCherkx;
  static constexpr auto hemm = &cublasChemm_v2;
};
template <>
struct Api<cuDoubleComplex> {
  ALL(Z)
  static constexpr auto dot = &cublasZdotc_v2;
  static constexpr auto nrm2 = &cublasDznrm2_v2;
  static constexpr auto asum = &cublasDzasum_v2;
  static constexpr auto amax = &cublasIzamax_v2;
  static constexpr auto amin64 = &cublasIzamin_v2_64;
  static constexpr auto herk = &cublasZherk_v2;
  static constexpr auto her2k = &cublasZher2k_v2;
  static constexpr auto herkx = &cublasZherkx;
  static constexpr auto hemm = &cublasZhemm_v2;
};

constexpr auto good = CUBLAS_STATUS_SUCCESS;

char letter(cublasOperation_t op) { return "NTC"[op]; }

template <class T>
class Cublas : public testing::Test {
 public:
  Cublas() { EXPECT_EQ(cublasCreate(&handle), good); }
  ~Cublas() override { EXPECT_EQ(cublasDestroy(handle), good); }
  cublasOperation_t op() { return random.of({CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}); }
  cublasFillMode_t half() { return random.of({CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}); }
  cublasDiagType_t unit() { return random.of({CUBLAS_DIAG_UNIT, CUBLAS_DIAG_NON_UNIT}); }
  T scalar() { return random.in(0, 4) == 0 ? made<T>(0) : random.value<T>(); }
  int step() { return random.of({-3, -1, 1, 1, 2}); }
  // A matrix that has an inverse which is not large.
  std::vector<T> steady(int n, int ld) {
    auto a = random.values<T>(static_cast<std::size_t>(ld) * std::max(n, 1));
    for (int i = 0; i < n; ++i) a[i + static_cast<std::size_t>(i) * ld] = made<T>(n + 1.5, 0.25);
    return a;
  }
  cublasHandle_t handle = nullptr;
  Random random{4711};
};
using Types = testing::Types<float, double, cuComplex, cuDoubleComplex>;
TYPED_TEST_SUITE(Cublas, Types);

// Element i of n of a vector with any increment.
std::size_t place(int n, int step, int i) {
  return static_cast<std::size_t>(step > 0 ? i : i - n + 1) * step;
}
template <class T>
Dense<T> vector_of(const std::vector<T>& x, int n, int step) {
  Dense<T> v(n, 1);
  for (int i = 0; i < n; ++i) v(i, 0) = exact(x[place(n, step, i)]);
  return v;
}
std::size_t length(int n, int step) {
  return n == 0 ? 1 : 1 + static_cast<std::size_t>(n - 1) * std::abs(step);
}

TYPED_TEST(Cublas, MultipliesMatricesOfAnyShape) {
  using T = TypeParam;
  for (int round = 0; round < 60; ++round) {
    Random& r = this->random;
    const int most = round % 10 == 0 ? 90 : 20, m = r.in(0, most), n = r.in(0, most), k = r.in(0, most);
    const auto opa = this->op(), opb = this->op();
    const int ar = opa == CUBLAS_OP_N ? m : k, ac = opa == CUBLAS_OP_N ? k : m,
              br = opb == CUBLAS_OP_N ? k : n, bc = opb == CUBLAS_OP_N ? n : k;
    const int lda = std::max(1, ar + r.in(0, 3)), ldb = std::max(1, br + r.in(0, 3)),
              ldc = std::max(1, m + r.in(0, 3));
    const auto a = r.values<T>(static_cast<std::size_t>(lda) * ac),
               b = r.values<T>(static_cast<std::size_t>(ldb) * bc);
    auto c = r.values<T>(static_cast<std::size_t>(ldc) * n);
    const T alpha = this->scalar(), beta = this->scalar();
    Dense<T> before(c, m, n, ldc);
    if (exact(beta) == Exact<T>(0)) std::fill(c.begin(), c.end(), made<T>(NAN));  // not read
    const Device<T> da(a), db(b), dc(c);
    if (round % 2 == 0)
      ASSERT_EQ(Api<T>::gemm(this->handle, opa, opb, m, n, k, &alpha, da, lda, db, ldb, &beta, dc, ldc),
                good);
    else
      ASSERT_EQ(Api<T>::gemm64(this->handle, opa, opb, m, n, k, &alpha, da, lda, db, ldb, &beta, dc, ldc),
                good);
    const auto product =
        transposed(Dense<T>(a, ar, ac, lda), letter(opa)) * transposed(Dense<T>(b, br, bc, ldb), letter(opb));
    const auto right = sum(exact(alpha), product, exact(beta), before);
    const auto found = dc.read();
    EXPECT_LE(difference(Dense<T>(found, m, n, ldc), right), tolerance<T>(k))
        << m << ' ' << n << ' ' << k << ' ' << letter(opa) << letter(opb);
    for (int j = 0; j < n; ++j)
      for (int i = m; i < ldc; ++i)
        EXPECT_EQ(std::memcmp(&found[i + static_cast<std::size_t>(j) * ldc],
                              &c[i + static_cast<std::size_t>(j) * ldc], sizeof(T)),
                  0)
            << "behind a column";
  }
}

TYPED_TEST(Cublas, MultipliesBatches) {
  using T = TypeParam;
  const int m = 5, n = 7, k = 6, count = 9;
  const auto a = this->random.template values<T>(m * k * count),
             b = this->random.template values<T>(k * n * count),
             c = this->random.template values<T>(m * n * count);
  const Device<T> da(a), db(b), dc(c), strided(c);
  std::vector<T*> as, bs, cs;
  for (int i = 0; i < count; ++i) {
    as.push_back(da + m * k * i);
    bs.push_back(db + k * n * i);
    cs.push_back(dc + m * n * i);
  }
  const Device<T*> das(as), dbs(bs), dcs(cs);
  const T alpha = made<T>(0.5, 0.5), beta = made<T>(-1);
  const Device<T> scalars({alpha, beta});
  ASSERT_EQ(cublasSetPointerMode(this->handle, CUBLAS_POINTER_MODE_DEVICE), good);
  ASSERT_EQ(Api<T>::gemm_batched(this->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, scalars.get(), das, m, dbs,
                                 k, scalars + 1, dcs, m, count),
            good);
  ASSERT_EQ(cublasSetPointerMode(this->handle, CUBLAS_POINTER_MODE_HOST), good);
  ASSERT_EQ(Api<T>::gemm_strided(this->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, da, m, m * k, db, k,
                                 k * n, &beta, strided, m, m * n, count),
            good);
  for (const auto& found : {dc.read(), strided.read()})
    for (int i = 0; i < count; ++i) {
      const auto part = [&](const std::vector<T>& all, int rows, int columns) {
        const std::vector<T> one(all.begin() + rows * columns * i, all.begin() + rows * columns * (i + 1));
        return Dense<T>(one, rows, columns, rows);
      };
      EXPECT_LE(difference(part(found, m, n),
                           sum(exact(alpha), part(a, m, k) * part(b, k, n), exact(beta), part(c, m, n))),
                tolerance<T>(k));
    }
}

TYPED_TEST(Cublas, UpdatesTriangles) {
  using T = TypeParam;
  for (int round = 0; round < 24; ++round) {
    Random& r = this->random;
    const int n = r.in(0, round == 0 ? 210 : 30), k = r.in(0, 12);
    const auto half = this->half();
    const auto op = r.of({CUBLAS_OP_N, CUBLAS_OP_T});
    const bool hermitian = Kind<T>::complex && round % 2 == 1;
    const auto used = hermitian && op == CUBLAS_OP_T ? CUBLAS_OP_C : op;
    const int rows = op == CUBLAS_OP_N ? n : k, columns = op == CUBLAS_OP_N ? k : n,
              ld = std::max(1, rows + r.in(0, 2)), ldc = std::max(1, n + 1);
    const auto a = r.values<T>(static_cast<std::size_t>(ld) * columns),
               b = r.values<T>(static_cast<std::size_t>(ld) * columns);
    auto c = r.values<T>(static_cast<std::size_t>(ldc) * n);
    for (int i = 0; hermitian && i < n; ++i) c[i + static_cast<std::size_t>(i) * ldc] = made<T>(r.number());
    const T alpha = this->scalar(), beta = this->scalar();
    const Real<T> real_alpha = std::real(exact(alpha)), real_beta = std::real(exact(beta));
    const auto da = transposed(Dense<T>(a, rows, columns, ld), letter(used)),
               db = transposed(Dense<T>(b, rows, columns, ld), letter(used));
    // used == N: A is n x k; else op(A) is, and the product is op(A) op(A)'.
    const char back = hermitian ? 'C' : 'T';
    const Dense<T> before(c, n, n, ldc);
    for (int kind = 0; kind < 3; ++kind) {
      const Device<T> xa(a), xb(b), xc(c);
      Dense<T> right(n, n);
      cublasStatus_t status = good;
      if (kind == 0) {
        right = sum(hermitian ? Exact<T>(real_alpha) : exact(alpha), da * transposed(da, back),
                    hermitian ? Exact<T>(real_beta) : exact(beta), before);
        if constexpr (Kind<T>::complex) {
          if (hermitian)
            status = Api<T>::herk(this->handle, half, used, n, k, &real_alpha, xa, ld, &real_beta, xc, ldc);
        }
        if (!hermitian) status = Api<T>::syrk(this->handle, half, used, n, k, &alpha, xa, ld, &beta, xc, ldc);
      } else if (kind == 1) {
        const auto other = hermitian ? conj_of(exact(alpha)) : exact(alpha);
        right =
            sum(exact(alpha), da * transposed(db, back), Exact<T>(1),
                sum(other, db * transposed(da, back), hermitian ? Exact<T>(real_beta) : exact(beta), before));
        if constexpr (Kind<T>::complex) {
          if (hermitian)
            status =
                Api<T>::her2k(this->handle, half, used, n, k, &alpha, xa, ld, xb, ld, &real_beta, xc, ldc);
        }
        if (!hermitian)
          status = Api<T>::syr2k(this->handle, half, used, n, k, &alpha, xa, ld, xb, ld, &beta, xc, ldc);
      } else {
        right = sum(exact(alpha), da * transposed(db, back), hermitian ? Exact<T>(real_beta) : exact(beta),
                    before);
        for (int i = 0; hermitian && i < n; ++i) right(i, i) = std::real(right(i, i));
        if constexpr (Kind<T>::complex) {
          if (hermitian)
            status =
                Api<T>::herkx(this->handle, half, used, n, k, &alpha, xa, ld, xb, ld, &real_beta, xc, ldc);
        }
        if (!hermitian)
          status = Api<T>::syrkx(this->handle, half, used, n, k, &alpha, xa, ld, xb, ld, &beta, xc, ldc);
      }
      ASSERT_EQ(status, good);
      const Dense<T> found(xc.read(), n, n, ldc);
      const bool lower = half == CUBLAS_FILL_MODE_LOWER;
      EXPECT_LE(difference(found, right, lower ? 'L' : 'U'), tolerance<T>(2 * k))
          << kind << ' ' << n << ' ' << k << ' ' << hermitian;
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          if (lower ? i < j : i > j) EXPECT_EQ(found(i, j), before(i, j)) << "the other triangle";
    }
  }
}

TYPED_TEST(Cublas, MultipliesAndSolvesTriangles) {
  using T = TypeParam;
  for (int round = 0; round < 40; ++round) {
    Random& r = this->random;
    const int m = r.in(0, 20), n = r.in(0, 20);
    const auto side = r.of({CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT});
    const bool left = side == CUBLAS_SIDE_LEFT;
    const int order = left ? m : n, lda = std::max(1, order + r.in(0, 2)), ldb = std::max(1, m + r.in(0, 2)),
              ldc = std::max(1, m + r.in(0, 2));
    const auto half = this->half();
    const auto op = this->op();
    const auto unit = this->unit();
    auto a = this->steady(order, lda);
    if (unit == CUBLAS_DIAG_UNIT)
      for (T& value : a) value = made<T>(0.01 * std::real(exact(value)));
    const auto b = r.values<T>(static_cast<std::size_t>(ldb) * n);
    const T alpha = round % 8 == 0 ? made<T>(0) : r.value<T>();
    const Dense<T> db(b, m, n, ldb);
    const auto t = transposed(
        triangle(Dense<T>(a, order, order, lda), half == CUBLAS_FILL_MODE_LOWER, unit == CUBLAS_DIAG_UNIT),
        letter(op));
    const Device<T> xa(a), xb(b), xc(static_cast<std::size_t>(ldc) * n);
    ASSERT_EQ(Api<T>::trmm(this->handle, side, half, op, unit, m, n, &alpha, xa, lda, xb, ldb, xc, ldc),
              good);
    const auto product = left ? t * db : db * t;
    EXPECT_LE(difference(Dense<T>(xc.read(), m, n, ldc), sum(exact(alpha), product, Exact<T>(0), product)),
              30 * tolerance<T>(order));
    ASSERT_EQ(Api<T>::trsm(this->handle, side, half, op, unit, m, n, &alpha, xa, lda, xb, ldb), good);
    const Dense<T> x(xb.read(), m, n, ldb);
    EXPECT_LE(difference(left ? t * x : x * t, sum(exact(alpha), db, Exact<T>(0), db)),
              10 * tolerance<T>(order))
        << m << ' ' << n;
    // Symmetric factors.
    const T beta = this->scalar();
    const auto c = r.values<T>(static_cast<std::size_t>(ldc) * n);
    const bool hermitian = Kind<T>::complex && round % 2 == 0;
    const Device<T> yb(b), yc(c);
    cublasStatus_t status = good;
    if constexpr (Kind<T>::complex) {
      if (hermitian)
        status = Api<T>::hemm(this->handle, side, half, m, n, &alpha, xa, lda, yb, ldb, &beta, yc, ldc);
    }
    if (!hermitian)
      status = Api<T>::symm(this->handle, side, half, m, n, &alpha, xa, lda, yb, ldb, &beta, yc, ldc);
    ASSERT_EQ(status, good);
    const auto s = mirrored(Dense<T>(a, order, order, lda), half == CUBLAS_FILL_MODE_LOWER, hermitian);
    EXPECT_LE(difference(Dense<T>(yc.read(), m, n, ldc),
                         sum(exact(alpha), left ? s * db : db * s, exact(beta), Dense<T>(c, m, n, ldc))),
              30 * tolerance<T>(order));
  }
}

TYPED_TEST(Cublas, MultipliesMatrixAndVector) {
  using T = TypeParam;
  for (int round = 0; round < 40; ++round) {
    Random& r = this->random;
    const int m = r.in(0, 25), n = r.in(0, 25), lda = std::max(1, m + r.in(0, 2)), incx = this->step(),
              incy = this->step();
    const auto op = this->op();
    const int in = op == CUBLAS_OP_N ? n : m, out = op == CUBLAS_OP_N ? m : n;
    const auto a = r.values<T>(static_cast<std::size_t>(lda) * n), x = r.values<T>(length(in, incx)),
               y = r.values<T>(length(out, incy));
    const T alpha = this->scalar(), beta = this->scalar();
    const Device<T> da(a), dx(x), dy(y);
    ASSERT_EQ(Api<T>::gemv(this->handle, op, m, n, &alpha, da, lda, dx, incx, &beta, dy, incy), good);
    const Dense<T> dense(a, m, n, lda), before = vector_of(y, out, incy);
    auto right =
        sum(exact(alpha), transposed(dense, letter(op)) * vector_of(x, in, incx), exact(beta), before);
    if (m != 0 && n != 0)
      EXPECT_LE(difference(vector_of(dy.read(), out, incy), right), tolerance<T>(in)) << m << ' ' << n;
    // The same with a band of it.
    const int kl = r.in(0, 3), ku = r.in(0, 3), ldb = kl + ku + 1 + r.in(0, 2);
    std::vector<T> band(static_cast<std::size_t>(ldb) * std::max(n, 1), made<T>(NAN));
    Dense<T> inside(m, n);
    for (int j = 0; j < n; ++j)
      for (int i = std::max(0, j - ku); i < std::min(m, j + kl + 1); ++i) {
        band[ku + i - j + static_cast<std::size_t>(j) * ldb] = a[i + static_cast<std::size_t>(j) * lda];
        inside(i, j) = dense(i, j);
      }
    const Device<T> dband(band), dz(y);
    ASSERT_EQ(Api<T>::gbmv(this->handle, op, m, n, kl, ku, &alpha, dband, ldb, dx, incx, &beta, dz, incy),
              good);
    right = sum(exact(alpha), transposed(inside, letter(op)) * vector_of(x, in, incx), exact(beta), before);
    if (m != 0 && n != 0) EXPECT_LE(difference(vector_of(dz.read(), out, incy), right), tolerance<T>(in));
  }
}

TYPED_TEST(Cublas, SolvesTrianglesForAVector) {
  using T = TypeParam;
  for (int round = 0; round < 30; ++round) {
    Random& r = this->random;
    const int n = r.in(1, 25), lda = n + r.in(0, 2), incx = this->step(), k = r.in(0, 3);
    const auto half = this->half();
    const auto op = this->op();
    const bool lower = half == CUBLAS_FILL_MODE_LOWER;
    const auto a = this->steady(n, lda), x = r.values<T>(length(n, incx));
    const auto t = triangle(Dense<T>(a, n, n, lda), lower, false);
    const auto before = vector_of(x, n, incx), right = transposed(t, letter(op)) * before;
    const Device<T> da(a), dx(x);
    ASSERT_EQ(Api<T>::trmv(this->handle, half, op, CUBLAS_DIAG_NON_UNIT, n, da, lda, dx, incx), good);
    EXPECT_LE(difference(vector_of(dx.read(), n, incx), right), 30 * tolerance<T>(n));
    ASSERT_EQ(Api<T>::trsv(this->handle, half, op, CUBLAS_DIAG_NON_UNIT, n, da, lda, dx, incx), good);
    EXPECT_LE(difference(vector_of(dx.read(), n, incx), before), 10 * tolerance<T>(n));
    // Packed.
    std::vector<T> packed;
    for (int j = 0; j < n; ++j)
      for (int i = lower ? j : 0; i < (lower ? n : j + 1); ++i)
        packed.push_back(a[i + static_cast<std::size_t>(j) * lda]);
    const Device<T> dp(packed), dy(x), unpacked(static_cast<std::size_t>(lda) * n);
    ASSERT_EQ(Api<T>::tpmv(this->handle, half, op, CUBLAS_DIAG_NON_UNIT, n, dp, dy, incx), good);
    EXPECT_LE(difference(vector_of(dy.read(), n, incx), right), 30 * tolerance<T>(n));
    ASSERT_EQ(Api<T>::tpttr(this->handle, half, n, dp, unpacked, lda), good);
    EXPECT_EQ(difference(triangle(Dense<T>(unpacked.read(), n, n, lda), lower, false), t), 0);
    // Banded.
    Dense<T> inside(n, n);
    std::vector<T> band(static_cast<std::size_t>(k + 1) * n, made<T>(NAN));
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i)
        if (lower ? i >= j && i <= j + k : i <= j && i >= j - k) {
          inside(i, j) = t(i, j);
          band[(lower ? i - j : k + i - j) + static_cast<std::size_t>(j) * (k + 1)] =
              a[i + static_cast<std::size_t>(j) * lda];
        }
    const Device<T> dband(band), dz(x);
    ASSERT_EQ(Api<T>::tbmv(this->handle, half, op, CUBLAS_DIAG_NON_UNIT, n, k, dband, k + 1, dz, incx), good);
    EXPECT_LE(difference(vector_of(dz.read(), n, incx), transposed(inside, letter(op)) * before),
              30 * tolerance<T>(n));
    ASSERT_EQ(Api<T>::tbsv(this->handle, half, op, CUBLAS_DIAG_NON_UNIT, n, k, dband, k + 1, dz, incx), good);
    EXPECT_LE(difference(vector_of(dz.read(), n, incx), before), 10 * tolerance<T>(n));
    // Symmetric, and an update of rank 2.
    const int incy = this->step();
    const auto y = r.values<T>(length(n, incy));
    const T alpha = r.template value<T>(), beta = this->scalar();
    const Device<T> ex(x), ey(y), ea(a);
    ASSERT_EQ(Api<T>::symv(this->handle, half, n, &alpha, ea, lda, ex, incx, &beta, ey, incy), good);
    EXPECT_LE(difference(vector_of(ey.read(), n, incy),
                         sum(exact(alpha), mirrored(Dense<T>(a, n, n, lda), lower, false) * before,
                             exact(beta), vector_of(y, n, incy))),
              30 * tolerance<T>(n));
    ey.read();
    const Device<T> fy(y);
    ASSERT_EQ(Api<T>::syr2(this->handle, half, n, &alpha, ex, incx, fy, incy, ea, lda), good);
    const auto v = vector_of(y, n, incy);
    const auto update =
        sum(Exact<T>(1), before * transposed(v, 'T'), Exact<T>(1), v * transposed(before, 'T'));
    EXPECT_LE(difference(Dense<T>(ea.read(), n, n, lda),
                         sum(exact(alpha), update, Exact<T>(1), Dense<T>(a, n, n, lda)), lower ? 'L' : 'U'),
              30 * tolerance<T>(2));
  }
}

TYPED_TEST(Cublas, ComputesWithVectors) {
  using T = TypeParam;
  for (int round = 0; round < 30; ++round) {
    Random& r = this->random;
    const int n = r.in(0, 50), incx = this->step(), incy = this->step();
    const auto x = r.values<T>(length(n, incx)), y = r.values<T>(length(n, incy));
    const T alpha = this->scalar();
    const Device<T> dx(x), dy(y);
    const auto vx = vector_of(x, n, incx), vy = vector_of(y, n, incy);
    T dot;
    ASSERT_EQ(Api<T>::dot(this->handle, n, dx, incx, dy, incy, &dot), good);
    Exact<T> product(0);
    double squares = 0, sizes = 0, greatest = -1, least = 1e9;
    int first_greatest = 0, first_least = 0;
    for (int i = 0; i < n; ++i) {
      product += conj_of(vx(i, 0)) * vy(i, 0);
      squares += std::norm(vx(i, 0));
      const double size = std::abs(std::real(vx(i, 0))) + std::abs(std::imag(vx(i, 0)));
      sizes += size;
      if (size > greatest) greatest = size, first_greatest = i + 1;
      if (size < least) least = size, first_least = i + 1;
    }
    EXPECT_LE(std::abs(exact(dot) - product), tolerance<T>(n));
    Real<T> norm = -1, all = -1;
    int place = -1;
    int64_t place64 = -1;
    ASSERT_EQ(Api<T>::nrm2(this->handle, n, dx, incx, &norm), good);
    ASSERT_EQ(Api<T>::asum(this->handle, n, dx, incx, &all), good);
    ASSERT_EQ(Api<T>::amax(this->handle, n, dx, incx, &place), good);
    ASSERT_EQ(Api<T>::amin64(this->handle, n, dx, incx, &place64), good);
    const bool counts = n > 0 && incx > 0;
    EXPECT_LE(std::abs(norm - (counts ? std::sqrt(squares) : 0)), tolerance<T>(n));
    EXPECT_LE(std::abs(all - (counts ? sizes : 0)), tolerance<T>(n));
    EXPECT_EQ(place, counts ? first_greatest : 0);
    EXPECT_EQ(place64, counts ? first_least : 0);
    ASSERT_EQ(Api<T>::axpy(this->handle, n, &alpha, dx, incx, dy, incy), good);
    EXPECT_LE(difference(vector_of(dy.read(), n, incy), sum(exact(alpha), vx, Exact<T>(1), vy)),
              tolerance<T>(2));
    ASSERT_EQ(Api<T>::swap(this->handle, n, dx, incx, dy, incy), good);
    EXPECT_EQ(difference(vector_of(dy.read(), n, incy), vx), 0);
    ASSERT_EQ(Api<T>::scal(this->handle, n, &alpha, dy, std::abs(incy)), good);
    EXPECT_LE(difference(vector_of(dy.read(), n, incy), sum(exact(alpha), vx, Exact<T>(0), vx)),
              tolerance<T>(1));
  }
}

TYPED_TEST(Cublas, AddsAndScalesMatrices) {
  using T = TypeParam;
  for (int round = 0; round < 20; ++round) {
    Random& r = this->random;
    const int m = r.in(0, 40), n = r.in(0, 40);
    const auto opa = this->op(), opb = this->op();
    const int ar = opa == CUBLAS_OP_N ? m : n, ac = opa == CUBLAS_OP_N ? n : m,
              br = opb == CUBLAS_OP_N ? m : n, bc = opb == CUBLAS_OP_N ? n : m;
    const int lda = std::max(1, ar + 1), ldb = std::max(1, br), ldc = std::max(1, m + 2);
    const auto a = r.values<T>(static_cast<std::size_t>(lda) * ac),
               b = r.values<T>(static_cast<std::size_t>(ldb) * bc);
    const T alpha = this->scalar(), beta = this->scalar();
    const Device<T> da(a), db(b), dc(static_cast<std::size_t>(ldc) * n);
    ASSERT_EQ(Api<T>::geam(this->handle, opa, opb, m, n, &alpha, da, lda, &beta, db, ldb, dc, ldc), good);
    EXPECT_LE(difference(Dense<T>(dc.read(), m, n, ldc),
                         sum(exact(alpha), transposed(Dense<T>(a, ar, ac, lda), letter(opa)), exact(beta),
                             transposed(Dense<T>(b, br, bc, ldb), letter(opb)))),
              tolerance<T>(2));
    const int incx = this->step();
    const auto side = r.of({CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT});
    const bool left = side == CUBLAS_SIDE_LEFT;
    const auto c = dc.read(), x = r.values<T>(length(left ? m : n, incx));
    const Device<T> dx(x);
    ASSERT_EQ(Api<T>::dgmm(this->handle, side, m, n, dc, ldc, dx, incx, dc, ldc), good);
    Dense<T> right(c, m, n, ldc);
    const auto v = vector_of(x, left ? m : n, incx);
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < m; ++i) right(i, j) *= v(left ? i : j, 0);
    EXPECT_LE(difference(Dense<T>(dc.read(), m, n, ldc), right), tolerance<T>(2));
  }
}

TYPED_TEST(Cublas, FactorsBatches) {
  using T = TypeParam;
  const int n = 9, nrhs = 3, count = 5;
  std::vector<std::vector<T>> as;
  std::vector<std::unique_ptr<Device<T>>> keep;
  std::vector<T*> a, inverse, b;
  const auto rhs = this->random.template values<T>(n * nrhs);
  const auto place = [&](const std::vector<T>& values) {
    keep.push_back(std::make_unique<Device<T>>(values));
    return keep.back()->get();
  };
  for (int i = 0; i < count; ++i) {
    as.push_back(i == 3 ? std::vector<T>(n * n) : this->random.template values<T>(n * n));
    a.push_back(place(as.back()));
    inverse.push_back(place(as.back()));
    b.push_back(place(rhs));
  }
  const Device<T*> da(a), di(inverse), db(b);
  const Device<int> pivots(n * count), infos(count);
  ASSERT_EQ(Api<T>::getrf(this->handle, n, da, n, pivots, infos, count), good);
  EXPECT_EQ(infos.read(), (std::vector<int>{0, 0, 0, 1, 0}));  // the fourth is zero
  int info = -1;
  ASSERT_EQ(Api<T>::getrs(this->handle, CUBLAS_OP_N, n, nrhs, da, n, pivots, db, n, &info, count), good);
  EXPECT_EQ(info, 0);
  ASSERT_EQ(Api<T>::getri(this->handle, n, da, n, pivots, di, n, infos, count), good);
  for (int i = 0; i < count; ++i) {
    if (i == 3) continue;
    std::vector<T> x(n * nrhs), y(n * n);
    cudaMemcpy(x.data(), b[i], x.size() * sizeof(T), cudaMemcpyDeviceToHost);
    cudaMemcpy(y.data(), inverse[i], y.size() * sizeof(T), cudaMemcpyDeviceToHost);
    const Dense<T> matrix(as[i], n, n, n), right(rhs, n, nrhs, n);
    EXPECT_LE(difference(matrix * Dense<T>(x, n, nrhs, n), right), 300 * tolerance<T>(n));
    Dense<T> one(n, n);
    for (int j = 0; j < n; ++j) one(j, j) = Exact<T>(1);
    EXPECT_LE(difference(matrix * Dense<T>(y, n, n, n), one), 300 * tolerance<T>(n));
  }
  // Least squares: what is left stands at right angles to the columns.
  const int m = 14;
  const auto tall = this->random.template values<T>(m * n), want = this->random.template values<T>(m);
  const Device<T*> dt({place(tall)}), dw({place(want)});
  ASSERT_EQ(Api<T>::gels(this->handle, CUBLAS_OP_N, m, n, 1, dt, m, dw, m, &info, nullptr, 1), good);
  const Dense<T> matrix(tall, m, n, m), solution(keep.back()->read(), n, 1, m);
  const auto rest = sum(Exact<T>(1), matrix * solution, Exact<T>(-1), Dense<T>(want, m, 1, m));
  EXPECT_LE(difference(transposed(matrix, 'C') * rest, Dense<T>(n, 1)), 100 * tolerance<T>(m));
}

// LAPACK follows pivots; those of a program are looked at first.
TEST(CublasErrors, PivotsThatAreNoneEndTheContext) {
  cublasHandle_t handle;
  ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
  Device<double> a(std::vector<double>{1, 0, 0, 1}), b(std::vector<double>{1, 2});
  Device<double*> as(std::vector<double*>{a.get()}), bs(std::vector<double*>{b.get()});
  Device<int> pivots(std::vector<int>{1, 1 << 28});
  int info = 7;
  ASSERT_EQ(cublasDgetrsBatched(handle, CUBLAS_OP_N, 2, 1, as, 2, pivots, bs, 2, &info, 1),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  cublasDestroy(handle);
}

}  // namespace
}  // namespace heddle::libs_test
