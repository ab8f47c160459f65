// Every implemented function of the driver API with one bad argument.
#include <gtest/gtest.h>

#include "api/cuda/bad_arguments.gen.h"
#include "api/cuda_state/testing.h"

namespace heddle::cu {
namespace {

class BadArguments : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(::cuCtxCreate_v2(&context_, 0, 0), CUDA_SUCCESS);
  }
  cuda::TestProcess process_;
  CUcontext context_ = nullptr;
};

TEST_F(BadArguments, NullPointersAreInvalidValues) {
  for (const BadArgument& bad : null_arguments)
    EXPECT_EQ(bad.call(), CUDA_ERROR_INVALID_VALUE) << bad.function << ": " << bad.parameter << " is NULL";
}

TEST_F(BadArguments, HandlesThatAreNoneAreRefused) {
  for (const BadArgument& bad : wrong_handles) {
    const CUresult result = bad.call();
    const bool refused = result == CUDA_ERROR_INVALID_HANDLE || result == CUDA_ERROR_INVALID_CONTEXT ||
                         result == CUDA_ERROR_INVALID_VALUE;
    EXPECT_TRUE(refused) << bad.function << ": wrong " << bad.parameter << ": " << result;
  }
}

TEST(BeforeInit, NothingWorks) {
  const cuda::TestProcess process;
  int count = 0;
  EXPECT_EQ(::cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(::cuDriverGetVersion(&count), CUDA_SUCCESS);
  EXPECT_EQ(::cuInit(1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(::cuDeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(::cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(::cuDeviceGetCount(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);
  CUcontext context = nullptr;
  EXPECT_EQ(::cuCtxGetCurrent(&context), CUDA_SUCCESS);
  EXPECT_EQ(context, nullptr);
  CUdeviceptr memory = 0;
  EXPECT_EQ(::cuMemAlloc_v2(&memory, 4), CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace
}  // namespace heddle::cu
