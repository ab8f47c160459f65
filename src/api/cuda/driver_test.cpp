// The driver API as a program calls it.
#define __CUDA_API_VERSION_INTERNAL
#define CUDA_ENABLE_DEPRECATED
#include <cuda.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "api/cuda_state/driver_version.h"
#include "api/cuda_state/testing.h"

namespace heddle::cu {
namespace {

constexpr char vector_add[] = R"(
.version 7.0
.target sm_50
.address_size 64
.const .align 4 .b8 table[16];
.global .align 4 .u32 counter = 5;
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
  .reg .u64 %p<8>;
  .reg .u32 %r<8>;
  .reg .f32 %f<4>;
  .reg .pred %q;
  ld.param.u64 %p0, [a];
  ld.param.u64 %p1, [b];
  ld.param.u64 %p2, [c];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %q, %r4, %r0;
  @%q ret;
  mul.wide.u32 %p3, %r4, 4;
  add.u64 %p4, %p0, %p3;
  add.u64 %p5, %p1, %p3;
  add.u64 %p6, %p2, %p3;
  ld.global.f32 %f0, [%p4];
  ld.global.f32 %f1, [%p5];
  add.f32 %f2, %f0, %f1;
  st.global.f32 [%p6], %f2;
  ret;
}
)";

class Driver : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDeviceGet(&device_, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context_, 0, device_), CUDA_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(cuCtxDestroy_v2(context_), CUDA_SUCCESS); }
  CUfunction load_add() {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleLoadData(&module_, vector_add), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module_, "add"), CUDA_SUCCESS);
    return function;
  }
  cuda::TestProcess process_{{"h200", "h200"}};
  CUdevice device_ = -1;
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
};

struct Vectors {
  static constexpr unsigned count = 1000;
  static constexpr std::size_t bytes = count * sizeof(float);
  Vectors() : a(count), b(count), c(count, -1) {
    std::iota(a.begin(), a.end(), 1.0F);
    std::iota(b.begin(), b.end(), 0.5F);
    EXPECT_EQ(cuMemAlloc_v2(&da, bytes), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc_v2(&db, bytes), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc_v2(&dc, bytes), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoD_v2(da, a.data(), bytes), CUDA_SUCCESS);
    EXPECT_EQ(cuMemcpyHtoD_v2(db, b.data(), bytes), CUDA_SUCCESS);
  }
  void check() {
    EXPECT_EQ(cuMemcpyDtoH_v2(c.data(), dc, bytes), CUDA_SUCCESS);
    for (unsigned i = 0; i < count; ++i) ASSERT_EQ(c[i], a[i] + b[i]) << i;
  }
  std::vector<float> a, b, c;
  CUdeviceptr da = 0, db = 0, dc = 0;
};

