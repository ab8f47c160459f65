// What cuBLAS answers where there is nothing to do, as an H200 (tests/hw/h200/answers/cublas_nulls.txt): with
// a size of 0 it looks at nothing else, so that all pointers may be NULL.
#include <cublas_v2.h>

#include <cmath>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUBLAS_STATUS_SUCCESS;
float* const none = nullptr;
cuComplex* const no_complex = nullptr;

class CublasNothing : public testing::Test {
 public:
  CublasNothing() { EXPECT_EQ(cublasCreate(&handle), good); }
  ~CublasNothing() override { EXPECT_EQ(cublasDestroy(handle), good); }
  cublasHandle_t handle = nullptr;
};

TEST_F(CublasNothing, OfVectors) {
  EXPECT_EQ(cublasSscal(handle, 0, none, none, 1), good);
  EXPECT_EQ(cublasSscal(handle, -1, none, none, 1), good);
  EXPECT_EQ(cublasSscal(handle, 4, none, none, -1), good);
  EXPECT_EQ(cublasSscal(handle, 4, none, none, 0), good);
  EXPECT_EQ(cublasCscal(handle, 0, no_complex, no_complex, 1), good);
  EXPECT_EQ(cublasSscal_64(handle, 0, none, none, 1), good);
  EXPECT_EQ(cublasSaxpy(handle, 0, none, none, 1, none, 1), good);
  EXPECT_EQ(cublasSrot(handle, 0, none, 1, none, 1, none, none), good);
  EXPECT_EQ(cublasSrotm(handle, 0, none, 1, none, 1, none), good);
  EXPECT_EQ(cublasScopy(handle, 0, none, 1, none, 1), good);
  EXPECT_EQ(cublasSswap(handle, -4, none, 1, none, 1), good);
  float sum = 1;
  EXPECT_EQ(cublasSdot(handle, 0, none, 1, none, 1, &sum), good);
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(cublasSasum(handle, 0, none, 1, none), CUBLAS_STATUS_INVALID_VALUE) << "a result has its place";
  EXPECT_EQ(cublasSscal(nullptr, 0, none, none, 1), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(CublasNothing, OfMatricesAndVectors) {
  constexpr auto upper = CUBLAS_FILL_MODE_UPPER;
  EXPECT_EQ(cublasSgemv(handle, CUBLAS_OP_N, 0, 4, none, none, 1, none, 1, none, none, 1), good);
  EXPECT_EQ(cublasSgemv(handle, CUBLAS_OP_N, 4, 0, none, none, 4, none, 1, none, none, 1), good);
  EXPECT_EQ(cublasSgbmv(handle, CUBLAS_OP_N, 0, 4, 1, 1, none, none, 3, none, 1, none, none, 1), good);
  EXPECT_EQ(cublasSsymv(handle, upper, 0, none, none, 1, none, 1, none, none, 1), good);
  EXPECT_EQ(cublasSspmv(handle, upper, 0, none, none, none, 1, none, none, 1), good);
  EXPECT_EQ(cublasSspr(handle, upper, 0, none, none, 1, none), good);
  EXPECT_EQ(cublasSsyr(handle, upper, 0, none, none, 1, none, 1), good);
  EXPECT_EQ(cublasSsyr2(handle, upper, 0, none, none, 1, none, 1, none, 1), good);
  EXPECT_EQ(cublasSger(handle, 0, 4, none, none, 1, none, 1, none, 1), good);
  EXPECT_EQ(cublasStrsv(handle, upper, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 0, none, 1, none, 1), good);
  EXPECT_EQ(cublasSsyr(handle, upper, 4, none, none, 1, none, 4), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSger(handle, 4, 4, none, none, 1, none, 1, none, 4), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasNothing, OfMatrices) {
  constexpr auto left = CUBLAS_SIDE_LEFT;
  constexpr auto upper = CUBLAS_FILL_MODE_UPPER;
  constexpr auto plain = CUBLAS_OP_N;
  constexpr auto unit = CUBLAS_DIAG_UNIT;
  EXPECT_EQ(cublasSgemm(handle, plain, plain, 0, 4, 4, none, none, 1, none, 4, none, none, 1), good);
  EXPECT_EQ(cublasSsymm(handle, left, upper, 0, 4, none, none, 1, none, 1, none, none, 1), good);
  EXPECT_EQ(cublasSsyrk(handle, upper, plain, 0, 4, none, none, 1, none, none, 1), good);
  EXPECT_EQ(cublasStrsm(handle, left, upper, plain, unit, 0, 4, none, none, 1, none, 1), good);
  EXPECT_EQ(cublasStrmm(handle, left, upper, plain, unit, 0, 4, none, none, 1, none, 1, none, 1), good);
  EXPECT_EQ(cublasSgeam(handle, plain, plain, 0, 4, none, none, 1, none, none, 1, none, 1), good);
  EXPECT_EQ(cublasSdgmm(handle, left, 0, 4, none, 1, none, 1, none, 1), good);
  EXPECT_EQ(cublasSgemm(handle, plain, plain, 4, 4, 0, none, none, 4, none, 1, none, none, 4),
            CUBLAS_STATUS_INVALID_VALUE)
      << "without a k there is still beta C";
}

TEST_F(CublasNothing, OfTypesThatAreArguments) {
  constexpr auto plain = CUBLAS_OP_N;
  constexpr auto f32 = CUDA_R_32F;
  constexpr auto compute = CUBLAS_COMPUTE_32F;
  constexpr auto any = CUBLAS_GEMM_DEFAULT;
  const float one = 1;
  const Device<float> c(std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(cublasGemmEx(handle, plain, plain, 0, 4, 4, none, none, f32, 4, none, f32, 4, none, none, f32, 4,
                         compute, any),
            good);
  EXPECT_EQ(cublasGemmEx(handle, plain, plain, 2, 2, 0, none, none, f32, 2, none, f32, 2, &one, c.get(), f32,
                         2, compute, any),
            good);
  EXPECT_EQ(cublasGemmBatchedEx(handle, plain, plain, 4, 4, 4, none, nullptr, f32, 4, nullptr, f32, 4, none,
                                nullptr, f32, 4, 0, compute, any),
            good);
  EXPECT_EQ(cublasGemmStridedBatchedEx(handle, plain, plain, 0, 4, 4, none, nullptr, f32, 4, 0, nullptr, f32,
                                       4, 0, none, nullptr, f32, 4, 0, 1, compute, any),
            good);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(c.read(), (std::vector<float>{1, 2, 3, 4}));
}

// 0 times what is not a number leaves y.
TEST_F(CublasNothing, ByAlphaOfZero) {
  const float zero = 0;
  const Device<float> x(std::vector<float>(4, NAN)), y(std::vector<float>{1, 2, 3, 4});
  EXPECT_EQ(cublasSaxpy(handle, 4, &zero, x.get(), 1, y.get(), 1), good);
  EXPECT_EQ(cublasSaxpy(handle, 4, &zero, none, 1, none, 1), good);
  const float nothing[5] = {-2, 0, 0, 0, 0};
  EXPECT_EQ(cublasSrotm(handle, 4, none, 1, none, 1, nothing), good);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(y.read(), (std::vector<float>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace heddle::libs_test
