// Virtual memory management as a program uses it.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "api/cuda_state/testing.h"

namespace heddle::cu {
namespace {

constexpr std::size_t unit = std::size_t{2} << 20;

constexpr const char* program = R"(
.version 8.0
.target sm_70
.address_size 64
.visible .entry increment(.param .u64 word) {
  .reg .u64 %a;
  .reg .u32 %r;
  ld.param.u64 %a, [word];
  ld.global.u32 %r, [%a];
  add.u32 %r, %r, 1;
  st.global.u32 [%a], %r;
  ret;
}
.visible .entry look(.param .u64 word) {
  .reg .u64 %a;
  .reg .u32 %r;
  ld.param.u64 %a, [word];
  ld.global.u32 %r, [%a];
  ret;
}
)";

class VirtualMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context_, 0, 0), CUDA_SUCCESS);
  }
  static CUmemAllocationProp on_device(int device,
                                       CUmemAllocationHandleType handles = CU_MEM_HANDLE_TYPE_NONE) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    properties.requestedHandleTypes = handles;
    return properties;
  }
  static CUmemGenericAllocationHandle create(const CUmemAllocationProp& properties,
                                             std::size_t bytes = unit) {
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_EQ(cuMemCreate(&handle, bytes, &properties, 0), CUDA_SUCCESS);
    return handle;
  }
  static CUdeviceptr reserve(std::size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAddressReserve(&address, bytes, 0, 0, 0), CUDA_SUCCESS);
    return address;
  }
  static CUresult open(CUdeviceptr address, std::size_t bytes, int device,
                       CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
    const CUmemAccessDesc right = {{CU_MEM_LOCATION_TYPE_DEVICE, device}, flags};
    return cuMemSetAccess(address, bytes, &right, 1);
  }
  // In a context of its own on the device, which a fault ends.
  static CUresult run(const char* kernel, CUdeviceptr word, int device = 0) {
    CUcontext context = nullptr;
    EXPECT_EQ(cuCtxCreate_v2(&context, 0, device), CUDA_SUCCESS);
    CUmodule module_ = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleLoadData(&module_, program), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module_, kernel), CUDA_SUCCESS);
    void* arguments[] = {&word};
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
    const CUresult result = cuCtxSynchronize();
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
    return result;
  }
  static unsigned word_at(CUdeviceptr address) {
    unsigned word = ~0U;
    EXPECT_EQ(cuMemcpyDtoH_v2(&word, address, sizeof word), CUDA_SUCCESS);
    return word;
  }

  cuda::TestProcess process_{{"h200", "h200"}};
  CUcontext context_ = nullptr;
};