TEST_F(Driver, LaunchesAKernelWithPointersToItsArguments) {
  const CUfunction add = load_add();
  Vectors v;
  unsigned n = Vectors::count;
  void* arguments[] = {&v.da, &v.db, &v.dc, &n};
  ASSERT_EQ(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
  v.check();
}

TEST_F(Driver, AStreamWritesWordsOfConstants) {
  load_add();
  CUdeviceptr table = 0;
  ASSERT_EQ(cuModuleGetGlobal_v2(&table, nullptr, module_, "table"), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWriteValue32_v2(nullptr, table + 4, 0x12345678, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWriteValue64_v2(nullptr, table + 8, 99, 0), CUDA_SUCCESS);
  std::array<uint32_t, 4> read{};
  ASSERT_EQ(cuMemcpyDtoH_v2(read.data(), table, sizeof read), CUDA_SUCCESS);
  EXPECT_EQ(read, (std::array<uint32_t, 4>{0, 0x12345678, 99, 0}));
}

TEST_F(Driver, WhatACopyCallsADevicesMemoryMustBeThat) {
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuMemAlloc_v2(&memory, 64), CUDA_SUCCESS);
  std::array<unsigned char, 64> host{};
  const auto other = reinterpret_cast<CUdeviceptr>(host.data());
  EXPECT_EQ(cuMemcpyDtoH_v2(host.data(), other, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(other, host.data(), 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoD_v2(memory, other, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(host.data(), 0xac, 16, nullptr), CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMCPY2D rows{};
  rows.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.srcDevice = other;
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = memory;
  rows.WidthInBytes = rows.Height = rows.srcPitch = rows.dstPitch = 4;
  EXPECT_EQ(cuMemcpy2D_v2(&rows), CUDA_ERROR_INVALID_VALUE);
  // Where it lies is not said; nothing lies in the first pages.
  EXPECT_EQ(cuMemcpy(memory, other, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpy(memory, 0xac, 16), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyDtoH_v2(host.data(), other, 0), CUDA_SUCCESS);
}

TEST_F(Driver, LaunchesAKernelWithABuffer) {
  const CUfunction add = load_add();
  Vectors v;
  struct {
    CUdeviceptr a, b, c;
    unsigned n;
  } buffer{v.da, v.db, v.dc, Vectors::count};
  size_t bytes = sizeof buffer;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  ASSERT_EQ(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra), CUDA_SUCCESS);
  v.check();
  bytes = 12;
  EXPECT_EQ(cuLaunchKernel(add, 8, 1, 1, 128, 1, 1, 0, nullptr, nullptr, extra), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, LaunchesAKernelInTheOldWay) {
  const CUfunction add = load_add();
  Vectors v;
  EXPECT_EQ(cuFuncSetBlockShape(add, 128, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetv(add, 0, &v.da, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetv(add, 8, &v.db, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetv(add, 16, &v.dc, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSeti(add, 24, Vectors::count), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetSize(add, 28), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchGrid(add, 8, 1), CUDA_SUCCESS);
  v.check();
}

TEST_F(Driver, FindsGlobalsOfAModule) {
  load_add();
  CUdeviceptr address = 0;
  size_t bytes = 0;
  ASSERT_EQ(cuModuleGetGlobal_v2(&address, &bytes, module_, "counter"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4U);
  unsigned value = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, address, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 5U);
  EXPECT_EQ(cuModuleGetGlobal_v2(nullptr, &bytes, module_, "table"), CUDA_SUCCESS);
  EXPECT_EQ(bytes, 16U);
  EXPECT_EQ(cuModuleGetGlobal_v2(&address, &bytes, module_, "nothing"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Driver, SaysWhatTheCompilerSays) {
  std::array<char, 512> errors{}, info{};
  std::array options{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_INFO_LOG_BUFFER,
                     CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
  const auto number = [](uintptr_t n) { return reinterpret_cast<void*>(n); };
  std::array<void*, 5> values{errors.data(), number(errors.size()), info.data(), number(info.size()),
                              number(32)};
  CUmodule module = nullptr;
  const std::string bad = std::string(vector_add) + "\nthis is no PTX\n";
  EXPECT_EQ(cuModuleLoadDataEx(&module, bad.c_str(), 5, options.data(), values.data()),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(errors.data()).find("error"), std::string::npos) << errors.data();
  EXPECT_EQ(reinterpret_cast<uintptr_t>(values[1]), std::strlen(errors.data()));
  EXPECT_EQ(values[3], nullptr);
  EXPECT_EQ(cuModuleLoadData(&module, "not a program at all"), CUDA_ERROR_INVALID_IMAGE);
}

TEST_F(Driver, WritesBackWhatTheCompilerHasToTell) {
  std::array<char, 512> info{}, errors{};
  std::array options{CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                     CU_JIT_LOG_VERBOSE,      CU_JIT_WALL_TIME,
                     CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  const auto number = [](uintptr_t n) { return reinterpret_cast<void*>(n); };
  void* const untouched = number(0x7fc00000);  // no time: the bits of a NaN
  std::array<void*, 6> values{info.data(), number(info.size()), number(1),
                              untouched,   errors.data(),       number(errors.size())};
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadDataEx(&module, vector_add, 6, options.data(), values.data()), CUDA_SUCCESS);
  const std::string said = info.data();
  EXPECT_NE(said.find("Compiling entry function 'add' for 'sm_90'"), std::string::npos) << said;
  EXPECT_NE(said.find("registers"), std::string::npos) << said;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(values[1]), said.size());
  EXPECT_EQ(values[5], nullptr);
  float milliseconds = 0;
  std::memcpy(&milliseconds, &values[3], sizeof milliseconds);
  EXPECT_GE(milliseconds, 0);
  EXPECT_LT(milliseconds, 60000);
  // Cut to the buffer, with the zero behind it.
  values = {info.data(), number(9), number(1), untouched, errors.data(), number(errors.size())};
  ASSERT_EQ(cuModuleLoadDataEx(&module, vector_add, 6, options.data(), values.data()), CUDA_SUCCESS);
  EXPECT_STREQ(info.data(), "ptxas in");
  EXPECT_EQ(reinterpret_cast<uintptr_t>(values[1]), 8U);
  // Nothing was asked for, nothing is said.
  values = {info.data(), number(info.size()), nullptr, untouched, errors.data(), number(errors.size())};
  ASSERT_EQ(cuModuleLoadDataEx(&module, vector_add, 6, options.data(), values.data()), CUDA_SUCCESS);
  EXPECT_EQ(values[1], nullptr);
}

TEST_F(Driver, LimitsOfTheL2CacheAreKeptAndClamped) {
  size_t value = 0;
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 0U);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 1 << 20), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 1U << 20);
  int most = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE, 0), CUDA_SUCCESS);
  int all = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&all, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, static_cast<size_t>(all)), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_PERSISTING_L2_CACHE_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, static_cast<size_t>(most));
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, size_t{1} << 63), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 32), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_MAX_L2_FETCH_GRANULARITY), CUDA_SUCCESS);
  EXPECT_EQ(value, 32U);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 4096), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_MAX, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_SHMEM_SIZE, 1), CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(cuCtxGetLimit(&value, CU_LIMIT_SHMEM_SIZE), CUDA_SUCCESS);
  EXPECT_EQ(value, 232448U);  // as an H200 says it
  EXPECT_EQ(cuCtxSetLimit(CU_LIMIT_CIG_ENABLED, 1), CUDA_ERROR_UNSUPPORTED_LIMIT);
}

