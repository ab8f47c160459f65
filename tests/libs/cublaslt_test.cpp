// cuBLASLt against plain arithmetic: layouts, batches, epilogues, types of eight bits, and what is refused.
#include "cublaslt.h"

#include <cublas_v2.h>
#include <cuda_fp16.h>

namespace heddle::libs_test {
namespace {

// Element (i, j) of a matrix by columns or by rows.
std::size_t at(cublasLtOrder_t order, int ld, int i, int j) {
  return order == CUBLASLT_ORDER_COL ? static_cast<std::size_t>(j) * ld + i
                                     : static_cast<std::size_t>(i) * ld + j;
}

TEST_F(CublasLt, MultipliesBatchesOfAnyOrder) {
  for (int round = 0; round < 40; ++round) {
    const int m = random.in(1, 40), n = random.in(1, 40), k = random.in(1, 40), batch = random.in(1, 3);
    const auto order = [&] { return random.of({CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW}); };
    const auto oa = order(), ob = order(), od = order();
    const auto ta = random.of({CUBLAS_OP_N, CUBLAS_OP_T}), tb = random.of({CUBLAS_OP_N, CUBLAS_OP_C});
    const int ar = ta == CUBLAS_OP_N ? m : k, ac = ta == CUBLAS_OP_N ? k : m, br = tb == CUBLAS_OP_N ? k : n,
              bc = tb == CUBLAS_OP_N ? n : k;
    const auto line = [](cublasLtOrder_t o, int r, int c) { return o == CUBLASLT_ORDER_COL ? r : c; };
    const int lda = line(oa, ar, ac) + random.in(0, 2), ldb = line(ob, br, bc) + 1, ldc = line(od, m, n) + 2,
              ldd = line(od, m, n) + 3;
    const int sa = lda * std::max(ar, ac), sb = ldb * std::max(br, bc), sc = ldc * std::max(m, n),
              sd = ldd * std::max(m, n);
    const auto a = random.values<float>(static_cast<std::size_t>(sa * batch)),
               b = random.values<float>(static_cast<std::size_t>(sb * batch)),
               c = random.values<float>(static_cast<std::size_t>(sc * batch));
    const Device<float> da(a), db(b), dc(c), dd(static_cast<std::size_t>(sd * batch));
    Operation op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    op.set(CUBLASLT_MATMUL_DESC_TRANSA, ta);
    op.set(CUBLASLT_MATMUL_DESC_TRANSB, tb);
    const Layout la(CUDA_R_32F, ar, ac, lda, oa, batch, sa), lb(CUDA_R_32F, br, bc, ldb, ob, batch, sb),
        lc(CUDA_R_32F, m, n, ldc, od, batch, sc), ld(CUDA_R_32F, m, n, ldd, od, batch, sd);
    const float alpha = 1.5F, beta = round % 3 == 0 ? 0.0F : -0.5F;
    ASSERT_EQ(multiply(op, &alpha, da, la, db, lb, &beta, dc, lc, dd, ld), good);
    const auto d = dd.read();
    for (int z = 0; z < batch; ++z)
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int p = 0; p < k; ++p)
            sum += static_cast<double>(a[static_cast<std::size_t>(z * sa) +
                                         (ta == CUBLAS_OP_N ? at(oa, lda, i, p) : at(oa, lda, p, i))]) *
                   static_cast<double>(b[static_cast<std::size_t>(z * sb) +
                                         (tb == CUBLAS_OP_N ? at(ob, ldb, p, j) : at(ob, ldb, j, p))]);
          const double right =
              1.5 * sum + static_cast<double>(beta) *
                              static_cast<double>(c[static_cast<std::size_t>(z * sc) + at(od, ldc, i, j)]);
          ASSERT_NEAR(d[static_cast<std::size_t>(z * sd) + at(od, ldd, i, j)], right, tolerance<float>(k));
        }
  }
}

