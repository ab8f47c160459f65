// Libraries of the runtime API, and kernels by their handles.
#include "api/cudart/testing.h"

namespace heddle::cudart {
namespace {

class Libraries : public RuntimeApi {
 protected:
  cudaLibrary_t load() {
    cudaLibrary_t library = nullptr;
    EXPECT_EQ(cudaLibraryLoadData(&library, test_program, nullptr, nullptr, 0, nullptr, nullptr, 0),
              cudaSuccess);
    return library;
  }
};

TEST_F(Libraries, KernelsAreLaunchedByTheirHandles) {
  const cudaLibrary_t library = load();
  cudaKernel_t add = nullptr;
  ASSERT_EQ(cudaLibraryGetKernel(&add, library, "add"), cudaSuccess);
  int* data = device_ints({1, 2});
  int what = 40;
  void* args[] = {&data, &what};
  ASSERT_EQ(cudaLaunchKernel(add, dim3(1), dim3(2), args, 0, nullptr), cudaSuccess);
  EXPECT_EQ(ints(data, 2), (std::vector{41, 42}));
  EXPECT_EQ(cudaKernelSetAttributeForDevice(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000, 0),
            cudaSuccess);
  EXPECT_EQ(cudaKernelSetAttributeForDevice(add, cudaFuncAttributeMaxDynamicSharedMemorySize, -1, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaKernelSetAttributeForDevice(add, cudaFuncAttributeMaxDynamicSharedMemorySize, 0, 2),
            cudaErrorInvalidDevice);
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
  EXPECT_EQ(cudaLibraryUnload(library), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaLibraryGetKernel(&add, library, "add"), cudaErrorInvalidResourceHandle);
  EXPECT_NE(cudaLaunchKernel(add, dim3(1), dim3(2), args, 0, nullptr), cudaSuccess);
}

TEST_F(Libraries, KernelsAndVariablesAreListed) {
  const cudaLibrary_t library = load();
  unsigned count = 0;
  ASSERT_EQ(cudaLibraryGetKernelCount(&count, library), cudaSuccess);
  ASSERT_EQ(count, 2U);
  cudaKernel_t kernels[3] = {};
  EXPECT_EQ(cudaLibraryEnumerateKernels(kernels, 3, library), cudaSuccess);
  EXPECT_NE(kernels[1], nullptr);
  EXPECT_EQ(kernels[2], nullptr);
  cudaKernel_t add = nullptr;
  ASSERT_EQ(cudaLibraryGetKernel(&add, library, "add"), cudaSuccess);
  EXPECT_TRUE(add == kernels[0] || add == kernels[1]);

  void* counter = nullptr;
  size_t bytes = 0;
  EXPECT_EQ(cudaLibraryGetGlobal(&counter, &bytes, library, "counter"), cudaSuccess);
  EXPECT_EQ(bytes, 16U);
  EXPECT_EQ(cudaMemset(counter, 0, bytes), cudaSuccess);
  EXPECT_EQ(cudaLibraryGetGlobal(nullptr, nullptr, library, "counter"), cudaErrorInvalidValue);
  EXPECT_EQ(cudaLibraryGetGlobal(&counter, &bytes, library, "none"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetManaged(&counter, &bytes, library, "counter"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetKernel(&add, library, "counter"), cudaErrorSymbolNotFound);
  EXPECT_EQ(cudaLibraryGetUnifiedFunction(&counter, library, "add"), cudaErrorSymbolNotFound);
}

TEST_F(Libraries, BadOnesAreRefused) {
  cudaLibrary_t library = nullptr;
  EXPECT_EQ(cudaLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaLibraryLoadData(&library, "no program", nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorInvalidKernelImage);
  EXPECT_EQ(cudaLibraryLoadFromFile(&library, "/nowhere.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaErrorFileNotFound);
  EXPECT_EQ(cudaLibraryLoadData(&library, test_program, nullptr, nullptr, 1, nullptr, nullptr, 0),
            cudaErrorInvalidValue);
  auto option = static_cast<cudaLibraryOption>(7);
  void* value = nullptr;
  EXPECT_EQ(cudaLibraryLoadData(&library, test_program, nullptr, nullptr, 0, &option, &value, 1),
            cudaErrorInvalidValue);
}

TEST_F(Libraries, AttributesThatAClusterNeeds) {
  EXPECT_EQ(cudaFuncSetAttribute(&add_stub, cudaFuncAttributeRequiredClusterWidth, 2), cudaSuccess);
  int* data = device_ints({1});
  EXPECT_EQ(add(data, 1, 1), cudaErrorInvalidValue) << "two sides of the cluster are 0";
  EXPECT_EQ(cudaFuncSetAttribute(&add_stub, cudaFuncAttributeRequiredClusterHeight, 1), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(&add_stub, cudaFuncAttributeRequiredClusterDepth, 1), cudaSuccess);
  EXPECT_EQ(add(data, 1, 1), cudaErrorInvalidClusterSize) << "one block is no whole cluster";
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &add_stub), cudaSuccess);
  EXPECT_EQ(attributes.requiredClusterWidth, 2);
  EXPECT_EQ(cudaFuncSetAttribute(&add_stub, cudaFuncAttributeClusterSchedulingPolicyPreference, 3),
            cudaErrorInvalidValue);
}

}  // namespace
}  // namespace heddle::cudart
