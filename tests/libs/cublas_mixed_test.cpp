// cuBLAS with types that are arguments: rank updates of complex bytes, and rotations that are made, against
// what the numbers must do.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUBLAS_STATUS_SUCCESS;

class CublasMixed : public testing::Test {
 public:
  CublasMixed() { EXPECT_EQ(cublasCreate(&handle), good); }
  ~CublasMixed() override { EXPECT_EQ(cublasDestroy(handle), good); }
  cublasHandle_t handle = nullptr;
  Random random{11};
};

// Sums of products of bytes are exact in float.
TEST_F(CublasMixed, UpdatesTrianglesOfComplexBytes) {
  struct Byte {
    int8_t x, y;
  };
  for (int round = 0; round < 16; ++round) {
    const int n = random.in(1, 20), k = random.in(0, 15);
    const bool hermitian = round % 2 == 1, lower = round % 4 < 2, plain = round % 8 < 4, three = round >= 8;
    const int rows = plain ? n : k, columns = plain ? k : n, lda = std::max(1, rows + 2), ldc = n + 1;
    std::vector<Byte> bytes(static_cast<std::size_t>(lda) * std::max(columns, 1));
    for (Byte& one : bytes)
      one = {static_cast<int8_t>(random.in(-128, 127)), static_cast<int8_t>(random.in(-128, 127))};
    std::vector<cuComplex> wide;
    for (const Byte& one : bytes) wide.push_back({static_cast<float>(one.x), static_cast<float>(one.y)});
    std::vector<cuComplex> c(static_cast<std::size_t>(ldc) * n);
    for (cuComplex& one : c)
      one = {static_cast<float>(random.in(-9, 9)), static_cast<float>(random.in(-9, 9))};
    for (int i = 0; i < n; ++i) c[static_cast<std::size_t>(i) * (ldc + 1)].y = 0;
    const auto half = lower ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;
    const auto turned = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T, op = plain ? CUBLAS_OP_N : turned;
    const Device<Byte> a(bytes);
    const Device<cuComplex> to(c), from(wide);
    const float alpha = 2, beta = round % 3 == 0 ? 0 : 3;
    const cuComplex complex_alpha = {2, 0}, complex_beta = {beta, 0};
    cublasStatus_t status;
    if (hermitian)
      status = (three ? cublasCherk3mEx : cublasCherkEx)(handle, half, op, n, k, &alpha, a, CUDA_C_8I, lda,
                                                         &beta, to, CUDA_C_32F, ldc);
    else
      status = (three ? cublasCsyrk3mEx : cublasCsyrkEx)(handle, half, op, n, k, &complex_alpha, a, CUDA_C_8I,
                                                         lda, &complex_beta, to, CUDA_C_32F, ldc);
    ASSERT_EQ(status, good);
    const auto x = transposed(Dense<cuComplex>(wide, rows, columns, lda), plain       ? 'N'
                                                                          : hermitian ? 'C'
                                                                                      : 'T');
    const auto right =
        sum<cuComplex>(alpha, x * transposed(x, hermitian ? 'C' : 'T'), beta, Dense<cuComplex>(c, n, n, ldc));
    EXPECT_EQ(difference(Dense<cuComplex>(to.read(), n, n, ldc), right, lower ? 'L' : 'U'), 0) << round;
    const Device<cuComplex> again(c);
    if (hermitian)
      ASSERT_EQ(
          cublasCherkEx(handle, half, op, n, k, &alpha, from, CUDA_C_32F, lda, &beta, again, CUDA_C_32F, ldc),
          good);
    else
      ASSERT_EQ(cublasCsyrkEx(handle, half, op, n, k, &complex_alpha, from, CUDA_C_32F, lda, &complex_beta,
                              again, CUDA_C_32F, ldc),
                good);
    EXPECT_EQ(difference(Dense<cuComplex>(again.read(), n, n, ldc), right, lower ? 'L' : 'U'), 0);
  }
  const float one = 1;
  EXPECT_EQ(cublasCherkEx(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 1, 1, &one, nullptr, CUDA_C_16F, 1,
                          &one, nullptr, CUDA_C_32F, 1),
            CUBLAS_STATUS_NOT_SUPPORTED);
}

