// Programs that use both APIs in one process.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "api/cuda_state/testing.h"

namespace heddle::shared {
namespace {

TEST(BothApis, TheRuntimeFindsFunctionsOfTheDriver) {
  const cuda::TestProcess process;
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  ASSERT_EQ(cudaGetDriverEntryPoint("cuDeviceGetCount", &function, cudaEnableDefault, &found), cudaSuccess);
  ASSERT_EQ(found, cudaDriverEntryPointSuccess);
  int count = 0;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(reinterpret_cast<CUresult (*)(int*)>(function)(&count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1);

  EXPECT_EQ(cudaGetDriverEntryPoint("cuNothing", &function, cudaEnableDefault, &found), cudaSuccess);
  EXPECT_EQ(found, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(cudaGetDriverEntryPoint("cuNothing", &function, cudaEnableDefault, nullptr),
            cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuGraphAddNode", &function, 11000, cudaEnableDefault, &found),
            cudaSuccess);
  EXPECT_EQ(found, cudaDriverEntryPointVersionNotSufficent);
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuInit", &function, 12000, 3, &found), cudaErrorInvalidValue);
}

TEST(BothApis, OldAndNewVersionsAreFoundByVersion) {
  const cuda::TestProcess process;
  void *old_alloc = nullptr, *new_alloc = nullptr, *own_stream = nullptr, *legacy = nullptr;
  ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuMemAlloc", &old_alloc, 2000, cudaEnableDefault, nullptr),
            cudaSuccess);
  ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuMemAlloc", &new_alloc, 12000, cudaEnableDefault, nullptr),
            cudaSuccess);
  EXPECT_NE(old_alloc, new_alloc);
  ASSERT_EQ(cudaGetDriverEntryPoint("cuLaunchKernel", &legacy, cudaEnableLegacyStream, nullptr), cudaSuccess);
  ASSERT_EQ(cudaGetDriverEntryPoint("cuLaunchKernel", &own_stream, cudaEnablePerThreadDefaultStream, nullptr),
            cudaSuccess);
  EXPECT_NE(legacy, own_stream);
}

}  // namespace
}  // namespace heddle::shared