TEST_F(Driver, KnowsNoExportTables) {
  const void* table = this;
  const CUuuid nobody{};
  EXPECT_EQ(cuGetExportTable(&table, &nobody), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(table, nullptr);
  EXPECT_EQ(cuGetExportTable(nullptr, &nobody), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetExportTable(&table, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, IsAsNewAsItsTables) {
  int version = 0;
  EXPECT_EQ(cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, cuda::newest_driver_version);
  void* function = nullptr;
  CUdriverProcAddressQueryResult found{};
  EXPECT_EQ(cuGetProcAddress_v2("cuMemDiscardBatchAsync", &function, version, 0, &found), CUDA_SUCCESS);
  EXPECT_NE(function, nullptr);
  EXPECT_EQ(*machine::parse_driver_version("12.5"), 12050);
  EXPECT_EQ(*machine::parse_driver_version("13.0"), 13000);
  for (const char* bad : {"13.1", "10.2", "12", "12.", "12.5.1", "x", "12.-1", ".5"})
    EXPECT_FALSE(machine::parse_driver_version(bad)) << bad;
}

// An H200's driver creates all of them; the runtime API refuses to filter integers.
TEST_F(Driver, TexturesOfIntegersMayAskForFilteringThatTheyHaveNot) {
  CUdeviceptr memory = 0;
  size_t pitch = 0;
  ASSERT_EQ(cuMemAllocPitch_v2(&memory, &pitch, 64, 4, 4), CUDA_SUCCESS);
  for (const CUarray_format format : {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
                                      CU_AD_FORMAT_UNSIGNED_INT32, CU_AD_FORMAT_FLOAT})
    for (const CUfilter_mode filter : {CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR})
      for (const unsigned flags : {0U, unsigned{CU_TRSF_READ_AS_INTEGER}}) {
        CUDA_RESOURCE_DESC resource{};
        resource.resType = CU_RESOURCE_TYPE_PITCH2D;
        resource.res.pitch2D = {memory, format, 1, 8, 4, pitch};
        CUDA_TEXTURE_DESC texture{};
        texture.filterMode = filter;
        texture.flags = flags;
        CUtexObject object = 0;
        EXPECT_EQ(cuTexObjectCreate(&object, &resource, &texture, nullptr), CUDA_SUCCESS)
            << format << ' ' << filter << ' ' << flags;
        CUDA_TEXTURE_DESC said{};
        EXPECT_EQ(cuTexObjectGetTextureDesc(&said, object), CUDA_SUCCESS);
        EXPECT_EQ(said.filterMode, filter);
        EXPECT_EQ(cuTexObjectDestroy(object), CUDA_SUCCESS);
      }
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_SUCCESS);
}

TEST_F(Driver, TellsTextsOfANewerPtxFromBadOnes) {
  const auto load = [](const std::string& version) {
    const std::string text =
        ".version " + version + "\n.target sm_50\n.address_size 64\n.visible .entry k() { ret; }\n";
    CUmodule module = nullptr;
    return cuModuleLoadData(&module, text.c_str());
  };
  EXPECT_EQ(load("5.0"), CUDA_SUCCESS);
  EXPECT_EQ(load("9.9"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(load("99.0"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(load("1.9"), CUDA_ERROR_INVALID_PTX);  // there was none
}

TEST_F(Driver, LinksTexts) {
  CUlinkState state = nullptr;
  ASSERT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &state), CUDA_SUCCESS);
  std::string text = vector_add;
  ASSERT_EQ(
      cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "add.ptx", 0, nullptr, nullptr),
      CUDA_SUCCESS);
  std::string other = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry empty() { ret; }\n";
  ASSERT_EQ(
      cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, other.data(), other.size() + 1, "b.ptx", 0, nullptr, nullptr),
      CUDA_SUCCESS);
  void* image = nullptr;
  size_t bytes = 0;
  ASSERT_EQ(cuLinkComplete(state, &image, &bytes), CUDA_SUCCESS);
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module, "add"), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "empty"), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(state), CUDA_ERROR_INVALID_HANDLE);
}