// Sums of bytes' products are exact whatever their number, and wrap as integers of 32 bits do.
TEST_F(CublasMixed, SumsProductsOfBytesExactly) {
  for (const int k : {1, 1023, 1024, 1025, 5000, 140000}) {
    const int m = 3, n = 2;
    for (const bool extreme : {false, true}) {
      std::vector<int8_t> a(static_cast<std::size_t>(m) * k), b(static_cast<std::size_t>(k) * n);
      for (int8_t& one : a) one = static_cast<int8_t>(extreme ? -128 : random.in(-128, 127));
      for (int8_t& one : b) one = static_cast<int8_t>(extreme ? -128 : random.in(-128, 127));
      const std::vector<int32_t> c(m * n, 1000);
      const Device<int8_t> da(a), db(b);
      const Device<int32_t> dc(c);
      const int32_t alpha = 3, beta = -7;
      ASSERT_EQ(
          cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &alpha, da.get(), CUDA_R_8I, m, db.get(),
                       CUDA_R_8I, k, &beta, dc.get(), CUDA_R_32I, m, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT),
          good);
      const auto found = dc.read();
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < m; ++i) {
          int64_t sum = 0;
          for (int p = 0; p < k; ++p)
            sum += a[static_cast<std::size_t>(i) + static_cast<std::size_t>(p) * m] *
                   b[static_cast<std::size_t>(p) + static_cast<std::size_t>(j) * k];
          EXPECT_EQ(found[i + j * m], static_cast<int32_t>(static_cast<uint64_t>(alpha * sum + beta * 1000)))
              << k;
        }
    }
  }
}

// A rotation takes (a, b) to (r, 0) and keeps lengths.
TEST_F(CublasMixed, MakesRotations) {
  for (int round = 0; round < 40; ++round) {
    const double a = random.number(), b = round % 5 == 0 ? 0 : random.number();
    __half ha = __float2half(static_cast<float>(a)), hb = __float2half(static_cast<float>(b)), hc, hs;
    const double ra = __half2float(ha), rb = __half2float(hb);
    ASSERT_EQ(cublasRotgEx(handle, &ha, &hb, CUDA_R_16F, &hc, &hs, CUDA_R_16F, CUDA_R_32F), good);
    const double c = __half2float(hc), s = __half2float(hs);
    EXPECT_NEAR(c * c + s * s, 1, 2e-3);
    EXPECT_NEAR(c * ra + s * rb, __half2float(ha), 2e-3);
    EXPECT_NEAR(c * rb - s * ra, 0, 2e-3);

    cuDoubleComplex za = {a, random.number()}, zb = {b, random.number()}, zs;
    const std::complex<double> given_a(za.x, za.y), given_b(zb.x, zb.y);
    double zc = 0;
    ASSERT_EQ(cublasRotgEx(handle, &za, &zb, CUDA_C_64F, &zc, &zs, CUDA_C_64F, CUDA_C_64F), good);
    const std::complex<double> sine(zs.x, zs.y), r(za.x, za.y);
    EXPECT_LT(std::abs(zc * given_a + sine * given_b - r), 1e-14);
    EXPECT_LT(std::abs(zc * given_b - std::conj(sine) * given_a), 1e-14);
  }
  // In device pointer mode, all four are the device's.
  const Device<float> four(std::vector<float>{3, 4, 0, 0});
  ASSERT_EQ(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), good);
  ASSERT_EQ(
      cublasRotgEx(handle, four.get(), four + 1, CUDA_R_32F, four + 2, four + 3, CUDA_R_32F, CUDA_R_32F),
      good);
  const auto found = four.read();
  EXPECT_FLOAT_EQ(std::abs(found[0]), 5);
  EXPECT_FLOAT_EQ(found[2] * 3 + found[3] * 4, found[0]);
}

// d1 and d2 weigh the squares of x1 and y1: the modified rotation takes y1 to 0 and keeps the weighted sum.
TEST_F(CublasMixed, MakesAndAppliesModifiedRotations) {
  for (int round = 0; round < 30; ++round) {
    float d1 = 1 + std::abs(static_cast<float>(random.number())),
          d2 = 1 + std::abs(static_cast<float>(random.number())), x1 = static_cast<float>(random.number());
    const float y1 = static_cast<float>(random.number()), before = d1 * x1 * x1 + d2 * y1 * y1, old_x = x1;
    float param[5] = {9, 9, 9, 9, 9};
    ASSERT_EQ(cublasRotmgEx(handle, &d1, CUDA_R_32F, &d2, CUDA_R_32F, &x1, CUDA_R_32F, &y1, CUDA_R_32F, param,
                            CUDA_R_32F, CUDA_R_32F),
              good);
    EXPECT_NEAR(d1 * x1 * x1, before, 1e-4);
    const Device<__nv_bfloat16> x(std::vector<__nv_bfloat16>{__float2bfloat16(old_x), __float2bfloat16(0)}),
        y(std::vector<__nv_bfloat16>{__float2bfloat16(y1), __float2bfloat16(0)});
    ASSERT_EQ(cublasRotmEx(handle, 2, x.get(), CUDA_R_16BF, 1, y.get(), CUDA_R_16BF, 1, param, CUDA_R_32F,
                           CUDA_R_32F),
              good);
    EXPECT_NEAR(__bfloat162float(x.read()[0]), x1, 0.03 * (1 + std::abs(x1)));
    EXPECT_NEAR(__bfloat162float(y.read()[0]), 0, 0.03);
  }
  EXPECT_EQ(cublasRotmEx(handle, 1, nullptr, CUDA_C_32F, 1, nullptr, CUDA_R_32F, 1, nullptr, CUDA_R_32F,
                         CUDA_R_32F),
            CUBLAS_STATUS_NOT_SUPPORTED);
}

