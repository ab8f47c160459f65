// Memory pools by the driver API: which one is a device's, and which devices may use one.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace heddle::cu {
namespace {

class Pools : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context_, 0, 0), CUDA_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cuCtxDestroy_v2(context_), CUDA_SUCCESS); }
  static CUmemoryPool create(CUmemAllocationHandleType handles = CU_MEM_HANDLE_TYPE_NONE) {
    CUmemPoolProps properties{};
    properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.handleTypes = handles;
    properties.location = on_device(0);
    CUmemoryPool pool = nullptr;
    EXPECT_EQ(cuMemPoolCreate(&pool, &properties), CUDA_SUCCESS);
    return pool;
  }
  static CUmemLocation on_device(int device) {
    CUmemLocation location{};
    location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    location.id = device;
    return location;
  }

  CUcontext context_ = nullptr;
};

TEST_F(Pools, ADeviceHasOneByDefaultAndOneThatIsCurrent) {
  const CUmemAllocationType pinned = CU_MEM_ALLOCATION_TYPE_PINNED;
  CUmemLocation device = on_device(0);
  CUmemoryPool by_default = nullptr, now = nullptr, same = nullptr;
  ASSERT_EQ(cuMemGetDefaultMemPool(&by_default, &device, pinned), CUDA_SUCCESS);
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&same, 0), CUDA_SUCCESS);
  EXPECT_EQ(by_default, same);
  const CUmemoryPool own = create();
  EXPECT_EQ(cuMemSetMemPool(&device, pinned, own), CUDA_SUCCESS);
  ASSERT_EQ(cuMemGetMemPool(&now, &device, pinned), CUDA_SUCCESS);
  EXPECT_EQ(now, own);
  ASSERT_EQ(cuDeviceGetMemPool(&now, 0), CUDA_SUCCESS);
  EXPECT_EQ(now, own);
  EXPECT_EQ(cuMemSetMemPool(&device, CU_MEM_ALLOCATION_TYPE_MANAGED, own), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuMemPoolDestroy(own), CUDA_SUCCESS);
  ASSERT_EQ(cuMemGetMemPool(&now, &device, pinned), CUDA_SUCCESS);
  EXPECT_EQ(now, by_default);
  EXPECT_EQ(cuMemSetMemPool(&device, pinned, own), CUDA_ERROR_INVALID_VALUE);
  device.id = 7;
  EXPECT_EQ(cuMemGetMemPool(&now, &device, pinned), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Pools, TheirOwnDeviceMayUseThem) {
  const CUmemoryPool pool = create();
  CUmemLocation device = on_device(0);
  CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  ASSERT_EQ(cuMemPoolGetAccess(&access, pool, &device), CUDA_SUCCESS);
  EXPECT_EQ(access, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  CUmemAccessDesc right{};
  right.location = device;
  right.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  EXPECT_EQ(cuMemPoolSetAccess(pool, &right, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolSetAccess(pool, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  right.flags = static_cast<CUmemAccess_flags>(2);
  EXPECT_EQ(cuMemPoolSetAccess(pool, &right, 1), CUDA_ERROR_INVALID_VALUE);
  right.location.type = CU_MEM_LOCATION_TYPE_HOST;
  EXPECT_EQ(cuMemPoolSetAccess(pool, &right, 1), CUDA_ERROR_INVALID_VALUE);
  right.location = on_device(9);
  EXPECT_EQ(cuMemPoolSetAccess(pool, &right, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
}

TEST_F(Pools, AllocationsOfACaptureAreTheGraphs) {
  CUstream stream = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUmemoryPool pool = create();
  for (const bool of_pool : {false, true}) {
    ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    CUdeviceptr memory = 0;
    EXPECT_EQ(
        of_pool ? cuMemAllocFromPoolAsync(&memory, 64, pool, stream) : cuMemAllocAsync(&memory, 64, stream),
        CUDA_SUCCESS);
    EXPECT_NE(memory, 0U);
    EXPECT_EQ(cuMemsetD32Async(memory, 41, 16, stream), CUDA_SUCCESS);
    std::array<unsigned, 16> host{};
    EXPECT_EQ(cuMemcpyDtoHAsync_v2(host.data(), memory, 64, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
    CUgraph graph = nullptr;
    ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    size_t nodes = 0;
    EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &nodes), CUDA_SUCCESS);
    EXPECT_EQ(nodes, 4U);
    EXPECT_EQ(host[15], 0U);
    CUgraphExec exec = nullptr;
    ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(host[0] + host[15], 82U);
    EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

TEST_F(Pools, ADescriptorStandsForOne) {
  const CUmemoryPool pool = create(CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  int descriptor = -1;
  ASSERT_EQ(cuMemPoolExportToShareableHandle(&descriptor, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_SUCCESS);
  const auto as_handle = [](int number) { return reinterpret_cast<void*>(static_cast<intptr_t>(number)); };
  CUmemoryPool imported = nullptr;
  ASSERT_EQ(cuMemPoolImportFromShareableHandle(&imported, as_handle(descriptor),
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_SUCCESS);
  close(descriptor);
  EXPECT_EQ(cuMemPoolImportFromShareableHandle(&imported, as_handle(STDOUT_FILENO),
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_INVALID_VALUE);
  // Physical memory has descriptors as well, which are no pools.
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = on_device(0);
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  CUmemGenericAllocationHandle memory = 0;
  ASSERT_EQ(cuMemCreate(&memory, std::size_t{2} << 20, &properties, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemExportToShareableHandle(&descriptor, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_SUCCESS);
  CUmemoryPool wrong = nullptr;
  EXPECT_EQ(cuMemPoolImportFromShareableHandle(&wrong, as_handle(descriptor),
                                               CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_INVALID_VALUE);
  close(descriptor);
  EXPECT_EQ(cuMemRelease(memory), CUDA_SUCCESS);
  CUdeviceptr address = 0, there = 0;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&address, 64, pool, nullptr), CUDA_SUCCESS);
  CUmemPoolPtrExportData data{};
  ASSERT_EQ(cuMemPoolExportPointer(&data, address), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolExportPointer(&data, address + 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemPoolImportPointer(&there, pool, &data), CUDA_ERROR_INVALID_VALUE);  // is not imported
  CUcontext context = nullptr;
  ASSERT_EQ(cuCtxPopCurrent_v2(&context), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolImportPointer(&there, imported, &data), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPushCurrent_v2(context), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(there), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(imported), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPoolDestroy(pool), CUDA_SUCCESS);
}

}  // namespace
}  // namespace heddle::cu