// 2 x 2: A = 1 2 / 3 4, B the identity, so that an epilogue is all there is to see.
class Epilogues : public CublasLt, public testing::WithParamInterface<cublasLtOrder_t> {
 public:
  std::vector<float> apply(cublasLtEpilogue_t epilogue, const std::vector<float>& a,
                           const std::vector<float>& bias = {}, void* aux = nullptr,
                           float* bias_out = nullptr) {
    const auto order = GetParam();
    const std::vector<float> stored =
        order == CUBLASLT_ORDER_COL ? std::vector<float>{a[0], a[2], a[1], a[3]} : a;
    const Device<float> da(stored), db(std::vector<float>{1, 0, 0, 1}), dd(4),
        dbias(bias.empty() ? std::vector<float>(2) : bias);
    Operation op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    op.set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    op.set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, dbias.get());
    op.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux);
    op.set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t{128});
    const Layout layout(CUDA_R_32F, 2, 2, 2, order);
    const float one = 1, zero = 0;
    EXPECT_EQ(multiply(op, &one, da, layout, db, layout, &zero, dd, layout, dd, layout), good);
    auto d = dd.read();
    if (bias_out != nullptr) std::copy_n(dbias.read().data(), 2, bias_out);
    if (order == CUBLASLT_ORDER_COL) std::swap(d[1], d[2]);
    return d;  // by rows
  }
};
INSTANTIATE_TEST_SUITE_P(Orders, Epilogues, testing::Values(CUBLASLT_ORDER_COL, CUBLASLT_ORDER_ROW));

TEST_P(Epilogues, AddABiasToEachRow) {
  EXPECT_EQ(apply(CUBLASLT_EPILOGUE_BIAS, {1, 2, 3, 4}, {10, 20}), (std::vector<float>{11, 12, 23, 24}));
  EXPECT_EQ(apply(CUBLASLT_EPILOGUE_RELU_BIAS, {1, -12, -30, 4}, {10, 20}),
            (std::vector<float>{11, 0, 0, 24}));
  EXPECT_EQ(apply(CUBLASLT_EPILOGUE_RELU, {1, -2, -3, 4}), (std::vector<float>{1, 0, 0, 4}));
}

TEST_P(Epilogues, KeepAMaskForTheWayBack) {
  const Device<unsigned char> mask(std::vector<unsigned char>(2 * 128 / 8));
  EXPECT_EQ(apply(CUBLASLT_EPILOGUE_RELU_AUX, {1, -2, 3, 4}, {}, mask.get()),
            (std::vector<float>{1, 0, 3, 4}));
  const auto bits = mask.read();
  const bool by_columns = GetParam() == CUBLASLT_ORDER_COL;
  EXPECT_EQ(bits[0], by_columns ? 3 : 1);  // a column: 1 3; a row: 1 -2
  EXPECT_EQ(bits[16], by_columns ? 2 : 3);
  float gradient[2];
  EXPECT_EQ(apply(CUBLASLT_EPILOGUE_DRELU_BGRAD, {5, 6, 7, 8}, {}, mask.get(), gradient),
            (std::vector<float>{5, 0, 7, 8}));
  EXPECT_EQ(gradient[0], 5);
  EXPECT_EQ(gradient[1], 15);
}

TEST_P(Epilogues, Gelu) {
  const Device<float> before(std::vector<float>(2 * 128));
  const auto y = apply(CUBLASLT_EPILOGUE_GELU_AUX_BIAS, {1, -1, 0.5F, 2}, {0, 1}, before.get());
  // x Phi(x) is 0.8413447, -0.1586553 for 1 and -1; its usual approximation by tanh is 0.8411920, -0.1588080;
  // of 1.5 it is 1.3995721, of 3 2.9963627.
  EXPECT_NEAR(y[0], 0.8411920, 1e-6);
  EXPECT_NEAR(y[1], -0.1588080, 1e-6);
  EXPECT_NEAR(y[2], 1.3995721, 1e-6);
  EXPECT_NEAR(y[3], 2.9963627, 1e-6);
  const auto kept = before.read();
  EXPECT_EQ(kept[0], 1);
  EXPECT_EQ(kept[129], 3);
  // Its slope, against differences of the function.
  const auto slope = apply(CUBLASLT_EPILOGUE_DGELU, {1, 1, 1, 1}, {}, before.get());
  const double step = 1e-4;
  const auto value = [](double x) {
    return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  };
  const double xs[] = {1, -1, 1.5, 3};
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(slope[static_cast<std::size_t>(i)], (value(xs[i] + step) - value(xs[i] - step)) / (2 * step),
                1e-5);
}

TEST_P(Epilogues, SumOperandsForTheGradientOfABias) {
  float sums[2];
  apply(CUBLASLT_EPILOGUE_BGRADA, {1, 2, 3, 4}, {}, nullptr, sums);
  EXPECT_EQ(sums[0], 3);  // of rows of A
  EXPECT_EQ(sums[1], 7);
  apply(CUBLASLT_EPILOGUE_BGRADB, {1, 2, 3, 4}, {}, nullptr, sums);
  EXPECT_EQ(sums[0], 1);  // of columns of B
  EXPECT_EQ(sums[1], 1);
}