TEST_F(CublasMixed, KeepsModesOfEmulation) {
  int value = -1;
  ASSERT_EQ(cublasSetFixedPointEmulationMaxMantissaBitCount(handle, 55), good);
  ASSERT_EQ(cublasGetFixedPointEmulationMaxMantissaBitCount(handle, &value), good);
  EXPECT_EQ(value, 55);
  EXPECT_EQ(cublasSetFixedPointEmulationMaxMantissaBitCount(handle, -1), CUBLAS_STATUS_INVALID_VALUE);
  ASSERT_EQ(cublasSetFixedPointEmulationMantissaBitOffset(handle, -4), good);
  ASSERT_EQ(cublasGetFixedPointEmulationMantissaBitOffset(handle, &value), good);
  EXPECT_EQ(value, -4);
  ASSERT_EQ(cublasSetFixedPointEmulationMantissaControl(handle, CUDA_EMULATION_MANTISSA_CONTROL_FIXED), good);
  cudaEmulationMantissaControl control = CUDA_EMULATION_MANTISSA_CONTROL_DYNAMIC;
  ASSERT_EQ(cublasGetFixedPointEmulationMantissaControl(handle, &control), good);
  EXPECT_EQ(control, CUDA_EMULATION_MANTISSA_CONTROL_FIXED);
  ASSERT_EQ(cublasSetEmulationSpecialValuesSupport(handle, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN), good);
  cudaEmulationSpecialValuesSupport specials = CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NONE;
  ASSERT_EQ(cublasGetEmulationSpecialValuesSupport(handle, &specials), good);
  EXPECT_EQ(specials, CUDA_EMULATION_SPECIAL_VALUES_SUPPORT_NAN);
  const Device<int> place(std::size_t{1});
  int* pointer = nullptr;
  ASSERT_EQ(cublasSetFixedPointEmulationMantissaBitCountPointer(handle, place.get()), good);
  ASSERT_EQ(cublasGetFixedPointEmulationMantissaBitCountPointer(handle, &pointer), good);
  EXPECT_EQ(pointer, place.get());
  EXPECT_EQ(cublasGetFixedPointEmulationMantissaBitOffset(nullptr, &value), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(CublasMixed, InvertsBatchesOfNothing) {
  const Device<cuDoubleComplex> a(std::size_t{1}), c(std::size_t{1});
  const Device<cuDoubleComplex*> as(std::vector<cuDoubleComplex*>{a.get()}),
      cs(std::vector<cuDoubleComplex*>{c.get()});
  const Device<int> info(std::vector<int>{7});
  ASSERT_EQ(cublasZgetriBatched(handle, 0, as.get(), 1, nullptr, cs.get(), 1, info.get(), 1), good);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(info.read(), std::vector<int>{0});
}

// A vector that is NULL is memory that a kernel could not touch, as any other.
TEST(CublasFaults, ANullVectorEndsTheContext) {
  cublasHandle_t handle = nullptr;
  ASSERT_EQ(cublasCreate(&handle), good);
  const double one = 1;
  {
    const Device<double> x(std::vector<double>{1, 2}), a(std::vector<double>(4));
    EXPECT_EQ(cublasDsyr2(handle, CUBLAS_FILL_MODE_LOWER, 2, &one, x.get(), 1, nullptr, 1, a.get(), 2), good);
    EXPECT_NE(cudaDeviceSynchronize(), cudaSuccess);
  }
  cublasDestroy(handle);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

}  // namespace
}  // namespace heddle::libs_test