TEST_F(VirtualMemory, PiecesFollowEachOtherAndAreCopiedAsOne) {
  const CUdeviceptr address = reserve(4 * unit);
  const auto first = create(on_device(0)), second = create(on_device(1), 2 * unit);
  ASSERT_EQ(cuMemMap(address, unit, 0, first, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemMap(address + unit, 2 * unit, 0, second, 0), CUDA_SUCCESS);
  // The mapping keeps the memory.
  EXPECT_EQ(cuMemRelease(first), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(first), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(open(address, 3 * unit, 0), CUDA_SUCCESS);

  std::vector<unsigned> words(3 * unit / 4), back(words.size());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<unsigned>(i * 2654435761U);
  ASSERT_EQ(cuMemcpyHtoD_v2(address, words.data(), 3 * unit), CUDA_SUCCESS);
  EXPECT_EQ(run("increment", address + unit - 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH_v2(back.data(), address, 3 * unit), CUDA_SUCCESS);
  ++words[unit / 4 - 1];
  EXPECT_TRUE(words == back);
  // Behind the pieces there is nothing.
  EXPECT_EQ(cuMemcpyDtoH_v2(back.data(), address + 4, 3 * unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8_v2(address + 3 * unit, 0, 1), CUDA_ERROR_INVALID_VALUE);

  EXPECT_EQ(cuMemAddressFree(address, 4 * unit), CUDA_ERROR_INVALID_VALUE);  // something is mapped
  EXPECT_EQ(cuMemUnmap(address, 2 * unit), CUDA_ERROR_INVALID_VALUE);        // the second one in half
  EXPECT_EQ(cuMemUnmap(address, 3 * unit), CUDA_SUCCESS);
  EXPECT_EQ(cuMemUnmap(address, 3 * unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(address, unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(address, 4 * unit), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAddressFree(address, 4 * unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRelease(second), CUDA_SUCCESS);
}

TEST_F(VirtualMemory, OnlyWhoHasTheRightTouchesIt) {
  const CUdeviceptr address = reserve(unit);
  const auto memory = create(on_device(0));
  ASSERT_EQ(cuMemMap(address, unit, 0, memory, 0), CUDA_SUCCESS);
  EXPECT_EQ(run("look", address), CUDA_ERROR_ILLEGAL_ADDRESS);
  unsigned word = 7;
  EXPECT_EQ(cuMemcpyDtoH_v2(&word, address, 4), CUDA_ERROR_INVALID_VALUE);

  ASSERT_EQ(open(address, unit, 0), CUDA_SUCCESS);
  EXPECT_EQ(run("increment", address), CUDA_SUCCESS);
  EXPECT_EQ(word_at(address), 1U);
  EXPECT_EQ(run("look", address, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(open(address, unit, 1, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_SUCCESS);
  EXPECT_EQ(run("look", address, 1), CUDA_SUCCESS);
  EXPECT_EQ(run("increment", address, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(run("increment", address), CUDA_SUCCESS);

  unsigned long long flags = 0;
  CUmemLocation location = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
  EXPECT_EQ(cuMemGetAccess(&flags, &location, address + 5), CUDA_SUCCESS);
  EXPECT_EQ(flags, static_cast<unsigned long long>(CU_MEM_ACCESS_FLAGS_PROT_READ));

  ASSERT_EQ(open(address, unit, 0, CU_MEM_ACCESS_FLAGS_PROT_NONE), CUDA_SUCCESS);
  EXPECT_EQ(run("look", address), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(word_at(address), 2U);  // the other device still reads
  EXPECT_EQ(cuMemsetD32_v2(address, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemUnmap(address, unit), CUDA_SUCCESS);
  EXPECT_EQ(run("look", address, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuMemGetAccess(&flags, &location, address), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(VirtualMemory, ContextsMadeLaterHaveTheirDevicesRights) {
  const CUdeviceptr address = reserve(unit);
  ASSERT_EQ(cuMemMap(address, unit, 0, create(on_device(1)), 0), CUDA_SUCCESS);
  ASSERT_EQ(open(address, unit, 1), CUDA_SUCCESS);
  EXPECT_EQ(run("increment", address, 1), CUDA_SUCCESS);
  EXPECT_EQ(run("increment", address, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(VirtualMemory, OneMemoryHasTwoAddresses) {
  const auto memory = create(on_device(0));
  const CUdeviceptr one = reserve(unit), two = reserve(unit);
  for (const CUdeviceptr address : {one, two}) {
    ASSERT_EQ(cuMemMap(address, unit, 0, memory, 0), CUDA_SUCCESS);
    ASSERT_EQ(open(address, unit, 0), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuMemsetD32_v2(one + 64, 41, 1), CUDA_SUCCESS);
  EXPECT_EQ(run("increment", two + 64), CUDA_SUCCESS);
  EXPECT_EQ(word_at(one + 64), 42U);

  CUmemGenericAllocationHandle again = 0;
  EXPECT_EQ(cuMemRetainAllocationHandle(&again, reinterpret_cast<void*>(two + 100)), CUDA_SUCCESS);
  EXPECT_EQ(again, memory);
  EXPECT_EQ(cuMemRelease(memory), CUDA_SUCCESS);
  CUmemAllocationProp properties{};
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&properties, again), CUDA_SUCCESS);
  EXPECT_EQ(properties.location.type, CU_MEM_LOCATION_TYPE_DEVICE);
  EXPECT_EQ(cuMemRelease(again), CUDA_SUCCESS);
  EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&properties, again), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(VirtualMemory, ADescriptorLeadsToTheSameMemory) {
  const auto memory = create(on_device(0, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  int descriptor = -1;
  ASSERT_EQ(cuMemExportToShareableHandle(&descriptor, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_SUCCESS);
  CUmemGenericAllocationHandle other = 0;
  const auto as_pointer = [](int number) { return reinterpret_cast<void*>(static_cast<uintptr_t>(number)); };
  ASSERT_EQ(cuMemImportFromShareableHandle(&other, as_pointer(descriptor),
                                           CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
            CUDA_SUCCESS);
  EXPECT_EQ(close(descriptor), 0);
  EXPECT_NE(memory, other);
  const CUdeviceptr one = reserve(unit), two = reserve(unit);
  ASSERT_EQ(cuMemMap(one, unit, 0, memory, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemMap(two, unit, 0, other, 0), CUDA_SUCCESS);
  ASSERT_EQ(open(one, unit, 0), CUDA_SUCCESS);
  ASSERT_EQ(open(two, unit, 1), CUDA_SUCCESS);
  EXPECT_EQ(run("increment", one, 0), CUDA_SUCCESS);
  EXPECT_EQ(run("increment", two, 1), CUDA_SUCCESS);
  EXPECT_EQ(word_at(one), 2U);

  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  EXPECT_EQ(
      cuMemImportFromShareableHandle(&other, as_pointer(pipes[0]), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemImportFromShareableHandle(&other, as_pointer(-1), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
            CUDA_ERROR_INVALID_VALUE);
  close(pipes[0]);
  close(pipes[1]);
  EXPECT_EQ(cuMemExportToShareableHandle(&descriptor, create(on_device(0)),
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_INVALID_VALUE);
}

// Processes may see other devices of the host (CUDA_VISIBLE_DEVICES), and the same one under another number.
TEST_F(VirtualMemory, ItsDeviceIsTheSameOneInEveryProcess) {
  const auto memory = create(on_device(1, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  int descriptor = -1;
  ASSERT_EQ(cuMemExportToShareableHandle(&descriptor, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_SUCCESS);
  CUmemPoolProps of_pool{};
  of_pool.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  of_pool.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  of_pool.location = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
  CUmemoryPool pool = nullptr;
  int pool_descriptor = -1;
  ASSERT_EQ(cuMemPoolCreate(&pool, &of_pool), CUDA_SUCCESS);
  ASSERT_EQ(
      cuMemPoolExportToShareableHandle(&pool_descriptor, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
      CUDA_SUCCESS);
  const auto import = [&](CUmemGenericAllocationHandle* handle) {
    return cuMemImportFromShareableHandle(handle, reinterpret_cast<void*>(static_cast<uintptr_t>(descriptor)),
                                          CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  };
  const auto import_pool = [&](CUmemoryPool* other) {
    return cuMemPoolImportFromShareableHandle(
        other, reinterpret_cast<void*>(static_cast<uintptr_t>(pool_descriptor)),
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
  };
  CUmemGenericAllocationHandle other = 0;
  CUmemoryPool other_pool = nullptr;
  {
    const cuda::TestProcess sees_the_second{{"h200"}, false, {1}};
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(import(&other), CUDA_SUCCESS);
    CUmemAllocationProp properties{};
    ASSERT_EQ(cuMemGetAllocationPropertiesFromHandle(&properties, other), CUDA_SUCCESS);
    EXPECT_EQ(properties.location.id, 0);
    const CUdeviceptr address = reserve(unit);
    ASSERT_EQ(cuMemMap(address, unit, 0, other, 0), CUDA_SUCCESS);
    int ordinal = -1;
    EXPECT_EQ(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address), CUDA_SUCCESS);
    EXPECT_EQ(ordinal, 0);
    EXPECT_EQ(import_pool(&other_pool), CUDA_SUCCESS);
  }
  const cuda::TestProcess sees_the_first{{"h200"}, false, {0}};
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(import(&other), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(import_pool(&other_pool), CUDA_ERROR_INVALID_DEVICE);
  close(descriptor);
  close(pool_descriptor);
}

TEST_F(VirtualMemory, MemoryIsCountedUntilNothingHasIt) {
  std::size_t before = 0, during = 0, after = 0, total = 0;
  ASSERT_EQ(cuMemGetInfo_v2(&before, &total), CUDA_SUCCESS);
  const auto memory = create(on_device(0), 8 * unit);
  const CUdeviceptr address = reserve(8 * unit);
  ASSERT_EQ(cuMemMap(address, 8 * unit, 0, memory, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(memory), CUDA_SUCCESS);
  ASSERT_EQ(cuMemGetInfo_v2(&during, &total), CUDA_SUCCESS);
  EXPECT_EQ(before - during, 8 * unit);
  EXPECT_EQ(cuMemUnmap(address, 8 * unit), CUDA_SUCCESS);
  ASSERT_EQ(cuMemGetInfo_v2(&after, &total), CUDA_SUCCESS);
  EXPECT_EQ(after, before);
  const CUmemAllocationProp properties = on_device(0);
  CUmemGenericAllocationHandle too_large = 0;
  EXPECT_EQ(cuMemCreate(&too_large, (total / unit + 1) * unit, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
}

TEST_F(VirtualMemory, MemoryOfTheHostCanBeMappedToo) {
  CUmemAllocationProp properties = on_device(0);
  properties.location = {CU_MEM_LOCATION_TYPE_HOST, 0};
  const CUdeviceptr address = reserve(unit);
  ASSERT_EQ(cuMemMap(address, unit, 0, create(properties), 0), CUDA_SUCCESS);
  const CUmemAccessDesc rights[] = {
      {{CU_MEM_LOCATION_TYPE_HOST, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
      {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
  };
  ASSERT_EQ(cuMemSetAccess(address, unit, rights, 2), CUDA_SUCCESS);
  auto* const word = reinterpret_cast<unsigned*>(address);
  *word = 10;
  EXPECT_EQ(run("increment", address), CUDA_SUCCESS);
  EXPECT_EQ(*word, 11U);
  // Not that of a device.
  const CUdeviceptr other = reserve(unit);
  ASSERT_EQ(cuMemMap(other, unit, 0, create(on_device(0)), 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemSetAccess(other, unit, rights, 2), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(VirtualMemory, PointersTellWhatIsMapped) {
  const CUdeviceptr address = reserve(2 * unit);
  ASSERT_EQ(cuMemMap(address + unit, unit, 0, create(on_device(1)), 0), CUDA_SUCCESS);
  int mapped = -1, device = -1;
  EXPECT_EQ(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, address), CUDA_SUCCESS);
  EXPECT_EQ(mapped, 0);
  EXPECT_EQ(cuPointerGetAttribute(&mapped, CU_POINTER_ATTRIBUTE_MAPPED, address + unit), CUDA_SUCCESS);
  EXPECT_EQ(mapped, 1);
  EXPECT_EQ(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address + unit),
            CUDA_SUCCESS);
  EXPECT_EQ(device, 1);
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &bytes, address + unit + 7), CUDA_SUCCESS);
  EXPECT_EQ(base, address + unit);
  EXPECT_EQ(bytes, unit);
  EXPECT_EQ(cuMemGetAddressRange_v2(&base, &bytes, address), CUDA_ERROR_NOT_FOUND);
}

TEST_F(VirtualMemory, AddressesAreWhereTheyAreWishedIfTheyCan) {
  const CUdeviceptr first = reserve(unit);
  ASSERT_EQ(cuMemAddressFree(first, unit), CUDA_SUCCESS);
  CUdeviceptr again = 0, elsewhere = 0, aligned = 0;
  ASSERT_EQ(cuMemAddressReserve(&again, unit, 0, first, 0), CUDA_SUCCESS);
  EXPECT_EQ(again, first);
  ASSERT_EQ(cuMemAddressReserve(&elsewhere, unit, 0, first, 0), CUDA_SUCCESS);
  EXPECT_NE(elsewhere, first);
  ASSERT_EQ(cuMemAddressReserve(&aligned, unit, 64 * unit, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(aligned % (64 * unit), 0U);
}

TEST_F(VirtualMemory, RefusesWhatCannotBe) {
  CUdeviceptr address = 0;
  EXPECT_EQ(cuMemAddressReserve(&address, 0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&address, unit + 1, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&address, unit, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&address, unit, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressReserve(&address, std::size_t{1} << 60, 0, 0, 0), CUDA_ERROR_OUT_OF_MEMORY);

  CUmemGenericAllocationHandle handle = 0;
  CUmemAllocationProp properties = on_device(0);
  EXPECT_EQ(cuMemCreate(&handle, unit / 2, &properties, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemCreate(&handle, unit, nullptr, 0), CUDA_ERROR_INVALID_VALUE);
  properties.location.id = 2;
  EXPECT_EQ(cuMemCreate(&handle, unit, &properties, 0), CUDA_ERROR_INVALID_DEVICE);
  properties = on_device(0, CU_MEM_HANDLE_TYPE_FABRIC);
  EXPECT_EQ(cuMemCreate(&handle, unit, &properties, 0), CUDA_ERROR_NOT_SUPPORTED);
  properties.type = CU_MEM_ALLOCATION_TYPE_INVALID;
  EXPECT_EQ(cuMemCreate(&handle, unit, &properties, 0), CUDA_ERROR_INVALID_VALUE);

  handle = create(on_device(0));
  address = reserve(2 * unit);
  EXPECT_EQ(cuMemMap(address, 2 * unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);     // more than there is
  EXPECT_EQ(cuMemMap(address + 4096, unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);  // between two units
  EXPECT_EQ(cuMemMap(address + 2 * unit, unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);  // behind the end
  EXPECT_EQ(cuMemMap(address, unit, unit, handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(address, unit, 0, handle + 16, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemMap(address, unit, 0, handle, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(address, unit, 0, handle, 0), CUDA_ERROR_INVALID_VALUE);  // mapped already
  EXPECT_EQ(open(address, 2 * unit, 0), CUDA_ERROR_INVALID_VALUE);             // the second half is not
  EXPECT_EQ(open(address, unit, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(open(address, unit, 0, static_cast<CUmemAccess_flags>(2)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(address), CUDA_ERROR_INVALID_VALUE);

  CUdeviceptr ordinary = 0;
  ASSERT_EQ(cuMemAlloc_v2(&ordinary, 2 * unit), CUDA_SUCCESS);
  EXPECT_EQ(cuMemUnmap(ordinary, 2 * unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAddressFree(ordinary, 2 * unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemRetainAllocationHandle(&handle, reinterpret_cast<void*>(ordinary)),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace heddle::cu
