// Functions of CUDA 3.1 and before, whose addresses and sizes have 32 bits, under the names that they are
// exported by.
#define __CUDA_API_VERSION_INTERNAL
#define CUDA_ENABLE_DEPRECATED
#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "api/cuda_state/testing.h"

namespace heddle::cu {
namespace {

constexpr const char* program = R"(
.version 6.0
.target sm_20
.address_size 64
.global .align 4 .u32 counter = 5;
.visible .entry triple(.param .u64 words) {
  .reg .u64 %a, %o;
  .reg .u32 %r, %t;
  ld.param.u64 %a, [words];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %o, %t, 4;
  add.u64 %a, %a, %o;
  ld.global.u32 %r, [%a];
  mul.lo.u32 %r, %r, 3;
  st.global.u32 [%a], %r;
  ret;
}
)";

class VersionOne : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(::cuCtxCreate(&context_, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc(&words_, 64), CUDA_SUCCESS);
    std::iota(host_.begin(), host_.end(), 1U);
  }
  void TearDown() override { EXPECT_EQ(cuCtxDestroy(context_), CUDA_SUCCESS); }
  cuda::TestProcess process_;
  CUcontext context_ = nullptr;
  CUdeviceptr_v1 words_ = 0;
  std::array<unsigned int, 16> host_{}, back_{};
};

TEST_F(VersionOne, MemoryHasAddressesOf32BitsThatKernelsUse) {
  CUmodule module = nullptr;
  CUfunction triple = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, program), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&triple, module, "triple"), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD(words_, host_.data(), 64), CUDA_SUCCESS);
  const uint64_t parameter = words_;
  ASSERT_EQ(cuFuncSetBlockShape(triple, 16, 1, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuParamSetSize(triple, sizeof parameter), CUDA_SUCCESS);
  ASSERT_EQ(cuParamSetv(triple, 0, const_cast<uint64_t*>(&parameter), sizeof parameter), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunch(triple), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoH(back_.data(), words_, 64), CUDA_SUCCESS);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(back_[i], 3 * (i + 1));

  CUdeviceptr_v1 base = 0;
  unsigned int bytes = 0;
  EXPECT_EQ(cuMemGetAddressRange(&base, &bytes, words_ + 8), CUDA_SUCCESS);
  EXPECT_EQ(base, words_);
  EXPECT_EQ(bytes, 64U);
  EXPECT_EQ(cuMemFree(words_), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoH(back_.data(), words_, 64), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(VersionOne, AllOfTheContextsMemoryHasAddressesOf32Bits) {
  unsigned int version = 0;
  EXPECT_EQ(cuCtxGetApiVersion(context_, &version), CUDA_SUCCESS);
  EXPECT_EQ(version, 3010U);
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, program), CUDA_SUCCESS);
  CUdeviceptr_v1 counter = 0;
  unsigned int bytes = 0, value = 0;
  ASSERT_EQ(cuModuleGetGlobal(&counter, &bytes, module, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4U);
  EXPECT_EQ(cuMemcpyDtoH(&value, counter, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 5U);
  EXPECT_EQ(cuModuleGetGlobal(nullptr, nullptr, module, "counter"), CUDA_ERROR_INVALID_VALUE);
  void* pinned = nullptr;
  CUdeviceptr_v1 mapped = 0;
  ASSERT_EQ(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostGetDevicePointer(&mapped, pinned, 0), CUDA_SUCCESS);
  EXPECT_EQ(mapped, reinterpret_cast<uint64_t>(pinned));
  EXPECT_EQ(cuMemFreeHost(pinned), CUDA_SUCCESS);
  unsigned int free = 0, total = 0;
  EXPECT_EQ(cuMemGetInfo(&free, &total), CUDA_SUCCESS);
  EXPECT_EQ(total, 0xffffffffU);  // an H200 has more than that
}

// As measured on an H200.
TEST_F(VersionOne, ContextsOfVersionTwoAreNotForIt) {
  CUcontext context = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  unsigned int version = 0, free = 0, total = 0;
  EXPECT_EQ(cuCtxGetApiVersion(context, &version), CUDA_SUCCESS);
  EXPECT_EQ(version, 3020U);
  CUdeviceptr_v1 memory = 0;
  EXPECT_EQ(cuMemAlloc(&memory, 64), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemAllocPitch(&memory, &total, 64, 4, 4), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemGetInfo(&free, &total), CUDA_ERROR_INVALID_CONTEXT);
  CUmodule module = nullptr;
  CUdeviceptr wide = 0;
  ASSERT_EQ(cuModuleLoadData(&module, program), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetGlobal_v2(&wide, nullptr, module, "counter"), CUDA_SUCCESS);
  if (wide >> 32 != 0)
    EXPECT_EQ(cuModuleGetGlobal(&memory, &total, module, "counter"), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
}

TEST_F(VersionOne, RowsAndArraysAreCopiedByTheOldStructures) {
  CUdeviceptr_v1 rows = 0;
  unsigned int pitch = 0;
  ASSERT_EQ(cuMemAllocPitch(&rows, &pitch, 16, 4, 4), CUDA_SUCCESS);
  ASSERT_GE(pitch, 16U);
  CUDA_MEMCPY2D_v1 in{};
  in.srcMemoryType = CU_MEMORYTYPE_HOST;
  in.srcHost = host_.data();
  in.srcPitch = 16;
  in.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  in.dstDevice = rows;
  in.dstPitch = pitch;
  in.WidthInBytes = 16;
  in.Height = 4;
  ASSERT_EQ(cuMemcpy2D(&in), CUDA_SUCCESS);

  CUDA_ARRAY_DESCRIPTOR_v1 shape = {4, 4, CU_AD_FORMAT_UNSIGNED_INT32, 1}, told{};
  CUarray array = nullptr;
  ASSERT_EQ(cuArrayCreate(&array, &shape), CUDA_SUCCESS);
  ASSERT_EQ(cuArrayGetDescriptor(&told, array), CUDA_SUCCESS);
  EXPECT_EQ(told.Width, 4U);
  EXPECT_EQ(told.Height, 4U);
  EXPECT_EQ(told.Format, CU_AD_FORMAT_UNSIGNED_INT32);
  CUDA_MEMCPY2D_v1 on{};
  on.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  on.srcDevice = rows;
  on.srcPitch = pitch;
  on.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  on.dstArray = array;
  on.WidthInBytes = 16;
  on.Height = 4;
  ASSERT_EQ(cuMemcpy2DUnaligned(&on), CUDA_SUCCESS);
  CUDA_MEMCPY3D_v1 out{};
  out.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  out.srcArray = array;
  out.srcY = 2;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = back_.data();
  out.dstPitch = 16;
  out.WidthInBytes = 16;
  out.Height = 2;
  out.Depth = 1;
  ASSERT_EQ(cuMemcpy3D(&out), CUDA_SUCCESS);
  for (unsigned i = 0; i < 8; ++i) EXPECT_EQ(back_[i], i + 9);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
}

TEST_F(VersionOne, FillsAndCopiesAreThoseOfVersionTwo) {
  ASSERT_EQ(cuMemsetD32(words_, 0x01020304, 16), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD2D16(words_ + 4, 16, 0xbeef, 2, 2), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoD(words_ + 32, words_, 32), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyDtoHAsync(back_.data(), words_, 64, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(back_[i], i % 4 == 1 ? 0xbeefbeefU : 0x01020304U) << i;
}

}  // namespace
}  // namespace heddle::cu
