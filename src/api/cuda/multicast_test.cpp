// Multicast objects as a program uses them: what multimem instructions give and leave in the memory of each
// device (PTX ISA 9.7.9.14; CUDA driver API, "Multicast Object Management").
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "api/cuda_state/testing.h"

namespace heddle::cu {
namespace {

constexpr std::size_t unit = std::size_t{2} << 20;
constexpr int devices = 3;

class MulticastObjects : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context_, 0, 0), CUDA_SUCCESS);
    const CUmulticastObjectProp properties = of_team(devices);
    ASSERT_EQ(cuMulticastCreate(&multicast_, &properties), CUDA_SUCCESS);
    for (int device = 0; device < devices; ++device)
      ASSERT_EQ(cuMulticastAddDevice(multicast_, device), CUDA_SUCCESS);
    for (int device = 0; device < devices; ++device) {
      memory_.push_back(create(device));
      own_.push_back(reserve());
      ASSERT_EQ(cuMemMap(own_.back(), unit, 0, memory_.back(), 0), CUDA_SUCCESS);
      ASSERT_EQ(open(own_.back()), CUDA_SUCCESS);
    }
    all_ = reserve();
    ASSERT_EQ(cuMemMap(all_, unit, 0, multicast_, 0), CUDA_SUCCESS);
    ASSERT_EQ(open(all_), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&out_, 64), CUDA_SUCCESS);
  }
  static CUmulticastObjectProp of_team(unsigned count) {
    CUmulticastObjectProp properties{};
    properties.numDevices = count;
    properties.size = 2 * unit;
    return properties;
  }
  static CUmemGenericAllocationHandle create(int device) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    CUmemGenericAllocationHandle handle = 0;
    EXPECT_EQ(cuMemCreate(&handle, unit, &properties, 0), CUDA_SUCCESS);
    return handle;
  }
  static CUdeviceptr reserve() {
    CUdeviceptr address = 0;
    EXPECT_EQ(cuMemAddressReserve(&address, unit, 0, 0, 0), CUDA_SUCCESS);
    return address;
  }
  static CUresult open(CUdeviceptr address, CUmemAccess_flags flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE) {
    const CUmemAccessDesc right = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
    return cuMemSetAccess(address, unit, &right, 1);
  }
  void bind_all() {
    for (const auto memory : memory_)
      ASSERT_EQ(cuMulticastBindMem(multicast_, 0, memory, 0, unit, 0), CUDA_SUCCESS);
  }
  // The memory of each device begins with these bytes.
  template <class T, std::size_t n>
  void hold(const std::array<std::vector<T>, n>& values) {
    static_assert(n == devices);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(cuMemcpyHtoD_v2(own_[i], values[i].data(), values[i].size() * sizeof(T)), CUDA_SUCCESS);
  }
  template <class T>
  std::vector<T> held(int device, std::size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(cuMemcpyDtoH_v2(values.data(), own_[static_cast<std::size_t>(device)], count * sizeof(T)),
              CUDA_SUCCESS);
    return values;
  }
  // The instructions with the multimem address in %a and an address for results in %o.
  CUresult run(const std::string& instructions) {
    const std::string program = R"(
.version 8.8
.target sm_100f
.address_size 64
.visible .entry k(.param .u64 multi, .param .u64 out) {
  .reg .u64 %a, %o;
  .reg .b16 %h<8>;
  .reg .b32 %r<8>;
  .reg .b64 %d<2>;
  ld.param.u64 %a, [multi];
  ld.param.u64 %o, [out];
)" + instructions + "\n  ret;\n}\n";
    CUcontext context = nullptr;  // which a fault ends
    EXPECT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    CUmodule module_ = nullptr;
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleLoadData(&module_, program.c_str()), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&function, module_, "k"), CUDA_SUCCESS);
    void* arguments[] = {&all_, &out_};
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr), CUDA_SUCCESS);
    const CUresult result = cuCtxSynchronize();
    EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
    return result;
  }
  template <class T>
  T result() {
    T value{};
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, out_, sizeof value), CUDA_SUCCESS);
    return value;
  }
  uint32_t load32(const std::string& instruction) {
    EXPECT_EQ(run(instruction + " %r0, [%a]; st.global.u32 [%o], %r0;"), CUDA_SUCCESS);
    return result<uint32_t>();
  }
  uint64_t load64(const std::string& instruction) {
    EXPECT_EQ(run(instruction + " %d0, [%a]; st.global.u64 [%o], %d0;"), CUDA_SUCCESS);
    return result<uint64_t>();
  }

  cuda::TestProcess process_{{"b200", "b200", "b200"}};
  CUcontext context_ = nullptr;
  CUmemGenericAllocationHandle multicast_ = 0;
  std::vector<CUmemGenericAllocationHandle> memory_;
  std::vector<CUdeviceptr> own_;
  CUdeviceptr all_ = 0, out_ = 0;
};