// A library of objects without device code, such as the device runtime's: "!<arch>\n" alone is an archive.
TEST_F(Driver, LinksLibrariesOfObjects) {
  CUlinkState state = nullptr;
  ASSERT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &state), CUDA_SUCCESS);
  const std::string library = ::testing::TempDir() + "/heddle_driver_test_" + std::to_string(getpid()) + ".a";
  std::ofstream(library) << "!<arch>\n";
  EXPECT_EQ(cuLinkAddFile_v2(state, CU_JIT_INPUT_LIBRARY, library.c_str(), 0, nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLinkAddFile_v2(state, CU_JIT_INPUT_PTX, library.c_str(), 0, nullptr, nullptr),
            CUDA_ERROR_INVALID_IMAGE);
  std::remove(library.c_str());
  EXPECT_EQ(cuLinkAddFile_v2(state, CU_JIT_INPUT_LIBRARY, library.c_str(), 0, nullptr, nullptr),
            CUDA_ERROR_FILE_NOT_FOUND);
  std::string text = vector_add;
  ASSERT_EQ(
      cuLinkAddData_v2(state, CU_JIT_INPUT_PTX, text.data(), text.size() + 1, "add.ptx", 0, nullptr, nullptr),
      CUDA_SUCCESS);
  void* image = nullptr;
  ASSERT_EQ(cuLinkComplete(state, &image, nullptr), CUDA_SUCCESS);
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, image), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "add"), CUDA_SUCCESS);
  EXPECT_EQ(cuLinkDestroy(state), CUDA_SUCCESS);
}

