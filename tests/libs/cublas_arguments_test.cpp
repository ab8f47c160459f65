// What cuBLAS answers where there is nothing to do. Each status is an H200's (driver 580, CUDA 13.0): with a
// size of 0 it looks at nothing else, so that all pointers may be NULL.
#include <cublas_v2.h>

#include "testing.h"

namespace heddle::libs_test {
namespace {

constexpr auto good = CUBLAS_STATUS_SUCCESS;
constexpr float* none = nullptr;
constexpr cuComplex* no_complex = nullptr;

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

}  // namespace
}  // namespace heddle::libs_test