TEST_F(CublasLt, MultipliesBytesExactly) {
  const int m = 5, n = 3, k = 300;
  std::vector<int8_t> a(m * k), b(k * n);
  for (auto& x : a) x = static_cast<int8_t>(random.in(-128, 127));
  for (auto& x : b) x = static_cast<int8_t>(random.in(-128, 127));
  const Device<int8_t> da(a), db(b), small(m * n);
  const Device<int32_t> dd(m * n);
  Operation op(CUBLAS_COMPUTE_32I, CUDA_R_32I);
  op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  const Layout la(CUDA_R_8I, k, m, k), lb(CUDA_R_8I, k, n, k), ld(CUDA_R_32I, m, n, m);
  const int32_t one = 1, zero = 0;
  ASSERT_EQ(multiply(op, &one, da, la, db, lb, &zero, dd, ld, dd, ld), good);
  Operation scaled(CUBLAS_COMPUTE_32I, CUDA_R_32F);
  scaled.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  const Layout l8(CUDA_R_8I, m, n, m);
  const float by = 1.0F / 1024, nothing = 0;
  ASSERT_EQ(multiply(scaled, &by, da, la, db, lb, &nothing, small, l8, small, l8), good);
  const auto d = dd.read();
  const auto s = small.read();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int sum = 0;
      for (int p = 0; p < k; ++p)
        sum += a[static_cast<std::size_t>(i * k + p)] * b[static_cast<std::size_t>(j * k + p)];
      const auto place = static_cast<std::size_t>(j * m + i);
      EXPECT_EQ(d[place], sum);
      EXPECT_EQ(s[place], std::clamp(static_cast<int>(std::nearbyint(sum / 1024.0)), -128, 127));
    }
}

TEST_F(CublasLt, ScalesEightBitFloats) {
  // E4M3: 0x38 is 1, 0x40 2, 0x44 3, 0xb8 -1. A = 1 2 / 3 -1 (its transpose is stored), B = 1 2 / 0 1.
  const Device<uint8_t> a(std::vector<uint8_t>{0x38, 0x40, 0x44, 0xb8}),
      b(std::vector<uint8_t>{0x38, 0, 0x40, 0x38}), d8(4);
  const Device<float> scale_a(std::vector<float>{2}), scale_b(std::vector<float>{4}),
      scale_d(std::vector<float>{0.5F}), amax(std::vector<float>{0});
  const Device<__half> c(4);
  Operation op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  op.set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  op.set(CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t{1});
  op.set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scale_a.get());
  op.set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scale_b.get());
  op.set(CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scale_d.get());
  op.set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, amax.get());
  const Layout l8(CUDA_R_8F_E4M3, 2, 2, 2), lc(CUDA_R_16F, 2, 2, 2);
  const float one = 1, zero = 0;
  ASSERT_EQ(multiply(op, &one, a, l8, b, l8, &zero, c, lc, d8, l8), good);
  // 8 A B = 8 32 / 24 40; halved 4 16 / 12 20: 0x48 0x58 / 0x54 0x5a.
  EXPECT_EQ(d8.read(), (std::vector<uint8_t>{0x48, 0x54, 0x58, 0x5a}));
  EXPECT_EQ(amax.read()[0], 40);
}

TEST_F(CublasLt, TakesAnAlphaForEachRow) {
  const Device<float> a(std::vector<float>{1, 2, 3, 4}), identity(std::vector<float>{1, 0, 0, 1}), d(4),
      alphas(std::vector<float>{10, 100});
  Operation op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  op.set(CUBLASLT_MATMUL_DESC_POINTER_MODE, CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO);
  const Layout l(CUDA_R_32F, 2, 2, 2);
  ASSERT_EQ(multiply(op, alphas, a, l, identity, l, nullptr, nullptr, l, d, l), good);
  EXPECT_EQ(d.read(), (std::vector<float>{10, 200, 30, 400}));
}