TEST_F(Driver, LibrariesBelongToNoContext) {
  CUlibrary library = nullptr;
  ASSERT_EQ(cuLibraryLoadData(&library, vector_add, nullptr, nullptr, 0, nullptr, nullptr, 0), CUDA_SUCCESS);
  unsigned count = 0;
  EXPECT_EQ(cuLibraryGetKernelCount(&count, library), CUDA_SUCCESS);
  EXPECT_EQ(count, 1U);
  CUkernel kernel = nullptr;
  ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "add"), CUDA_SUCCESS);
  Vectors v;
  unsigned n = Vectors::count;
  void* arguments[] = {&v.da, &v.db, &v.dc, &n};
  // A kernel may be launched as if it were a function.
  ASSERT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 8, 1, 1, 128, 1, 1, 0, nullptr, arguments,
                           nullptr),
            CUDA_SUCCESS);
  v.check();
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, KeepsAStackOfContexts) {
  CUcontext second = nullptr, top = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&second, 0, 1), CUDA_SUCCESS);
  CUdevice device = -1;
  EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cuCtxPopCurrent_v2(&top), CUDA_SUCCESS);
  EXPECT_EQ(top, second);
  EXPECT_EQ(cuCtxGetCurrent(&top), CUDA_SUCCESS);
  EXPECT_EQ(top, context_);
  EXPECT_EQ(cuCtxDestroy_v2(second), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxPushCurrent_v2(second), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPushCurrent_v2(reinterpret_cast<CUcontext>(0x1234560)), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Driver, MeasuresTimeBetweenEvents) {
  CUevent start = nullptr, end = nullptr;
  ASSERT_EQ(cuEventCreate(&start, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&end, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(start, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(end, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, start, end), CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(cuEventDestroy_v2(start), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(start, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, CopiesRowsBetweenPitches) {
  CUdeviceptr memory = 0;
  size_t pitch = 0;
  ASSERT_EQ(cuMemAllocPitch_v2(&memory, &pitch, 40, 3, 4), CUDA_SUCCESS);
  EXPECT_EQ(pitch % 512, 0U);
  std::array<int, 30> host{}, back{};
  std::iota(host.begin(), host.end(), 100);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host.data();
  copy.srcPitch = 40;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = memory;
  copy.dstPitch = pitch;
  copy.WidthInBytes = 40;
  copy.Height = 3;
  ASSERT_EQ(cuMemcpy2D_v2(&copy), CUDA_SUCCESS);
  CUDA_MEMCPY2D home{};
  home.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  home.srcDevice = memory;
  home.srcPitch = pitch;
  home.dstMemoryType = CU_MEMORYTYPE_HOST;
  home.dstHost = back.data();
  home.dstPitch = 40;
  home.WidthInBytes = 40;
  home.Height = 3;
  ASSERT_EQ(cuMemcpy2D_v2(&home), CUDA_SUCCESS);
  EXPECT_EQ(host, back);
  home.dstPitch = 39;
  EXPECT_EQ(cuMemcpy2D_v2(&home), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, RefusesMemoryThatIsNoDevices) {
  std::vector<unsigned> host(16, 1);
  const auto pageable = reinterpret_cast<CUdeviceptr>(host.data());
  EXPECT_EQ(cuMemsetD32_v2(pageable, 0, host.size()), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(host, std::vector<unsigned>(16, 1));
  CUdeviceptr freed = 0;
  ASSERT_EQ(cuMemAlloc_v2(&freed, 4096), CUDA_SUCCESS);
  void* const pointer = reinterpret_cast<void*>(freed);
  EXPECT_EQ(cuMemHostRegister_v2(pointer, 4096, 0), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  ASSERT_EQ(cuMemFree_v2(freed), CUDA_SUCCESS);
  EXPECT_EQ(cuMemHostRegister_v2(pointer, 4096, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemHostRegister_v2(reinterpret_cast<void*>(4096), 4096, 0), CUDA_ERROR_INVALID_VALUE);
  (void)load_add();
  EXPECT_EQ(cuModuleEnumerateFunctions(nullptr, 1, module_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleEnumerateFunctions(nullptr, 0, module_), CUDA_SUCCESS);
}

TEST_F(Driver, WaitsForCopiesToPageableMemory) {
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuMemAlloc_v2(&memory, 4096), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD8_v2(memory, 5, 4096), CUDA_SUCCESS);
  CUstream stream = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  const auto soon = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  ASSERT_EQ(cuLaunchHostFunc(stream, soon, nullptr), CUDA_SUCCESS);
  std::vector<unsigned char> host(4096);
  ASSERT_EQ(cuMemcpyDtoHAsync_v2(host.data(), memory, host.size(), stream), CUDA_SUCCESS);
  EXPECT_EQ(host, std::vector<unsigned char>(4096, 5));
}

TEST_F(Driver, LogsItsFailures) {
  CUlogIterator at = 0;
  ASSERT_EQ(cuLogsCurrent(&at, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(3), CUDA_ERROR_INVALID_VALUE);
  char text[1000] = "";
  size_t size = sizeof text;
  ASSERT_EQ(cuLogsDumpToMemory(&at, text, &size, 0), CUDA_SUCCESS);
  EXPECT_THAT(text, testing::HasSubstr("[E][cuMemFree_v2] CUDA_ERROR_INVALID_VALUE: "));
}

TEST_F(Driver, RefusesWhatIsNone) {
  EXPECT_EQ(cuDeviceGet(&device_, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetCount(nullptr), CUDA_ERROR_INVALID_VALUE);
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, nullptr, "add"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize(reinterpret_cast<CUstream>(0x77770)), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  int value = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(99999), 0),
            CUDA_ERROR_INVALID_VALUE);
  const char* text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_NOT_FOUND");
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(cuFuncGetName(&text, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelGetName(&text, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, WhatHasANameHasAText) {
  for (int number = 0; number < 1000; ++number) {
    const char *name = nullptr, *text = nullptr;
    const CUresult named = cuGetErrorName(static_cast<CUresult>(number), &name);
    EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(number), &text), named) << number;
    EXPECT_EQ(name == nullptr, text == nullptr) << number;
  }
}

// What is asked of arrays of kinds that there are none of, and of contexts on a part of a device.
TEST_F(Driver, SaysWhatAnArrayAndAContextAreNot) {
  const CUDA_ARRAY3D_DESCRIPTOR shape = {16, 16, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUarray array = nullptr, plane = nullptr;
  CUmipmappedArray levels = nullptr;
  ASSERT_EQ(cuArray3DCreate_v2(&array, &shape), CUDA_SUCCESS);
  ASSERT_EQ(cuMipmappedArrayCreate(&levels, &shape, 2), CUDA_SUCCESS);
  CUDA_ARRAY_SPARSE_PROPERTIES sparse{};
  CUDA_ARRAY_MEMORY_REQUIREMENTS memory{};
  EXPECT_EQ(cuArrayGetPlane(&plane, array, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArrayGetSparseProperties(&sparse, array), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMipmappedArrayGetSparseProperties(&sparse, levels), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArrayGetMemoryRequirements(&memory, array, device_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMipmappedArrayGetMemoryRequirements(&memory, levels, device_), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuArrayGetMemoryRequirements(&memory, nullptr, device_), CUDA_ERROR_INVALID_HANDLE);
  CUexecAffinityParam affinity{};
  EXPECT_EQ(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT), CUDA_SUCCESS);
  EXPECT_EQ(affinity.param.smCount.val, 132U);
  EXPECT_EQ(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_MAX), CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
  EXPECT_EQ(cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                       CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER),
            CUDA_SUCCESS);
}

}  // namespace
}  // namespace heddle::cu