using Bytes = std::vector<uint8_t>;
using Halves = std::vector<uint16_t>;
using Words = std::vector<uint32_t>;
using Longs = std::vector<uint64_t>;
using Floats = std::vector<float>;

TEST_F(MulticastObjects, LoadsReduceWhatEachDeviceHoldsIntegers) {
  bind_all();
  hold(std::array{Words{5, 0}, Words{0xfffffffe, 0}, Words{4, 0}});
  EXPECT_EQ(load32("multimem.ld_reduce.relaxed.sys.global.add.u32"), 7U);
  EXPECT_EQ(load32("multimem.ld_reduce.weak.global.add.s32"), 7U);
  EXPECT_EQ(load32("multimem.ld_reduce.global.min.s32"), 0xfffffffeU);
  EXPECT_EQ(load32("multimem.ld_reduce.min.u32"), 4U);
  EXPECT_EQ(load32("multimem.ld_reduce.acquire.gpu.global.max.s32"), 5U);
  EXPECT_EQ(load32("multimem.ld_reduce.global.max.u32"), 0xfffffffeU);
  EXPECT_EQ(load32("multimem.ld_reduce.global.and.b32"), 4U);
  EXPECT_EQ(load32("multimem.ld_reduce.global.or.b32"), 0xffffffffU);
  EXPECT_EQ(load32("multimem.ld_reduce.global.xor.b32"), 0xffffffffU);
  hold(std::array{Longs{uint64_t{1} << 40}, Longs{~uint64_t{0}}, Longs{3}});
  EXPECT_EQ(load64("multimem.ld_reduce.global.add.u64"), (uint64_t{1} << 40) + 2);
  EXPECT_EQ(load64("multimem.ld_reduce.global.min.s64"), ~uint64_t{0});
  EXPECT_EQ(load64("multimem.ld_reduce.global.max.u64"), ~uint64_t{0});
  EXPECT_EQ(load64("multimem.ld_reduce.global.and.b64"), 0U);
}