TEST_F(CublasLt, TransformsTypesAndOrders) {
  // 2 x 3 by columns to the same by rows, halved, with twice a matrix of 3 x 2 that is turned.
  const Device<int8_t> a(std::vector<int8_t>{2, 4, 6, 8, 10, 12});
  const Device<float> b(std::vector<float>{1, 2, 3, 4, 5, 6}), c(8);
  cublasLtMatrixTransformDesc_t desc;
  ASSERT_EQ(cublasLtMatrixTransformDescCreate(&desc, CUDA_R_32F), good);
  const cublasOperation_t turned = CUBLAS_OP_T;
  ASSERT_EQ(cublasLtMatrixTransformDescSetAttribute(desc, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSB, &turned,
                                                    sizeof turned),
            good);
  const Layout la(CUDA_R_8I, 2, 3, 2), lb(CUDA_R_32F, 3, 2, 3), lc(CUDA_R_32F, 2, 3, 4, CUBLASLT_ORDER_ROW);
  const float half = 0.5F, two = 2;
  ASSERT_EQ(
      cublasLtMatrixTransform(handle, desc, &half, a, la.layout, &two, b, lb.layout, c, lc.layout, nullptr),
      good);
  const auto found = c.read();
  const float right[2][3] = {{1 + 2, 3 + 4, 5 + 6}, {2 + 8, 4 + 10, 6 + 12}};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(found[i * 4 + j], right[i][j]);
  ASSERT_EQ(cublasLtMatrixTransformDescDestroy(desc), good);
}

TEST_F(CublasLt, AnswersWhatCannotBe) {
  const Layout l(CUDA_R_32F, 4, 4, 4), other(CUDA_R_32F, 4, 5, 4), halves(CUDA_R_16F, 4, 4, 4);
  const Operation op(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const Device<float> d(16);
  const float one = 1;
  const auto call = [&](const Layout& la, const Layout& lb) {
    return cublasLtMatmul(handle, op.desc, &one, d, la.layout, d, lb.layout, &one, d, l.layout, d, l.layout,
                          nullptr, nullptr, 0, nullptr);
  };
  EXPECT_EQ(call(l, l), good);
  EXPECT_EQ(call(other, l), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(halves, l), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(multiply(op, &one, d, halves, d, l, &one, d, l, d, l), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublasLtMatmul(nullptr, op.desc, &one, d, l.layout, d, l.layout, &one, d, l.layout, d, l.layout,
                           nullptr, nullptr, 0, nullptr),
            CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasLtMatmul(handle, op.desc, nullptr, d, l.layout, d, l.layout, &one, d, l.layout, d, l.layout,
                           nullptr, nullptr, 0, nullptr),
            CUBLAS_STATUS_INVALID_VALUE);
  // Attributes have one size, which can be asked for.
  size_t size = 0;
  EXPECT_EQ(cublasLtMatrixLayoutGetAttribute(l.layout, CUBLASLT_MATRIX_LAYOUT_ROWS, nullptr, 0, &size), good);
  EXPECT_EQ(size, 8U);
  uint64_t rows = 0;
  EXPECT_EQ(cublasLtMatrixLayoutGetAttribute(l.layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 8, &size), good);
  EXPECT_EQ(rows, 4U);
  EXPECT_EQ(cublasLtMatrixLayoutGetAttribute(l.layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &rows, 4, &size),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtMatrixLayoutDestroy(reinterpret_cast<cublasLtMatrixLayout_t>(&rows)),
            CUBLAS_STATUS_INVALID_VALUE);
  // A handle of cuBLAS is one of cuBLASLt.
  cublasHandle_t blas;
  ASSERT_EQ(cublasCreate(&blas), good);
  EXPECT_EQ(cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(blas), op.desc, &one, d, l.layout, d, l.layout,
                           &one, d, l.layout, d, l.layout, nullptr, nullptr, 0, nullptr),
            good);
  EXPECT_EQ(cublasDestroy(blas), good);
}

// Programs keep numbers of algorithms that a device's library once gave them.
TEST_F(CublasLt, TakesTheNumbersOfADevicesAlgorithms) {
  const auto made = [&](int id, cublasLtMatmulAlgo_t* algorithm) {
    return cublasLtMatmulAlgoInit(handle, CUBLAS_COMPUTE_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F,
                                  CUDA_R_64F, id, algorithm);
  };
  cublasLtMatmulAlgo_t algorithm{};
  ASSERT_EQ(made(10, &algorithm), good);
  int32_t id = -1;
  size_t size = 0;
  EXPECT_EQ(cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_ID, &id, sizeof id, &size),
            good);
  EXPECT_EQ(id, 10);
  EXPECT_EQ(made(-1, &algorithm), CUBLAS_STATUS_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::libs_test