// "The default precision of the intermediate accumulation is same as the specified type."
TEST_F(MulticastObjects, SumsHaveThePrecisionThatIsAskedFor) {
  bind_all();
  // 2048 + 1 is 2048 in a half, whose numbers are 2 apart there; the other half of the word: 1 + 2 + 3.
  hold(std::array{Halves{0x6800, 0x3c00}, Halves{0x3c00, 0x4000}, Halves{0x3c00, 0x4200}});
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.f16x2"), 0x4600'6800U);
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.acc::f32.f16x2"), 0x4600'6801U);  // 2050
  EXPECT_EQ(load32("multimem.ld_reduce.global.min.f16x2"), 0x3c00'3c00U);
  // 256 + 1 in bf16, whose numbers are 2 apart there; 1 + 2 + 4.
  hold(std::array{Halves{0x4380, 0x3f80}, Halves{0x3f80, 0x4000}, Halves{0x3f80, 0x4080}});
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.bf16x2"), 0x40e0'4380U);
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.acc::f32.bf16x2"), 0x40e0'4381U);  // 258
  EXPECT_EQ(load32("multimem.ld_reduce.global.max.bf16x2"), 0x4080'4380U);
  // e4m3: 16 + 1 + 1 (2 apart), 448 + 448 + 1 (the largest), 1 + 2 + 3, -1 + 1 + NaN.
  hold(std::array{Bytes{0x58, 0x7e, 0x38, 0xb8}, Bytes{0x38, 0x7e, 0x40, 0x38},
                  Bytes{0x38, 0x38, 0x44, 0x7f}});
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.e4m3x4"), 0x7f4c'7e58U);
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.acc::f16.e4m3x4"), 0x7f4c'7e59U);
  EXPECT_EQ(load32("multimem.ld_reduce.global.min.e4m3x4"), 0xb838'3838U);
  // e5m2: 8 + 1 + 1 (2 apart), 57344 twice (the largest), 1 + 2 + 3, -1 + 1 + 2.
  hold(std::array{Bytes{0x48, 0x7b, 0x3c, 0xbc}, Bytes{0x3c, 0x7b, 0x40, 0x3c},
                  Bytes{0x3c, 0x3c, 0x42, 0x40}});
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.e5m2x4"), 0x4046'7b48U);
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.acc::f16.e5m2x4"), 0x4046'7b49U);
  EXPECT_EQ(load32("multimem.ld_reduce.global.max.e5m2x4"), 0x4042'7b48U);
  hold(std::array{Floats{1.5F}, Floats{2.25F}, Floats{-8}});
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.f32"), std::bit_cast<uint32_t>(-4.25F));
  hold(std::array{std::vector<double>{1e300}, std::vector<double>{-1e300}, std::vector<double>{0.5}});
  EXPECT_EQ(load64("multimem.ld_reduce.global.add.f64"), std::bit_cast<uint64_t>(0.5));
}

TEST_F(MulticastObjects, VectorsAreReducedElementByElement) {
  bind_all();
  hold(std::array{Floats{1, 2, 3, 4}, Floats{10, 20, 30, 40}, Floats{100, 200, 300, 400}});
  ASSERT_EQ(run("multimem.ld_reduce.global.add.v4.f32 {%r0, %r1, %r2, %r3}, [%a];"
                "st.global.v4.b32 [%o], {%r0, %r1, %r2, %r3};"),
            CUDA_SUCCESS);
  EXPECT_EQ((result<std::array<float, 4>>()), (std::array<float, 4>{111, 222, 333, 444}));
  hold(std::array{Halves{0x3c00, 0x6800, 0x3c00, 0x4000, 0, 0, 0, 0x3c00},
                  Halves{0x3c00, 0x3c00, 0x4000, 0x4000, 0, 0, 0, 0x3c00},
                  Halves{0x3c00, 0x3c00, 0x4200, 0x4000, 0, 0, 0x8000, 0x3c00}});
  ASSERT_EQ(
      run("multimem.ld_reduce.global.add.acc::f32.v8.f16 {%h0, %h1, %h2, %h3, %h4, %h5, %h6, %h7}, [%a];"
          "st.global.v4.b16 [%o], {%h0, %h1, %h2, %h3}; st.global.v4.b16 [%o+8], {%h4, %h5, %h6, %h7};"),
      CUDA_SUCCESS);
  EXPECT_EQ((result<std::array<uint16_t, 8>>()),
            (std::array<uint16_t, 8>{0x4200, 0x6801, 0x4600, 0x4600, 0, 0, 0, 0x4200}));
  ASSERT_EQ(
      run("multimem.ld_reduce.global.max.v2.f16x2 {%r0, %r1}, [%a]; st.global.v2.b32 [%o], {%r0, %r1};"),
      CUDA_SUCCESS);
  EXPECT_EQ(result<uint64_t>(), 0x4000'4200'6800'3c00U);
}

TEST_F(MulticastObjects, StoresReachEachDevice) {
  bind_all();
  ASSERT_EQ(run("mov.b32 %r0, 1; mov.b32 %r1, 2; mov.b32 %r2, 3; mov.b32 %r3, 4;"
                "multimem.st.weak.global.v4.f32 [%a], {%r0, %r1, %r2, %r3};"
                "mov.b64 %d0, 0x123456789abcdef0; multimem.st.release.sys.global.b64 [%a+16], %d0;"
                "multimem.st.global.u32 [%a+24], 77;"),
            CUDA_SUCCESS);
  for (int device = 0; device < devices; ++device)
    EXPECT_EQ(held<uint32_t>(device, 7), (Words{1, 2, 3, 4, 0x9abcdef0, 0x12345678, 77}));
}

TEST_F(MulticastObjects, ReductionsChangeWhatEachDeviceHolds) {
  bind_all();
  hold(std::array{Words{1, 0xf0, 0x40a00000, 0x3f800000}, Words{2, 0x0f, 0, 0x40000000},
                  Words{3, 0xff, 0xc0a00000, 0}});
  ASSERT_EQ(run("multimem.red.relaxed.gpu.global.add.u32 [%a], 10;"
                "multimem.red.global.xor.b32 [%a+4], 0xff;"
                "mov.b32 %r0, 0x40A00000; mov.b32 %r1, 0x3F800000;"
                "multimem.red.release.sys.global.add.v2.f32 [%a+8], {%r0, %r1};"),
            CUDA_SUCCESS);
  EXPECT_EQ(held<uint32_t>(0, 4), (Words{11, 0x0f, 0x41200000, 0x40000000}));
  EXPECT_EQ(held<uint32_t>(1, 4), (Words{12, 0xf0, 0x40a00000, 0x40400000}));
  EXPECT_EQ(held<uint32_t>(2, 4), (Words{13, 0, 0, 0x3f800000}));
  hold(std::array{Longs{5, 0x3c00}, Longs{~uint64_t{0}, 0x4000}, Longs{100, 0x6800}});
  ASSERT_EQ(run("multimem.red.global.min.s64 [%a], 7; multimem.red.global.add.f16x2 [%a+8], 0x3c003c00;"),
            CUDA_SUCCESS);
  EXPECT_EQ(held<uint64_t>(0, 2), (Longs{5, 0x3c004000}));
  EXPECT_EQ(held<uint64_t>(1, 2), (Longs{~uint64_t{0}, 0x3c004200}));
  EXPECT_EQ(held<uint64_t>(2, 2), (Longs{7, 0x3c006800}));
}

TEST_F(MulticastObjects, OnlyMultimemInstructionsReachWhatIsBound) {
  // Nothing is bound yet, then not on each device.
  EXPECT_EQ(run("multimem.ld_reduce.global.add.u32 %r0, [%a];"), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(cuMulticastBindMem(multicast_, 0, memory_[0], 0, unit, 0), CUDA_SUCCESS);
  EXPECT_EQ(run("multimem.st.global.u32 [%a], 1;"), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(cuMulticastBindMem(multicast_, 0, memory_[1], 0, unit, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMulticastBindAddr(multicast_, 0, own_[2], unit, 0), CUDA_SUCCESS);
  EXPECT_EQ(run("multimem.st.global.u32 [%a], 1;"), CUDA_SUCCESS);
  EXPECT_EQ(held<uint32_t>(2, 1), Words{1});
  EXPECT_EQ(run("ld.global.u32 %r0, [%a];"), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(run("multimem.ld_reduce.global.add.u32 %r0, [%o];"), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(run("multimem.ld_reduce.global.add.v2.f32 {%r0, %r1}, [%a+4];"), CUDA_ERROR_MISALIGNED_ADDRESS);
  uint32_t word = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&word, all_, 4), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(open(all_, CU_MEM_ACCESS_FLAGS_PROT_READ), CUDA_SUCCESS);
  EXPECT_EQ(run("multimem.st.global.u32 [%a], 1;"), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(load32("multimem.ld_reduce.global.add.u32"), 3U);
  ASSERT_EQ(cuMulticastUnbind(multicast_, 1, 0, unit), CUDA_SUCCESS);
  EXPECT_EQ(run("multimem.ld_reduce.global.add.u32 %r0, [%a];"), CUDA_ERROR_ILLEGAL_ADDRESS);
  ASSERT_EQ(cuMemUnmap(all_, unit), CUDA_SUCCESS);
  EXPECT_EQ(run("multimem.ld_reduce.global.add.u32 %r0, [%a];"), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cuMemRelease(multicast_), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(multicast_), CUDA_ERROR_INVALID_VALUE);
}

// "Any calls to cuMulticastBindMem ... will block until all devices have been added."
TEST_F(MulticastObjects, BindingWaitsForTheTeam) {
  const CUmulticastObjectProp properties = of_team(2);
  CUmemGenericAllocationHandle multicast = 0;
  ASSERT_EQ(cuMulticastCreate(&multicast, &properties), CUDA_SUCCESS);
  ASSERT_EQ(cuMulticastAddDevice(multicast, 0), CUDA_SUCCESS);
  std::thread binds(
      [&] { EXPECT_EQ(cuMulticastBindMem(multicast, unit, memory_[1], 0, unit, 0), CUDA_SUCCESS); });
  EXPECT_EQ(cuMulticastAddDevice(multicast, 1), CUDA_SUCCESS);
  binds.join();
  EXPECT_EQ(cuMulticastAddDevice(multicast, 2), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(MulticastObjects, RefusesWhatCannotBe) {
  std::size_t granularity = 0;
  CUmulticastObjectProp properties = of_team(devices);
  EXPECT_EQ(cuMulticastGetGranularity(&granularity, &properties, CU_MULTICAST_GRANULARITY_MINIMUM),
            CUDA_SUCCESS);
  EXPECT_EQ(granularity, unit);
  CUmemGenericAllocationHandle other = 0;
  properties.size = unit + 1;
  EXPECT_EQ(cuMulticastCreate(&other, &properties), CUDA_ERROR_INVALID_VALUE);
  properties = of_team(devices + 1);
  EXPECT_EQ(cuMulticastCreate(&other, &properties), CUDA_ERROR_INVALID_VALUE);
  properties = of_team(devices);
  properties.flags = 1;
  EXPECT_EQ(cuMulticastCreate(&other, &properties), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastAddDevice(multicast_, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastAddDevice(memory_[0], 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(multicast_, 0, multicast_, 0, unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(multicast_, 4096, memory_[0], 0, unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(multicast_, 0, memory_[0], 0, 2 * unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(multicast_, 2 * unit, memory_[0], 0, unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastBindMem(multicast_, 0, memory_[0], 0, unit, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMulticastBindMem(multicast_, 0, memory_[0], 0, unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMulticastUnbind(multicast_, 0, unit, unit), CUDA_ERROR_INVALID_VALUE);
  void* handle = nullptr;
  EXPECT_EQ(cuMemExportToShareableHandle(&handle, multicast_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_ERROR_NOT_SUPPORTED);
  int supported = -1;
  EXPECT_EQ(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0), CUDA_SUCCESS);
  EXPECT_EQ(supported, 1);
  const cuda::TestProcess alone{{"b200"}};
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED, 0), CUDA_SUCCESS);
  EXPECT_EQ(supported, 0);
  properties = of_team(1);
  EXPECT_EQ(cuMulticastCreate(&other, &properties), CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace heddle::cu
